"""Selection from tables in shards, against the selection from texts."""

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import typer

from app.errors import InputError
from app.shell.program import program

pa = pytest.importorskip("pyarrow", reason="the extra parquet is not installed")
import pyarrow.parquet as pq  # noqa: E402 - after the check

ROWS = 200
TEXTS = ("pairs.parquet:src", "pairs.parquet:tgt", "--out", "best", "--processes", "1")


@pytest.fixture
def table(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> dict[str, list[Any]]:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("app.scale.files.shards.SHARD_ROWS", 40)
    scores = np.random.default_rng(3).integers(0, 30, ROWS).tolist()
    columns: dict[str, list[Any]] = {
        "src": [f"Casa {row} este mare." for row in range(ROWS)],
        "tgt": [f"House {row} is{' is' * (row % 7)} big." for row in range(ROWS)],
        "score": scores,
    }
    pq.write_table(pa.table(columns), "pairs.parquet", row_group_size=25)
    for name, values in columns.items():
        Path(f"{name}.txt").write_text("".join(f"{value}\n" for value in values))
    return columns


def assay(*arguments: str) -> None:
    typer.main.get_command(program).main(["corpus", "select", *arguments], standalone_mode=False)


def best() -> list[str]:
    return [text for path in sorted(Path("best").glob("*.parquet")) for text in pq.read_table(path)["src"].to_pylist()]


@pytest.mark.parametrize(
    "limits",
    [("--pairs", "33"), ("--share", "10%"), ("--share", "12.3%"), ("--at-least", "20"), ("--pairs", "90", "--at-least", "25")],
)
def test_given_scores_choose_the_pairs_of_the_selection_from_texts(table: dict[str, list[Any]], limits: tuple[str, ...]) -> None:
    assay("src.txt", "tgt.txt", "--method", "given", "--given", "score.txt", *limits, "--out-source", "chosen.txt")
    assay(*TEXTS, "--method", "given", "--columns", "score=score", *limits)
    assert best() == Path("chosen.txt").read_text().splitlines() != []


def test_predicted_quality_chooses_the_pairs_of_the_selection_from_texts(table: dict[str, list[Any]]) -> None:
    quality = ("--method", "quality", "--pair", "ro-en", "--model", "ro-en-hter-gp-17", "--pairs", "40")
    assay("src.txt", "tgt.txt", *quality, "--out-source", "chosen.txt")
    assay(*TEXTS, *quality)
    assert best() == Path("chosen.txt").read_text().splitlines() and len(best()) == 40


def test_a_damaged_file_is_named_and_rows_of_all_others_are_chosen(
    table: dict[str, list[Any]], capsys: pytest.CaptureFixture[str]
) -> None:
    Path("other.jsonl").write_text(
        "".join(json.dumps({"src": f"x {score}", "tgt": "y", "score": score}) + "\n" for score in (40, 50))
    )
    command = ("*.[jp]*:src", "*.[jp]*:tgt", *TEXTS[2:], "--method", "given", "--columns", "score=score", "--pairs", "1")
    assay(*command)
    assert Path("best/other.jsonl").read_text().count("\n") == 1 and best() == []
    capsys.readouterr()
    Path("other.jsonl").write_text("none\n")
    with pytest.raises(SystemExit) as end:
        assay(*command)
    said = capsys.readouterr().err
    assert end.value.code == 1 and "no result for other.jsonl: invalid-table: line 1" in said and ".npy" not in said
    assert f"best: {ROWS} rows in 4 files" in said and f"chose 1 of {ROWS} rows" in said
    assert not Path("best/other.jsonl").exists() and len(best()) == 1
    # A repaired one changes the threshold.
    Path("other.jsonl").write_text(json.dumps({"src": "x", "tgt": "y", "score": 60}) + "\n")
    assay(*command)
    assert Path("best/other.jsonl").read_text().count("\n") == 1 and best() == []
    with pytest.raises(InputError, match="results of another run"):
        assay(*command[:-1], "2")


@pytest.mark.parametrize(
    ("arguments", "reason"),
    [
        ((*TEXTS, "--method", "ibm1", "--pairs", "3"), "methods are quality"),
        ((*TEXTS, "--method", "given", "--pairs", "3"), "methods are quality"),
        ((*TEXTS, "--method", "given", "--columns", "score=score"), "set a budget"),
        ((*TEXTS, "--method", "given", "--columns", "score=score", "--words", "5"), "writes results of files"),
        ((*TEXTS, "--method", "quality", "--pair", "ro-en", "--columns", "x=score", "--pairs", "3"), "names scores"),
    ],
)
def test_options_that_do_not_fit_are_refused(table: dict[str, list[Any]], arguments: tuple[str, ...], reason: str) -> None:
    with pytest.raises(InputError, match=reason):
        assay(*arguments)
