"""Filters of tables in shards, against the filter of texts."""

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

RULES = ("--no-copies", "--max-ratio", "2", "--same-numbers", "--min-letters", "0.5")
ROWS = 300


@pytest.fixture
def table(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> dict[str, list[Any]]:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("app.scale.files.shards.SHARD_ROWS", 70)
    rng = np.random.default_rng(7)
    words = np.array(["ein", "Haus", "12", "34", "!!", "gross", "und", "alt"])
    texts = [[" ".join(rng.choice(words, rng.integers(1, 6))) for _ in range(ROWS)] for _ in range(2)]
    columns: dict[str, list[Any]] = {"id": list(range(ROWS)), "src": texts[0], "tgt": texts[1]}
    columns["name"] = [("web", "books")[row % 2] for row in range(ROWS)]
    pq.write_table(pa.table(columns), "pairs.parquet", row_group_size=35)
    for name in ("src", "tgt", "name"):
        Path(f"{name}.txt").write_text("".join(f"{text}\n" for text in columns[name]))
    return columns


def assay(*arguments: str) -> None:
    typer.main.get_command(program).main(["corpus", "filter", *arguments], standalone_mode=False)


TABLES = ("pairs.parquet:src", "pairs.parquet:tgt", "--out", "clean", "--processes", "1")


def test_rows_and_report_are_those_of_the_filter_of_texts(table: dict[str, list[Any]]) -> None:
    assay("src.txt", "tgt.txt", *RULES, "--decisions", "decisions.txt", "--report", "texts.json", "--corpora", "name.txt")
    assay(*TABLES, *RULES, "--report", "tables.json", "--columns", "corpus=name")
    paths = sorted(Path("clean").glob("*.parquet"))
    found = pa.concat_tables([pq.read_table(path) for path in paths]).to_pydict()
    passing = [row for row, word in enumerate(Path("decisions.txt").read_text().split()) if word == "kept"]
    assert len(paths) > 3 and 0 < len(passing) < ROWS
    assert found == {name: [values[row] for row in passing] for name, values in table.items()}
    of_texts, of_tables = (json.loads(Path(name).read_text()) for name in ("texts.json", "tables.json"))
    assert of_tables["rules"].pop(0)["pairs"] == 0
    for part in of_tables["corpora"]:
        part["rules"].pop(0)
    for report in (of_texts, of_tables):
        examples = [(row["rule"], example) for row in report["rules"] for example in row.pop("examples")]
        assert examples and all(example["source"] == table["src"][example["pair"] - 1] for _, example in examples)
    assert of_texts == of_tables


def test_a_report_has_the_options_of_rules_and_marks_cut_texts(
    table: dict[str, list[Any]], capsys: pytest.CaptureFixture[str]
) -> None:
    table["src"][5], table["tgt"][5] = "haus " * 100, "house " * 100
    pq.write_table(pa.table(table), "pairs.parquet")
    assay(*TABLES, "--no-copies", "--report", "report.md")
    report = Path("report.md").read_text()
    assert "| with too few or too many words (--min-words 1 --max-words 80) | 1 |" in report
    assert "(--no-copies) | " in report and f"{'haus ' * 39}haus… |" in report
    written = sum(pq.read_metadata(path).num_rows for path in Path("clean").glob("*.parquet"))
    assert 0 < written < ROWS and f"clean: {written} of {ROWS} rows in" in capsys.readouterr().err


@pytest.mark.parametrize("damage", ["{}", None])
def test_a_lost_or_damaged_report_of_a_part_is_written_again(
    table: dict[str, list[Any]], damage: str | None, capsys: pytest.CaptureFixture[str]
) -> None:
    assay(*TABLES, *RULES, "--report", "first.json")
    [path, *_] = sorted(Path("clean/_assay/reports").iterdir())
    if damage is None:
        path.unlink()
    else:
        path.write_text(damage)
    before = Path("first.json").read_text()
    # The report of the first run may be replaced.
    assay(*TABLES, *RULES, "--report", "first.json")
    assert Path("first.json").read_text() == before
    assert "5 files, 4 of them by an earlier run" in capsys.readouterr().err


def test_rows_without_texts_are_faults(table: dict[str, list[Any]], capsys: pytest.CaptureFixture[str]) -> None:
    table["src"][5] = None
    pq.write_table(pa.table(table), "pairs.parquet")
    assay(*TABLES, "--max-words", "100")
    ids = pa.concat_tables([pq.read_table(path) for path in Path("clean").glob("*.parquet")])["id"].to_pylist()
    assert 5 not in ids and len(ids) >= ROWS - 1 - 200
    assert "1 pair with a text that is null, no text or too long, 1 of them without another fault" in capsys.readouterr().err


@pytest.mark.parametrize("command", [TABLES, ("src.txt", "tgt.txt")])
def test_a_report_of_others_stays(table: dict[str, list[Any]], command: tuple[str, ...]) -> None:
    Path("report.md").write_text("mine\n")
    Path("clean/_assay").mkdir(parents=True)
    Path("clean/_assay/report.json").write_text("{")
    with pytest.raises(InputError, match=r"report\.md exists already; --replace overwrites it"):
        assay(*command, *RULES, "--report", "report.md")
    assert Path("report.md").read_text() == "mine\n"


@pytest.mark.parametrize(
    ("arguments", "reason"),
    [
        (("pairs.parquet:src", "other.parquet:tgt", "--out", "clean"), "both texts stand in one table"),
        (("src.txt", "tgt.txt", "--out", "clean"), "a text is TABLE:COLUMN"),
        ((*TABLES, "--unique"), "writes results of files"),
        ((*TABLES, "--columns", "source=src"), "names corpora"),
        (("pairs.parquet:src", "pairs.parquet:tgt", "--columns", "corpus=name"), "goes with --out"),
    ],
)
def test_options_that_do_not_fit_are_refused(table: dict[str, list[Any]], arguments: tuple[str, ...], reason: str) -> None:
    with pytest.raises(InputError, match=reason):
        assay(*arguments)
