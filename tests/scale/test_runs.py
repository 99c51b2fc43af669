"""Runs over files of every kind: results, resumption after kills, and faults that are told and lose nothing."""

import gzip
import json
import multiprocessing
import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from app.errors import InputError
from app.scale.batches import Batch, column_of, with_columns
from app.scale.executors.processes import processes
from app.scale.files import shards as shard_module
from app.scale.files.reading import read_shard
from app.scale.files.shards import Shard, shards_of
from app.scale.files.writing import writer_of
from app.scale.runs import ColumnsTask, Outcome, Summary, run
from app.settings import ROOT

pa = pytest.importorskip("pyarrow", reason="the extra scale is not installed")
import pyarrow.parquet as pq  # noqa: E402 - after the check

CARD = "first"


@dataclass(frozen=True)
class Lengths:
    """Adds the length of a text; a text `bad` is a fault."""

    column: str = "text"
    pause: float = 0.0

    @property
    def errors(self) -> str:
        return "error"

    def cards(self) -> Mapping[str, str]:
        return {"lengths": CARD}

    def __call__(self, batch: Batch) -> Batch:
        time.sleep(self.pause)
        texts = column_of(batch, self.column)
        lengths = np.array([float(len(text)) if isinstance(text, str) else np.nan for text in texts])
        return with_columns(batch, {"length": lengths, "error": ["bad" if text in ("bad", None) else None for text in texts]})


def here(work: Callable[[Shard], Outcome], shards: Sequence[Shard]) -> Iterator[Outcome]:
    return map(work, shards)


def run_here(work: Any, pattern: str, out: Path, kind: str = "", execute: Any = here) -> Summary:
    return run(ColumnsTask(work, str(out), kind), shards_of([pattern]), execute)


def rows(count: int) -> dict[str, list[Any]]:
    return {"id": list(range(count)), "text": [f"row {k} é" * (k % 7) for k in range(count)]}


@pytest.fixture
def small_shards(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(shard_module, "SHARD_ROWS", 100)
    monkeypatch.setattr(shard_module, "SHARD_BYTES", 1000)


def write(folder: Path, kind: str, columns: dict[str, list[Any]]) -> Path:
    path = folder / f"pairs{kind}"
    table = pa.table(columns)
    if kind == ".parquet":
        pq.write_table(table, path, row_group_size=60)
    elif kind == ".arrow":
        with pa.ipc.new_file(path, table.schema) as writer:
            writer.write_table(table, max_chunksize=60)
    elif kind.startswith(".tsv"):
        lines = ["\t".join(columns), *("\t".join(map(str, row)) for row in zip(*columns.values(), strict=True))]
        _pack(path, "\n".join(lines) + "\n", kind)
    else:
        objects = [dict(zip(columns, row, strict=True)) for row in zip(*columns.values(), strict=True)]
        _pack(path, "".join(json.dumps(row) + "\n" for row in objects), kind)
    return path


def _pack(path: Path, text: str, kind: str) -> None:
    raw = text.encode()
    if kind.endswith(".gz"):
        raw = gzip.compress(raw)
    elif kind.endswith(".zst"):
        raw = pa.compress(raw, "zstd", asbytes=True)
    path.write_bytes(raw)


def read(folder: Path) -> dict[str, list[Any]]:
    """Rows of all results in the order of their names, as texts and numbers."""
    columns: dict[str, list[Any]] = {}
    for shard in shards_of([f"{folder}/pairs*"]):
        for batch in read_shard(shard):
            for name in batch if isinstance(batch, dict) else batch.schema.names:
                columns.setdefault(name, []).extend(column_of(batch, name))
    return columns


KINDS = (".parquet", ".arrow", ".tsv", ".tsv.gz", ".tsv.zst", ".jsonl", ".jsonl.gz")


@pytest.mark.usefixtures("small_shards")
@pytest.mark.parametrize("kind", KINDS)
def test_every_kind_of_file_is_read_and_written_in_order(kind: str, tmp_path: Path) -> None:
    columns = rows(1000)
    columns["text"][500] = "bad"
    write(tmp_path, kind, columns)
    summary = run_here(Lengths(), f"{tmp_path}/pairs{kind}", tmp_path / "out")
    assert (summary.rows, summary.faults, summary.failures) == (1000, 1, ())
    assert summary.shards == (1 if kind.endswith(("gz", "zst")) else summary.shards) and (
        summary.shards > 4 or kind.endswith(("gz", "zst"))
    )
    found = read(tmp_path / "out")
    assert list(map(int, found["id"])) == columns["id"] and found["text"] == columns["text"]
    assert list(map(float, found["length"])) == [len(text) for text in columns["text"]]
    assert [error or None for error in found["error"]] == ["bad" if k == 500 else None for k in range(1000)]


@pytest.mark.parametrize("kind", [".parquet", ".tsv", ".jsonl"])
def test_kinds_are_converted(kind: str, tmp_path: Path) -> None:
    write(tmp_path, ".jsonl", rows(50))
    run_here(Lengths(), f"{tmp_path}/pairs.jsonl", tmp_path / "out", kind)
    assert list(map(float, read(tmp_path / "out")["length"])) == [len(text) for text in rows(50)["text"]]


@settings(max_examples=60, deadline=None)
@given(
    st.lists(st.text(st.characters(exclude_characters="\n\r\0", exclude_categories=["Cs"]), max_size=30), max_size=30),
    st.integers(1, 200),
)
def test_each_line_belongs_to_one_shard(texts: list[str], size: int) -> None:
    import tempfile

    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "pairs.jsonl"
        path.write_text("".join(json.dumps({"text": text}, ensure_ascii=False) + "\n" for text in texts), encoding="utf-8")
        total = path.stat().st_size
        bounds = [*range(0, total, size), total]
        [whole] = shards_of([str(path)])
        parts = [replace(whole, begin=begin, end=end) for begin, end in pairwise(bounds)]
        found = [text for part in parts for batch in read_shard(part) for text in column_of(batch, "text")]
        assert found == texts


@pytest.mark.usefixtures("small_shards")
def test_a_finished_shard_is_never_computed_again(tmp_path: Path) -> None:
    write(tmp_path, ".parquet", rows(1000))
    computed: list[str] = []

    def until(limit: int) -> Any:
        def execute(work: Callable[[Shard], Outcome], shards: Sequence[Shard]) -> Iterator[Outcome]:
            for shard in shards[:limit]:
                computed.append(shard.output(".parquet"))
                yield work(shard)
            if limit < len(shards):
                raise KeyboardInterrupt

        return execute

    pattern, out = f"{tmp_path}/pairs.parquet", tmp_path / "out"
    with pytest.raises(KeyboardInterrupt):
        run_here(Lengths(), pattern, out, execute=until(3))
    (out / "pairs-00001-of-00009.parquet").unlink(missing_ok=True)
    summary = run_here(Lengths(), pattern, out, execute=until(100))
    assert summary.rows == 1000 and len(computed) == summary.shards + len(set(computed) & {"pairs-00001-of-00009.parquet"})
    assert run_here(Lengths(), pattern, out, execute=until(100)).earlier == summary.shards
    with pytest.raises(InputError, match="results of another run"):
        run_here(Lengths(pause=0.001), pattern, out)


def test_an_interrupted_report_ends_the_executor(tmp_path: Path) -> None:
    is_closed: list[bool] = []

    def execute(work: Callable[[Shard], Outcome], shards: Sequence[Shard]) -> Iterator[Outcome]:
        try:
            yield from map(work, shards)
        finally:
            is_closed.append(True)

    def report(*_: object) -> None:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt) as error:
        run(ColumnsTask(Lengths(), str(tmp_path / "out")), shards_of([str(write(tmp_path, ".tsv", rows(10)))]), execute, report)
    # While the frames of the traceback are there.
    assert error.tb is not None and is_closed


def test_another_version_of_the_model_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    pattern, out = str(write(tmp_path, ".tsv", rows(10))), tmp_path / "out"
    run_here(Lengths(), pattern, out)
    plan = json.loads((out / "_assay" / "plan.json").read_text())
    assert plan["models"] == {"lengths": "first"} and run_here(Lengths(), pattern, out).earlier == 1
    monkeypatch.setitem(globals(), "CARD", "second")
    with pytest.raises(InputError, match=r"results of another run or of another version of the model \(other models\)"):
        run_here(Lengths(), pattern, out)


@pytest.mark.usefixtures("small_shards")
def test_killed_processes_change_no_byte(tmp_path: Path) -> None:
    write(tmp_path, ".parquet", rows(3000))
    run_here(Lengths(), f"{tmp_path}/pairs.parquet", tmp_path / "calm")
    is_over = threading.Event()

    def kill() -> None:
        kills = 0
        while not is_over.wait(0.6) and kills < 3:
            for child in children(os.getpid()):
                if "spawn_main" in Path(f"/proc/{child}/cmdline").read_text():
                    os.kill(child, signal.SIGKILL)
                    kills += 1
                    break

    killer = threading.Thread(target=kill)
    killer.start()
    summary = run_here(Lengths(pause=0.1), f"{tmp_path}/pairs.parquet", tmp_path / "out", execute=processes(2))
    is_over.set()
    killer.join()
    assert summary.rows == 3000 and not summary.failures
    names = sorted(path.name for path in (tmp_path / "calm").glob("*.parquet"))
    assert names == sorted(path.name for path in (tmp_path / "out").glob("*.parquet")) and len(names) > 20
    assert all((tmp_path / "calm" / name).read_bytes() == (tmp_path / "out" / name).read_bytes() for name in names)


def children(pid: int) -> list[int]:
    return [int(child) for path in Path(f"/proc/{pid}/task").glob("*/children") for child in path.read_text().split()]


@pytest.mark.usefixtures("small_shards")
def test_a_killed_command_leaves_no_process_and_nothing_that_stays(tmp_path: Path) -> None:
    write(tmp_path, ".parquet", rows(2000))
    run_here(Lengths(), f"{tmp_path}/pairs.parquet", tmp_path / "calm")
    shards, task = shards_of([f"{tmp_path}/pairs.parquet"]), ColumnsTask(Lengths(pause=0.2), f"{tmp_path}/out")
    command = multiprocessing.get_context("spawn").Process(target=in_processes, args=(task, shards))
    command.start()
    while not list((tmp_path / "out").glob("*.parquet")):
        time.sleep(0.05)
    workers = [child for child in children(int(command.pid or 0)) if "spawn_main" in Path(f"/proc/{child}/cmdline").read_text()]
    assert len(workers) == 2
    command.kill()
    command.join()
    deadline = time.monotonic() + 20
    while any(Path(f"/proc/{worker}").exists() for worker in workers):
        assert time.monotonic() < deadline
        time.sleep(0.05)
    (tmp_path / "out" / ".0123456789abcdef.new").write_text("part")
    summary = run(task, shards, here)
    assert summary.rows == 2000 and summary.earlier > 0
    names = sorted(path.name for path in (tmp_path / "calm").iterdir())
    assert names == sorted(path.name for path in (tmp_path / "out").iterdir())
    assert all(
        (tmp_path / "calm" / name).read_bytes() == (tmp_path / "out" / name).read_bytes() for name in names if name != "_assay"
    )


def in_processes(task: ColumnsTask, shards: Sequence[Shard]) -> None:
    run(task, shards, processes(2))


@pytest.mark.usefixtures("small_shards")
def test_a_bad_shard_is_named_and_the_others_are_finished(tmp_path: Path) -> None:
    good = write(tmp_path, ".tsv", rows(30))
    good.rename(tmp_path / "good.tsv")
    (tmp_path / "empty.tsv").write_text("")
    (tmp_path / "twice.tsv").write_text("text\ttext\na\tb\n")
    (tmp_path / "cut.tsv.gz").write_bytes(gzip.compress(b"id\ttext\n" + b"1\tx\n" * 1000)[:-10])
    (tmp_path / "bytes.tsv").write_bytes(b"id\ttext\xff\n1\ta\n")
    (tmp_path / "other.tsv").write_text("id\tsource\n1\ta\n")
    (tmp_path / "footer.parquet").write_bytes(b"PAR1 this is none PAR1")
    (tmp_path / "nothing.arrow").write_bytes(b"")
    summary = run_here(Lengths(), f"{tmp_path}/*.*", tmp_path / "out")
    assert summary.rows == 30
    assert {failure.output: (failure.error or "").partition(":")[0] for failure in summary.failures} == {
        "empty.tsv": "empty-input", "bytes.tsv": "invalid-encoding", "other.tsv": "invalid-table", "twice.tsv": "invalid-table",
        "cut.tsv.gz": "invalid-table", "footer.parquet": "invalid-table", "nothing.arrow": "invalid-table",
    }  # fmt: skip
    assert [path.name for path in (tmp_path / "out").glob("*.tsv")] == ["good.tsv"]


def test_damaged_packed_lines_print_nothing(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    for kind in (".tsv.gz", ".tsv.zst"):
        path = write(tmp_path, kind, rows(100))
        path.write_bytes(path.read_bytes()[:-10])
    summary = run_here(Lengths(), f"{tmp_path}/*", tmp_path / "out")
    assert len(summary.failures) == 2 and capfd.readouterr() == ("", "")


def test_files_that_change_and_files_of_no_kind_are_refused(tmp_path: Path) -> None:
    path = write(tmp_path, ".tsv", rows(10))
    [shard] = shards_of([str(path)])
    path.write_text("id\ttext\n")
    with pytest.raises(InputError, match="changed"):
        list(read_shard(shard))
    (tmp_path / "x.docx").write_bytes(b"PK")
    for pattern, reason in (("x.docx", "of no kind"), ("none.tsv", "no such file"), ("*.none", "no file matches")):
        with pytest.raises(InputError, match=reason):
            shards_of([f"{tmp_path}/{pattern}"])
    for name in ("broken.parquet", "broken.arrow"):
        (tmp_path / name).write_bytes(b"PAR1 this is none PAR1")
        with pytest.raises(InputError, match=rf"{name} cannot be read"):
            list(read_shard(shards_of([f"{tmp_path}/{name}"])[0]))


@pytest.mark.parametrize("kind", [".parquet", ".arrow", ".tsv", ".tsv.gz", ".jsonl"])
def test_a_table_without_rows_gives_one_without_rows(kind: str, tmp_path: Path) -> None:
    write(tmp_path, kind, {"id": [], "text": []})
    summary = run_here(Lengths(), f"{tmp_path}/pairs{kind}", tmp_path / "out")
    assert (summary.shards, summary.rows, summary.failures) == (1, 0, ())
    found = read(tmp_path / "out")
    assert all(values == [] for values in found.values()) and (kind == ".jsonl" or list(found) == ["id", "text", "length", "error"])


def test_a_lone_surrogate_stays_as_it_was_written(tmp_path: Path) -> None:
    (tmp_path / "pairs.jsonl").write_text('{"text": "é \\ud800"}\n{"text": "é"}\n')
    run_here(Lengths(), f"{tmp_path}/pairs.jsonl", tmp_path / "out")
    assert [json.loads(line)["text"] for line in (tmp_path / "out" / "pairs.jsonl").read_text().splitlines()] == ["é \ud800", "é"]


def test_memory_as_a_remote_store(tmp_path: Path) -> None:
    import fsspec

    columns = rows(20)
    path = write(tmp_path, ".jsonl", columns)
    with fsspec.open("memory://in/pairs.jsonl", "wb") as file:
        file.write(path.read_bytes())
    summary = run(ColumnsTask(Lengths(), "memory://out", ".parquet"), shards_of(["memory://in/*.jsonl"]), here)
    assert summary.rows == 20 and not summary.failures
    with fsspec.open("memory://out/pairs.parquet", "rb") as file:
        assert pq.read_table(file)["text"].to_pylist() == columns["text"]


def test_hidden_files_of_killed_writers_vanish_beside_failures(tmp_path: Path) -> None:
    write(tmp_path, ".tsv", rows(10))
    (tmp_path / "other.tsv").write_text("id\tsource\n1\ta\n")
    out = tmp_path / "out"
    leftovers = [out / name / ".0123456789abcdef.new" for name in ("", "_assay", "_assay/reports")]
    for path in leftovers:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("part")
    assert len(run_here(Lengths(), f"{tmp_path}/*.tsv", out).failures) == 1
    assert not any(path.exists() for path in leftovers)


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("a\tb", "column text, row 12 of the part: a cell of TSV holds no tab"),
        ("a\nb", "holds no line end"),
        ("a\r", "holds no line end"),
        ("\ud800", "holds no lone surrogate"),
    ],
)
def test_texts_that_no_cell_can_hold_are_refused(text: str, reason: str, tmp_path: Path) -> None:
    texts = ["good"] * 20
    texts[11] = text
    (tmp_path / "pairs.jsonl").write_text("".join(json.dumps({"text": text}) + "\n" for text in texts))
    [failure] = run_here(Lengths(), f"{tmp_path}/pairs.jsonl", tmp_path / "out", ".tsv").failures
    assert reason in str(failure.error) and not list((tmp_path / "out").glob("*.tsv"))


def test_a_name_of_a_column_that_no_cell_can_hold_is_refused(tmp_path: Path) -> None:
    write(tmp_path, ".jsonl", {"text": ["a"], "a\tb": [1]})
    [failure] = run_here(Lengths(), f"{tmp_path}/pairs.jsonl", tmp_path / "out", ".tsv").failures
    assert "the heading: a cell of TSV holds no tab" in str(failure.error)


def written(folder: Path, kind: str, *batches: dict[str, list[Any]]) -> Path:
    path = folder / f"table{kind}"
    with path.open("wb") as file, writer_of(file, path.name) as writer:
        for batch in batches:
            columns = {}
            for name, values in batch.items():
                columns[name] = np.empty(len(values), object)
                columns[name][:] = values
            writer.write(columns)
    return path


@pytest.mark.parametrize("kind", [".parquet", ".arrow"])
def test_columns_keep_the_types_of_the_first_rows(kind: str, tmp_path: Path) -> None:
    first = {"a": [None], "b": [1.5], "c": [["x"]], "d": [1]}
    path = written(tmp_path, kind, first, {"d": [None], "b": [2], "a": ["x"]})
    found = read_shard(shards_of([str(path)])[0])
    assert [row for batch in found for row in batch.to_pylist()] == [
        {"a": None, "b": 1.5, "c": ["x"], "d": 1},
        {"a": "x", "b": 2.0, "c": None, "d": None},
    ]
    for batch, reason in (
        ({"a": [1]}, "column a has values of type int64 after rows of type string"),
        ({"d": [1.5]}, "column d has values of type double after rows of type int64"),
        ({"d": [True]}, "column d has values of type bool"),
        ({"e": [1]}, "column e begins after the first rows"),
        ({"a": ["\ud800"]}, "column a has a text or a key with a lone surrogate"),
        ({"c": [["x", 1]]}, "column c has values of several types"),
    ):
        with pytest.raises(InputError, match=reason):
            written(tmp_path, kind, first, batch)


def test_numbers_that_begin_with_faults_stay_numbers(tmp_path: Path) -> None:
    path = tmp_path / "table.parquet"
    with path.open("wb") as file, writer_of(file, path.name) as writer:
        for value in (np.nan, 0.5):
            writer.write({"score": np.array([value])})
    assert pq.read_table(path)["score"].to_pylist() == [None, 0.5]


def test_rows_of_tabs_keep_the_columns_of_the_first_rows(tmp_path: Path) -> None:
    assert written(tmp_path, ".tsv", {"a": [1], "b": ["x"]}, {"b": ["y"]}).read_text() == "a\tb\n1\tx\n\ty\n"
    with pytest.raises(InputError, match="column c begins after the first rows"):
        written(tmp_path, ".tsv", {"a": [1]}, {"a": [1], "c": [2]})


INTERRUPTION = """
import sys
from app.scale.executors.processes import processes
from app.scale.files import shards
from app.scale.runs import ColumnsTask, run
from tests.scale.test_runs import Lengths

if __name__ == "__main__":
    shards.SHARD_ROWS = 100
    found = shards.shards_of([sys.argv[1] + "/pairs.parquet"])
    run(ColumnsTask(Lengths(pause=0.3), sys.argv[1] + "/out"), found, processes(2))
"""


@pytest.mark.parametrize("is_terminal", [False, True])
def test_an_interruption_ends_all_processes_at_once(is_terminal: bool, tmp_path: Path) -> None:
    write(tmp_path, ".parquet", rows(9000))
    script = tmp_path / "script.py"
    script.write_text(INTERRUPTION)
    path = os.pathsep.join([str(ROOT), os.environ.get("PYTHONPATH", "")])
    environment = {**os.environ, "PYTHONPATH": path}
    command = subprocess.Popen([sys.executable, str(script), str(tmp_path)], env=environment, start_new_session=True)
    deadline = time.monotonic() + 60
    while len(list((tmp_path / "out").glob("*.parquet"))) < 3:
        assert time.monotonic() < deadline
        time.sleep(0.05)
    processes_of_command = children(command.pid)
    # Of Ctrl-C in a terminal, all processes get the signal.
    os.killpg(command.pid, signal.SIGINT) if is_terminal else command.send_signal(signal.SIGINT)
    assert command.wait(10) == -signal.SIGINT
    deadline = time.monotonic() + 5
    while any(Path(f"/proc/{process}").exists() for process in processes_of_command):
        assert time.monotonic() < deadline
        time.sleep(0.05)
    assert len(list((tmp_path / "out").glob("*.parquet"))) < 20
