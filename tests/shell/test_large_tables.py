"""Commands on tables of any size: results in files, against the engine, sacreBLEU and a run of the whole table."""

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import typer

from app.errors import InputError
from app.scale import Scorer
from app.settings import ROOT
from app.shell.program import program
from tests.scale.test_runs import children

pa = pytest.importorskip("pyarrow", reason="the extra parquet is not installed")
import pyarrow.parquet as pq  # noqa: E402 - after the check
import sacrebleu  # noqa: E402

ROWS = 60
TABLE: dict[str, list[Any]] = {
    "id": list(range(ROWS)),
    "ro": [f"Casa numărul {k} este mare." for k in range(ROWS)],
    "a": [f"House number {k} is big." for k in range(ROWS)],
    "b": [f"House number {k} big big is{' is' * (k % 5)}." for k in range(ROWS)],
    "ref": [f"The house number {k} is large." for k in range(ROWS)],
}
PROCESSES = ("--processes", "1")
MODEL = ("--model", "ro-en-hter-gp-17")
COLUMNS = ("--columns", "source=ro,translation=a")

Assay = Callable[..., Any]


@pytest.fixture
def assay(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Assay:
    monkeypatch.chdir(tmp_path)
    pq.write_table(pa.table(TABLE), "pairs.parquet")

    def call(*arguments: str) -> Any:
        return typer.main.get_command(program).main([*arguments], standalone_mode=False)

    return call


def result(path: str) -> dict[str, list[Any]]:
    columns: dict[str, list[Any]] = pq.read_table(path).to_pydict()
    return columns


def test_quality_beside_the_columns_of_the_file(assay: Assay, capsys: pytest.CaptureFixture[str]) -> None:
    columns = ("--columns", "source=ro,translation=a,result=hter")
    assay("quality", "*.parquet", "--out", "scored", *MODEL, *columns, *PROCESSES)
    found = result("scored/pairs.parquet")
    scored = Scorer("ro-en-hter-gp-17", src="ro", mt="a", out="hter")(pa.table(TABLE)).to_pydict()
    assert list(found) == [*TABLE, "hter", "hter_low", "hter_high", "hter_model", "hter_error"]
    assert {name: found[name] for name in TABLE} == TABLE and found["hter"] == pytest.approx(scored["hter"], rel=1e-9)
    assert "scored: 60 rows in 1 file" in capsys.readouterr().err
    assay("quality", "*.parquet", "--out", "scored", *MODEL, *columns, *PROCESSES)
    assert "1 file, 1 of them by an earlier run" in capsys.readouterr().err
    with pytest.raises(InputError, match="results of another run"):
        assay("quality", "*.parquet", "--out", "scored", "--pair", "ro-en", *columns)


def test_the_best_of_systems_row_by_row(assay: Assay) -> None:
    assay("rank", "pairs.parquet", "--out", "ranked", *MODEL, "--columns", "source=ro,A=a,B=b", *PROCESSES)
    found = result("ranked/pairs.parquet")
    for name, column in (("A", "a"), ("B", "b")):
        scored = Scorer("ro-en-hter-gp-17", src="ro", mt=column)(pa.table(TABLE)).to_pydict()
        assert found[f"assay.{name}"] == pytest.approx(scored["assay_quality"], rel=1e-9)
    pairs = zip(found["assay.A"], found["assay.B"], strict=True)
    assert found["assay_best"] == ["A" if first <= second else "B" for first, second in pairs]
    for columns in ("source=ro,A=a", "A=a,B=b"):
        with pytest.raises(InputError, match="columns of the source and of systems"):
            assay("rank", "pairs.parquet", "--out", "other", *MODEL, "--columns", columns)


def test_metrics_of_columns_equal_those_of_sacrebleu(assay: Assay, capsys: pytest.CaptureFixture[str]) -> None:
    assay("score", "pairs.parquet", "--out", "sums", "--columns", "reference=ref,A=a,B=b", "--format", "json", *PROCESSES)
    answer = json.loads(capsys.readouterr().out)
    found = {(row["metric"], row["system"]): row["score"] for row in answer["metrics"]}
    for system, column in (("A", "a"), ("B", "b")):
        for metric, peer in (("bleu", sacrebleu.corpus_bleu), ("chrf", sacrebleu.corpus_chrf), ("ter", sacrebleu.corpus_ter)):
            assert found[metric, system] == pytest.approx(peer(TABLE[column], [TABLE["ref"]]).score, abs=1e-9)
    [bleu] = [row for row in answer["metrics"] if row["metric"] == "bleu" and row["system"] == "B"]
    of_segments = sacrebleu.BLEU(effective_order=True)
    pairs = [
        [of_segments.sentence_score(text, [TABLE["ref"][k]]).score for text in (TABLE["a"][k], TABLE["b"][k])] for k in range(ROWS)
    ]
    assert (bleu["wins"], bleu["losses"]) == (sum(b > a for a, b in pairs), sum(b < a for a, b in pairs))
    assert {verdict["baseline"] for verdict in answer["verdicts"]} == {"A"}
    with pytest.raises(SystemExit):
        assay("score", "pairs.parquet", "--out", "sums", "--columns", "reference=ref,A=a,B=b", "--fail-below", "bleu=99", "-q")


def test_several_references_are_columns(assay: Assay, capsys: pytest.CaptureFixture[str]) -> None:
    columns = "reference=ref,reference=a,A=b"
    assay("score", "pairs.parquet", "--out", "sums", "--columns", columns, "--metrics", "bleu", "--format", "json", *PROCESSES)
    [row] = json.loads(capsys.readouterr().out)["metrics"]
    assert row["score"] == pytest.approx(sacrebleu.corpus_bleu(TABLE["b"], [TABLE["ref"], TABLE["a"]]).score, abs=1e-9)


PAIRS = ("in/pairs.jsonl:ro", "in/pairs.jsonl:a", *PROCESSES)


@pytest.fixture
def pairs(assay: Assay) -> Path:
    path = Path("in/pairs.jsonl")
    path.parent.mkdir()
    path.write_text("".join(json.dumps({"ro": "Casa.", "a": text}) + "\n" for text in ("House.", "A big house.")))
    return path


@pytest.mark.parametrize(
    "command", [("filter", *PAIRS, "--max-words", "2"), ("select", *PAIRS, "--method", "quality", "--pairs", "1", *MODEL)]
)
def test_filters_and_selections_replace_no_input_and_no_other_file(assay: Assay, pairs: Path, command: tuple[str, ...]) -> None:
    before = pairs.read_bytes()
    for options in ((), ("--replace",)):
        with pytest.raises(InputError, match=r"in/pairs\.jsonl is an input of this command"):
            assay("corpus", *command, "--out", "in/", *options)
    Path("out").mkdir()
    Path("out/pairs.jsonl").write_text("mine\n")
    with pytest.raises(InputError, match=r"out/pairs\.jsonl is there already"):
        assay("corpus", *command, "--out", "out")
    assert pairs.read_bytes() == before and list(Path("in").iterdir()) == [pairs]
    assert [path.name for path in Path("out").iterdir()] == ["pairs.jsonl"]
    assay("corpus", *command, "--out", "out", "--replace")
    assert len(Path("out/pairs.jsonl").read_text().splitlines()) == 1


def test_a_mistyped_column_blocks_no_folder(assay: Assay, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        assay("quality", "*.parquet", "--out", "scored", *MODEL, "--columns", "source=or,translation=a", *PROCESSES)
    said = capsys.readouterr().err
    assert "no result for pairs.parquet: invalid-table" in said and "is missing" not in said
    assay("quality", "*.parquet", "--out", "scored", *MODEL, "--columns", "source=ro,translation=a", *PROCESSES)
    assert "scored: 60 rows in 1 file" in capsys.readouterr().err


def test_an_interrupted_command_ends_at_once_and_goes_on(tmp_path: Path) -> None:
    for number in range(40):
        columns = {name: [f"{text} {number}" for text in TABLE[name] for _ in range(40)] for name in ("ro", "a")}
        pq.write_table(pa.table(columns), tmp_path / f"pairs{number}.parquet")
    columns_of_texts = ("--columns", "source=ro,translation=a", "--processes", "2")
    command = [
        sys.executable,
        "-m",
        "app",
        "quality",
        f"{tmp_path}/*.parquet",
        "--out",
        f"{tmp_path}/out",
        *MODEL,
        *columns_of_texts,
    ]
    with (tmp_path / "log").open("w") as log:
        process = subprocess.Popen(command, cwd=ROOT, stderr=log, start_new_session=True)
    deadline = time.monotonic() + 120
    while not (finished := list((tmp_path / "out").glob("*.parquet"))):
        assert time.monotonic() < deadline
        time.sleep(0.05)
    os.killpg(process.pid, signal.SIGINT)
    assert process.wait(15) == 130
    deadline = time.monotonic() + 5
    with pytest.raises(ProcessLookupError):
        while time.monotonic() < deadline:
            os.killpg(process.pid, 0)
            time.sleep(0.05)
    said = (tmp_path / "log").read_text()
    assert "Traceback" not in said and "interrupted; the same command goes on where this one ended" in said
    assert 0 < len(list((tmp_path / "out").glob("*.parquet"))) < 40 and finished[0].exists()


class LostCluster:
    """A cluster of Ray whose raylet dies with the first task."""

    def __init__(self) -> None:
        self.exceptions = pytest.importorskip("ray", reason="the extra cluster is not installed").exceptions

    def remote(self, *_: object, **__: object) -> Any:
        return lambda function: self

    put = remote

    def cluster_resources(self) -> dict[str, float]:
        return {"CPU": 1}

    def wait(self, references: list[Any], **_: object) -> tuple[list[Any], list[Any]]:
        return references, []

    def get(self, reference: Any) -> Any:
        raise self.exceptions.LocalRayletDiedError


def test_a_lost_cluster_is_one_sentence(assay: Assay, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("app.scale.executors.ray_tasks.connected", lambda address: LostCluster())
    with pytest.raises(SystemExit) as end:
        assay("quality", "pairs.parquet", "--out", "out", *MODEL, *COLUMNS, "--cluster", "auto")
    assert end.value.code == 1
    [line] = capsys.readouterr().err.splitlines()
    assert line.startswith("out: the cluster of Ray at auto was lost: ")
    assert line.endswith("; the same command goes on where this one ended")


def test_a_termination_ends_processes_that_are_about_to_begin(tmp_path: Path) -> None:
    pq.write_table(pa.table(TABLE), tmp_path / "pairs.parquet")
    command = ["quality", f"{tmp_path}/pairs.parquet", "--out", f"{tmp_path}/out", *MODEL, *COLUMNS, "--processes", "2"]
    with (tmp_path / "log").open("w") as log:
        process = subprocess.Popen([sys.executable, "-m", "app", *command], cwd=ROOT, stderr=log, start_new_session=True)
    deadline = time.monotonic() + 120
    while not any("spawn_main" in Path(f"/proc/{child}/cmdline").read_text() for child in children(process.pid)):
        assert time.monotonic() < deadline
        time.sleep(0.02)
    process.terminate()
    assert process.wait(15) == 128 + signal.SIGTERM
    with pytest.raises(ProcessLookupError):
        while time.monotonic() < deadline:
            os.killpg(process.pid, 0)
            time.sleep(0.05)
    said = (tmp_path / "log").read_text()
    assert said == f"{tmp_path}/out: interrupted; the same command goes on where this one ended\n"


@pytest.mark.parametrize(
    ("arguments", "reason"),
    [
        (("quality", "pairs.parquet", "--columns", "source=ro"), "goes with --out"),
        (("quality", "pairs.parquet", "--out", "o", *MODEL, "--columns", "target=a"), "target is no role"),
        (("quality", "pairs.parquet", "--out", "o", *MODEL, "--columns", "source"), "source is no column"),
        (("quality", "pairs.parquet", "--out", "o", *MODEL), "no column is a source by its name"),
        (("quality", "pairs.parquet", "--out", "o", *MODEL, "--tokens", "bpe"), "writes results of files"),
        (("score", "pairs.parquet", "--out", "o", "--columns", "A=a"), "columns of references and systems"),
        (("score", "pairs.parquet", "--out", "o", "--columns", "reference=ref,A=a", "-i", "x"), "writes results of files"),
        (("score", "pairs.parquet", "--out", "o", "--columns", "reference=ref,A=a", "--baseline", "C"), "no system of the table"),
        (
            ("quality", "pairs.parquet", "--out", "o", *MODEL, "--columns", "source=ro,translation=a,source=b"),
            "source is named twice",
        ),
        (("rank", "pairs.parquet", "--out", "o", *MODEL, "--columns", "source=ro,A=a,A=b"), "A is named twice"),
        (("score", "pairs.parquet", "--out", "o", "--columns", "reference=ref,A=a,A=b"), "A is named twice"),
        (("quality", "none.parquet", "--out", "o", *MODEL), "there is no such file"),
        (
            ("quality", "pairs.parquet", "--out", "memory://o", *MODEL, "--columns", "source=ro,translation=a"),
            "memory://o is memory of one process",
        ),
        (("quality", "pairs.parquet", "--pair", "ro-en"), "pairs.parquet: tables of Parquet and Arrow need .* --out FOLDER"),
        (("score", "pairs.parquet", "-i", "x.txt"), "need a folder for results"),
        (("quality", "pairs.parquet", "--out", "o", *MODEL, "--warnings"), "--warnings: .* this option does nothing"),
        (("quality", "pairs.parquet", "--out", "o", *MODEL, "--no-warnings"), "--no-warnings: "),
        (("quality", "pairs.parquet", "--out", "o", *MODEL, "--no-header"), "--no-header: "),
        (("quality", "pairs.parquet", "--out", "o", *COLUMNS), "--pair: name the language pair, as --pair ro-en"),
        (("plan", "pairs.parquet", *COLUMNS), "--pair: name the language pair, as --pair ro-en"),
        (("rank", "pairs.parquet", "--out", "o", "--columns", "source=ro,A=a,B=b"), "--pair: name the language pair"),
    ],
)
def test_options_that_do_not_fit_are_refused(assay: Assay, arguments: tuple[str, ...], reason: str) -> None:
    with pytest.raises(InputError, match=reason):
        assay(*arguments)


def test_a_plan_counts_all_rows(assay: Assay, capsys: pytest.CaptureFixture[str]) -> None:
    Path("more.jsonl").write_text("".join(json.dumps({"ro": "Casa.", "a": "House."}) + "\n" for _ in range(7)))
    columns = ("--columns", "source=ro,translation=a")
    assay(
        "plan",
        "pairs.parquet",
        "more.jsonl",
        *MODEL,
        *columns,
        "--processes",
        "1",
        "--processes",
        "9",
        "--price",
        "2",
        "--format",
        "json",
    )
    printed = capsys.readouterr()
    assert "2 parts of files, one process for each at most" in printed.err
    first, last = json.loads(printed.out)
    assert (first["rows"], first["shards"], first["processes"], last["processes"]) == (67, 2, 1, 2)
    assert first["price"] == pytest.approx(first["seconds"] / 1800)
    # Each process, and the program of the run.
    assert first["megabytes"] < last["megabytes"] < 2 * first["megabytes"]
    assert first["rows_per_second"] == first["rows_per_second_each"] == last["rows_per_second_each"] < last["rows_per_second"]


@pytest.mark.parametrize(
    ("name", "text", "rows"),
    [
        ("a.jsonl", '{"src": "Casa.", "mt": "House."}', 1),
        ("a.jsonl", '\n\r\n{"src": "Casa.", "mt": "House."}\n\n{"src": "Casa.", "mt": "House."}\r\n\n', 2),
        ("a.tsv", "src\tmt\nCasa.\tHouse.\n\nCasa.\tHouse.", 2),
        ("a.jsonl", "\n\n\n", 0),
        ("a.tsv", "src\tmt", 0),
        ("a.tsv", "src\tmt\n\n", 0),
    ],
)
def test_a_plan_counts_lines_with_text(
    assay: Assay, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, name: str, text: str, rows: int
) -> None:
    Path(name).write_bytes(text.encode())
    # Several shards, so that lines begin and end in others.
    monkeypatch.setattr("app.scale.files.shards.SHARD_BYTES", 11)
    command = ("plan", name, *MODEL, "--columns", "source=src,translation=mt", "--processes", "1", "--format", "json")
    if rows:
        assay(*command)
        assert json.loads(capsys.readouterr().out)[0]["rows"] == rows
    else:
        with pytest.raises(InputError, match="have no rows"):
            assay(*command)
