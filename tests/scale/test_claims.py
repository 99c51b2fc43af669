"""Folders of results: inputs and files of others stay as they are, one run writes at a time, and results are of the inputs."""

import errno
import json
import os
import signal
import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from app.errors import InputError
from app.scale.batches import Batch
from app.scale.executors.processes import processes
from app.scale.files.shards import Shard, shards_of
from app.scale.runs import ColumnsTask, Outcome, run
from app.scale.selection import ScoresTask, SelectionTask
from app.scale.statistics import StatisticsTask, corpus_statistics
from tests.scale.test_runs import Lengths, here, rows, run_here, write

pa = pytest.importorskip("pyarrow", reason="the extra parquet is not installed")
import pyarrow.parquet as pq  # noqa: E402 - after the check

TABLE = "text\nfirst\nsecond\n"
PLAN = '{"version": 1, "task": 1, "models": 1, "outputs": [["a"]]}'
ROWS = "".join(json.dumps({"text": text, "score": 1}) + "\n" for text in ("first", "second"))


def tables(folder: Path, *names: str) -> list[Path]:
    folder.mkdir(exist_ok=True)
    paths = [folder / name for name in names]
    for path in paths:
        path.write_text(TABLE if path.suffix == ".tsv" else ROWS)
    return paths


def contents(folder: Path) -> dict[str, bytes]:
    return {str(path.relative_to(folder)): path.read_bytes() for path in sorted(folder.rglob("*")) if path.is_file()}


@pytest.mark.parametrize(("folder", "out"), [("in", "in"), ("in", "./in/../in"), ("in", "link"), ("link", "in")])
def test_no_result_takes_the_place_of_an_input(folder: str, out: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    tables(tmp_path / "in", "a.tsv", "b.tsv")
    (tmp_path / "link").symlink_to("in")
    before = contents(tmp_path / "in")
    with pytest.raises(InputError, match=r"a\.tsv is an input of this command"):
        run(ColumnsTask(Lengths(), out), shards_of([f"{folder}/*.tsv"]), here, replace=True)
    assert contents(tmp_path / "in") == before


def test_an_input_in_a_store_is_no_place_of_a_result() -> None:
    import fsspec

    with fsspec.open("memory://same/pairs.tsv", "wb") as file:
        file.write(TABLE.encode())
    with pytest.raises(InputError, match=r"pairs\.tsv is an input of this command"):
        run(ColumnsTask(Lengths(), "memory://same"), shards_of(["memory://same/*.tsv"]), here)


def test_files_of_others_stay_unless_they_are_to_be_replaced(tmp_path: Path) -> None:
    tables(tmp_path / "in", "a.tsv", "b.tsv")
    [other] = tables(tmp_path / "out", "b.tsv")
    other.write_text("mine\n")
    with pytest.raises(InputError, match=r"out/b\.tsv is there already"):
        run_here(Lengths(), f"{tmp_path}/in/*", tmp_path / "out")
    assert contents(tmp_path / "out") == {"b.tsv": b"mine\n"}
    run(ColumnsTask(Lengths(), f"{tmp_path}/out"), shards_of([f"{tmp_path}/in/*"]), here, replace=True)
    assert other.read_text() == "text\tlength\terror\nfirst\t5.0\t\nsecond\t6.0\t\n"


def test_two_inputs_with_results_of_one_name_are_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("app.scale.files.shards.SHARD_ROWS", 100)
    monkeypatch.chdir(tmp_path)
    folder = tmp_path / "in"
    tables(folder, "x.jsonl", "x.tsv")
    pq.write_table(pa.table(rows(300)), folder / "train.parquet", row_group_size=100)
    pq.write_table(pa.table(rows(10)), folder / "train-00001-of-00003.parquet")
    for below in ("a", "b"):
        tables(folder / below, "part.tsv")
    out = f"{tmp_path}/out"
    texts = {"A": "text"}
    for task, first, second in (
        (ColumnsTask(Lengths(), out, ".parquet"), "x.jsonl", "x.tsv"),
        (StatisticsTask(("bleu",), texts, ("text",), out), "a/part.tsv", "b/part.tsv"),
        (ScoresTask("score", out), "a/part.tsv", "b/part.tsv"),
        (ColumnsTask(Lengths(), out), "train.parquet", "train-00001-of-00003.parquet"),
        (ColumnsTask(Lengths(), out), "a/part.tsv", "b/part.tsv"),
    ):
        with pytest.raises(InputError) as error:
            run(task, shards_of([f"{folder}/{first}", f"{folder}/{second}"]), here)
        assert f"{folder}/{first} and {folder}/{second} would both be" in error.value.detail
    assert not Path(out).exists()
    run(ColumnsTask(Lengths(), out), shards_of([f"{folder}/x.tsv", "./in/x.tsv", "in/*.tsv"]), here)


def test_sums_and_scores_have_the_whole_names_of_their_files(tmp_path: Path) -> None:
    tables(tmp_path / "in", "x.jsonl", "x.tsv")
    shards = shards_of([f"{tmp_path}/in/*"])
    sums = StatisticsTask(("bleu",), {"A": "text"}, ("text",), f"{tmp_path}/sums")
    assert run(sums, shards, here).rows == corpus_statistics(sums, shards).segments == 4
    assert sorted(path.name for path in (tmp_path / "sums").glob("*.npz")) == ["x.jsonl.npz", "x.tsv.npz"]
    assert [ScoresTask("score", "").output(shard) for shard in shards] == ["x.jsonl.npy", "x.tsv.npy"]


def test_a_folder_has_one_run_at_a_time(tmp_path: Path) -> None:
    tables(tmp_path / "in", "a.tsv", "b.tsv")
    shards, task = shards_of([f"{tmp_path}/in/*"]), ColumnsTask(Lengths(), f"{tmp_path}/out")
    refusals: list[str] = []

    def second(*_: object) -> None:
        for other in (task, ColumnsTask(Lengths("other"), f"{tmp_path}/out")):
            with pytest.raises(InputError) as error:
                run(other, shards, here)
            refusals.append(error.value.detail)

    assert run(task, shards, here, second).rows == 4
    assert len(refusals) == 4 and all(f"in use by process {os.getpid()} of " in refusal for refusal in refusals)
    assert run(task, shards, here).earlier == 2


def test_equal_runs_at_once_give_whole_results(tmp_path: Path) -> None:
    tables(tmp_path / "in", *(f"{number}.tsv" for number in range(20)))
    shards, task = shards_of([f"{tmp_path}/in/*"]), ColumnsTask(Lengths(pause=0.01), f"{tmp_path}/out")
    results: list[Any] = []

    def work() -> None:
        try:
            results.append(run(task, shards, here))
        except InputError as error:
            results.append(error)

    threads = [threading.Thread(target=work) for _ in range(3)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    errors = [result for result in results if isinstance(result, InputError)]
    assert len(errors) < 3 and all("in use" in error.detail for error in errors)
    assert all(not result.failures and result.rows == 40 for result in results if result not in errors)


def test_a_store_that_another_run_takes_is_an_error() -> None:
    import fsspec

    with fsspec.open("memory://taken/in/a.tsv", "wb") as file:
        file.write(TABLE.encode())
    shards = shards_of(["memory://taken/in/*"])

    def take(*_: object) -> None:
        with fsspec.open("memory://taken/out/_assay/plan.json") as file:
            plan = json.loads(file.read())
        with fsspec.open("memory://taken/out/_assay/plan.json", "wb") as file:
            file.write(json.dumps({**plan, "task": {}}).encode())

    with pytest.raises(InputError, match="taken by another run meanwhile"):
        run(ColumnsTask(Lengths(), "memory://taken/out"), shards, here, take)


@pytest.mark.parametrize("text", ["{", "", "[]", "null", "{}", '{"version": 1, "task": 1, "models": 1, "outputs": 1}', PLAN, "\0"])
def test_a_damaged_plan_is_not_the_absence_of_one(text: str, tmp_path: Path) -> None:
    tables(tmp_path / "in", "a.tsv", "b.tsv")
    run_here(Lengths(), f"{tmp_path}/in/*", tmp_path / "out")
    (tmp_path / "out" / "_assay" / "plan.json").write_text(text)
    before = contents(tmp_path / "out")
    for work in (Lengths(), Lengths(pause=0.001)):
        with pytest.raises(InputError, match=r"plan\.json is damaged.*name another folder"):
            run_here(work, f"{tmp_path}/in/*", tmp_path / "out")
    assert contents(tmp_path / "out") == before


def test_a_store_that_does_not_answer_is_not_the_absence_of_a_plan(monkeypatch: pytest.MonkeyPatch) -> None:
    import fsspec
    from fsspec.implementations.memory import MemoryFileSystem

    with fsspec.open("memory://silent/in/a.tsv", "wb") as file:
        file.write(TABLE.encode())
    shards = shards_of(["memory://silent/in/*"])
    run(ColumnsTask(Lengths(), "memory://silent/out"), shards, here)
    answer = MemoryFileSystem.info

    def info(self: Any, path: str, **options: Any) -> Any:
        if path.endswith("plan.json"):
            raise OSError("no answer")
        return answer(self, path, **options)

    monkeypatch.setattr(MemoryFileSystem, "info", info)
    with pytest.raises(InputError, match="no answer"):
        run(ColumnsTask(Lengths(pause=0.001), "memory://silent/out"), shards, here)


@dataclass
class Counting:
    """An executor of this process that lists the shards."""

    names: list[str]

    def __call__(self, work: Callable[[Shard], Outcome], shards: Sequence[Shard]) -> Iterator[Outcome]:
        for shard in shards:
            self.names.append(Path(shard.address).name)
            yield work(shard)


def computed(folder: Path, out: Path, work: Any = None) -> list[str]:
    """Names of the inputs that a run computes."""
    execute = Counting([])
    assert not run_here(work or Lengths(), f"{folder}/*", out, execute=execute).failures
    return execute.names


def test_a_cut_result_and_records_of_another_shape_are_done_again(tmp_path: Path) -> None:
    folder, out = tmp_path / "in", tmp_path / "out"
    tables(folder, "a.tsv", "b.tsv")
    assert computed(folder, out) == ["a.tsv", "b.tsv"] and computed(folder, out) == []
    before = {name: text for name, text in contents(out).items() if "/" not in name}
    os.truncate(out / "b.tsv", 10)
    assert computed(folder, out) == ["b.tsv"]
    record = out / "_assay" / "a.tsv.json"
    whole = json.loads(record.read_text())
    values: list[Any] = [[], None, 3, "text", {}, {**whole, "rows": "2"}, {**whole, "work": 1}]
    for value in values:
        record.write_text(json.dumps(value))
        assert computed(folder, out) == ["a.tsv"], value
    record.write_text("{")
    assert computed(folder, out) == ["a.tsv"]
    record.write_text(json.dumps({**whole, "later": 1}))
    assert computed(folder, out) == []
    (out / "a.tsv").unlink()
    assert computed(folder, out) == ["a.tsv"]
    assert {name: text for name, text in contents(out).items() if "/" not in name} == before


def test_damaged_sums_and_scores_are_done_again(tmp_path: Path) -> None:
    tables(tmp_path / "in", "a.jsonl", "b.jsonl")
    shards = shards_of([f"{tmp_path}/in/*"])
    sums = StatisticsTask(("bleu",), {"A": "text"}, ("text",), f"{tmp_path}/sums")
    for task in (sums, ScoresTask("score", f"{tmp_path}/scores")):
        run(task, shards, here)
        path = Path(task.out) / task.output(shards[1])
        before = path.read_bytes()
        for part in (slice(0, 20), slice(40, 90), slice(-20, None)):
            raw = bytearray(before)
            raw[part] = bytes(255 - byte for byte in raw[part])
            # Numbers of scores have no checksum.
            if task is sums or part.start == 0:
                path.write_bytes(raw)
                execute = Counting([])
                assert run(task, shards, execute).rows == 4 and execute.names == ["b.jsonl"]
                assert path.read_bytes() == before
    assert corpus_statistics(sums, shards).segments == 4


def test_repaired_and_added_inputs_are_done_and_the_others_stay(tmp_path: Path) -> None:
    folder, out = tmp_path / "in", tmp_path / "out"
    [_, broken] = tables(folder, "a.tsv", "b.tsv")
    broken.write_text("other\nx\n")
    assert [failure.output for failure in run_here(Lengths(), f"{folder}/*", out).failures] == ["b.tsv"]
    tables(folder, "b.tsv", "c.tsv")
    assert computed(folder, out) == ["b.tsv", "c.tsv"] and computed(folder, out) == []
    tables(folder, "a.tsv")
    (folder / "a.tsv").write_text("text\nother\n")
    assert computed(folder, out) == ["a.tsv"] and "other" in (out / "a.tsv").read_text()
    # Of a run of some of the inputs, the results of the others would stay.
    (folder / "c.tsv").unlink()
    with pytest.raises(InputError, match=r"out/c\.tsv is one of 1 results of inputs that are gone"):
        computed(folder, out)
    (out / "c.tsv").unlink()
    assert computed(folder, out) == []
    tables(out, "d.tsv")
    tables(folder, "d.tsv")
    with pytest.raises(InputError, match=r"out/d\.tsv is there already"):
        computed(folder, out)


def test_a_changed_input_that_fails_leaves_no_result_of_its_earlier_version(tmp_path: Path) -> None:
    folder, out = tmp_path / "in", tmp_path / "out"
    tables(folder, "a.tsv", "b.tsv")
    computed(folder, out)
    (folder / "a.tsv").write_text("other\nx\n")
    assert [failure.output for failure in run_here(Lengths(), f"{folder}/*", out).failures] == ["a.tsv"]
    assert sorted(contents(out)) == ["_assay/b.tsv.json", "_assay/lock", "_assay/plan.json", "b.tsv"]
    # Results that others have written stay, although they may be replaced.
    tables(folder, "c.tsv")[0].write_text("other\nx\n")
    (out / "c.tsv").write_text("mine\n")
    shards = shards_of([f"{folder}/*"])
    assert len(run(ColumnsTask(Lengths(), str(out)), shards, here, replace=True).failures) == 2
    assert (out / "c.tsv").read_text() == "mine\n"


def test_an_input_with_other_parts_is_refused_while_results_of_its_earlier_ones_are_there(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("app.scale.files.shards.SHARD_ROWS", 100)
    folder, out = tmp_path / "in", tmp_path / "out"
    folder.mkdir()
    write(folder, ".parquet", rows(300))
    computed(folder, out)
    write(folder, ".parquet", rows(900))
    with pytest.raises(InputError, match=r"pairs-00000-of-00003\.parquet is one of 3 results .* other parts now"):
        computed(folder, out)
    for path in out.glob("*.parquet"):
        path.unlink()
    assert len(computed(folder, out)) == 8


def test_a_renamed_folder_has_the_results_of_its_run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    tables(tmp_path / "in", "a.jsonl")
    shards = shards_of([f"{tmp_path}/in/*"])

    def earlier(out: str) -> list[int]:
        scores = ScoresTask("score", f"{out}/_assay/scores")
        tasks = (scores, SelectionTask(scores, "0.5", out), ColumnsTask(Lengths(), f"{out}/lengths"))
        return [run(task, shards, here).earlier for task in tasks]

    assert earlier("first") == [0, 0, 0]
    assert earlier("./first") == earlier(f"{tmp_path}/first") == [1, 1, 1]
    Path("first").rename("second")
    assert earlier("second") == [1, 1, 1]
    # A column may have the name of a folder.
    run(ColumnsTask(Lengths("text"), "text"), shards, here)
    with pytest.raises(InputError, match="other task"):
        run(ColumnsTask(Lengths("score"), "text"), shards, here)


def test_a_folder_without_results_is_free_for_another_task(tmp_path: Path) -> None:
    folder, out = tmp_path / "in", tmp_path / "out"
    tables(folder, "a.tsv")
    assert run_here(ScoresOfNothing(), f"{folder}/*", out).failures
    assert computed(folder, out) == ["a.tsv"]
    with pytest.raises(InputError, match="results of another run"):
        run_here(ScoresOfNothing(), f"{folder}/*", out)


@dataclass(frozen=True)
class ScoresOfNothing:
    """Work with a fault of its options."""

    errors: str = "error"

    def cards(self) -> Mapping[str, str]:
        return {}

    def __call__(self, batch: Batch) -> Batch:
        raise InputError("invalid-table", "there is no column txet")


@dataclass(frozen=True)
class NoRoom:
    """Work at a full disk."""

    errors: str = "error"

    def cards(self) -> Mapping[str, str]:
        return {}

    def __call__(self, batch: Batch) -> Batch:
        raise OSError(errno.ENOSPC, "No space left on device")


def test_a_full_disk_ends_the_run(tmp_path: Path) -> None:
    tables(tmp_path / "in", "a.tsv", "b.tsv", "c.tsv")
    execute = Counting([])
    with pytest.raises(InputError, match=r"no room for a\.tsv; 0 of 3 files are finished") as error:
        run_here(NoRoom(), f"{tmp_path}/in/*", tmp_path / "out", execute=execute)
    assert error.value.code == "disk-full" and execute.names == ["a.tsv"]
    assert not list((tmp_path / "out").rglob(".*"))


def test_a_full_disk_for_records_ends_the_run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(address: str, value: object) -> None:
        raise OSError(errno.EDQUOT, "Disk quota exceeded", address)

    tables(tmp_path / "in", "a.tsv", "b.tsv")
    monkeypatch.setattr("app.scale.runs.write_json", full)
    with pytest.raises(InputError, match=r"no room for a\.tsv"):
        run_here(Lengths(), f"{tmp_path}/in/*", tmp_path / "out")
    monkeypatch.undo()
    assert computed(tmp_path / "in", tmp_path / "out") == ["a.tsv", "b.tsv"]


def mask_of(shard: Shard) -> Outcome:
    return Outcome(str(signal.SIGINT in signal.pthread_sigmask(signal.SIG_BLOCK, [])), 0, 0)


def test_processes_have_no_interruption_from_their_first_moment_on(tmp_path: Path) -> None:
    [path] = tables(tmp_path, "a.tsv")
    assert [outcome.output for outcome in processes(1)(mask_of, shards_of([str(path)]))] == ["True"]
    assert signal.SIGINT not in signal.pthread_sigmask(signal.SIG_BLOCK, [])


def test_a_folder_without_locks_is_used_without_one(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def no_locks(*_: object) -> None:
        raise OSError(errno.ENOLCK, "No locks available")

    tables(tmp_path / "in", "a.tsv")
    monkeypatch.setattr("fcntl.flock", no_locks)
    leftover = tmp_path / "out" / ".0123456789abcdef.new"
    leftover.parent.mkdir()
    leftover.write_text("of a run that nothing excludes")
    assert computed(tmp_path / "in", tmp_path / "out") == ["a.tsv"] and leftover.exists()


def test_scores_are_of_their_table(tmp_path: Path) -> None:
    tables(tmp_path / "in", "a.jsonl")
    task = ScoresTask("score", f"{tmp_path}/scores")
    run(task, shards_of([f"{tmp_path}/in/*"]), here)
    (tmp_path / "in" / "a.jsonl").write_text('{"text": "x", "score": 7}\n')
    shards = shards_of([f"{tmp_path}/in/*"])
    assert run(task, shards, here).earlier == 0
    assert np.array_equal(task.read(shards[0]), [7.0])
