"""A worker in this process: what becomes of jobs, and what their steps see."""

import os
import threading
import time
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from sqlalchemy import Engine as Database

from app.arrays import Float64s
from app.errors import PROBLEMS
from app.operations.operation import Context, Json, Output, Plan
from app.registry.artifacts import LocalArtifacts
from app.server.jobs import Worker
from app.server.jobs.context import Cancelled, JobContext, Stopping
from app.server.jobs.worker import run_until_told
from app.server.jobs.worker_process import kinds_to_avoid
from app.server.store import DatabaseUnavailableError, JobOrigin, JobQueue, JobStore, JobView, LeaseLostError
from tests.server.jobs.fake_operations import FAKES, RECORDED, fake_tools, one_step, operation

# What a worker does is in no query: one database is enough.
ON_SQLITE = pytest.mark.parametrize("database_url", ["sqlite"], indirect=True)
CHUNKS = [(2, {"numbers": [1, 2]}), (1, {"numbers": [3]})]


@pytest.fixture
def store(database: Database) -> JobStore:
    return JobStore(database)


@pytest.fixture
def queue(database: Database) -> JobQueue:
    return JobQueue(database, 30.0)


@pytest.fixture
def worker(queue: JobQueue, tmp_path: Path) -> Worker:
    return Worker(FAKES, fake_tools(tmp_path), queue, "w", os.getppid(), 20.0)


def take(kind: str, params: dict[str, Any], store: JobStore, queue: JobQueue) -> JobView:
    """Create a job and take it for the worker."""
    store.create(Plan(kind, params, CHUNKS))
    job = queue.take("w")
    assert job is not None
    return job


def run(kind: str, params: dict[str, Any], store: JobStore, queue: JobQueue, worker: Worker) -> JobView:
    job = take(kind, params, store, queue)
    worker.work(job)
    return store.get(job.id)


def test_a_job_runs_to_its_end(store: JobStore, queue: JobQueue, worker: Worker, tmp_path: Path) -> None:
    job = run("learn", {"log": str(tmp_path / "log"), "seconds": 0}, store, queue, worker)
    assert job.summary is not None and (job.state, job.done) == ("succeeded", 3)
    state = np.full(3, 3.0)
    for step in range(RECORDED):
        state = np.cos(state + step) / 3
    assert job.summary["state"] == [value.hex() for value in state.tolist()]
    assert len(job.summary["curve"]) == 4 and store.published(job.id, "curve") == job.summary["curve"]


@ON_SQLITE
@pytest.mark.parametrize(
    ("kind", "code", "detail"),
    [
        ("refuse", "invalid-training-data", "segments: there are too few rows"),
        ("break", "internal-error", "see the log of the worker"),
        ("never", "invalid-job", "kind: this version knows no jobs of this kind"),
        ("removed-long-ago", "invalid-job", "kind: this version knows no jobs of this kind"),
    ],
)
def test_a_job_that_cannot_be_done_says_why(
    kind: str, code: str, detail: str, store: JobStore, queue: JobQueue, worker: Worker
) -> None:
    job = run(kind, {}, store, queue, worker)
    assert job.state == "failed" and job.error is not None
    assert job.error == {"type": f"/problems/{code}", "title": PROBLEMS[code], "detail": detail}


def test_what_a_failed_step_recorded_serves_the_next_try(store: JobStore, queue: JobQueue, worker: Worker, tmp_path: Path) -> None:
    job = run("break", {}, store, queue, worker)
    again = store.retry(job.id)
    assert queue.take("x") is not None
    context = JobContext(fake_tools(tmp_path), queue, "x", again, "finish", lambda: None)
    assert context.recall(lambda: np.ones(1)).tolist() == [0.0]


def stop_after(worker: Worker, steps: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """Stop a worker within its job, as soon as so many steps are computed."""
    computed = []

    def step(*given: Any) -> Float64s:
        computed.append(one_step(*given))
        if len(computed) == steps:
            worker.stop()
        return computed[-1]

    monkeypatch.setattr("tests.server.jobs.fake_operations.one_step", step)


def test_stopping_gives_the_job_back_with_what_it_recorded(
    store: JobStore, queue: JobQueue, worker: Worker, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    log = tmp_path / "log"
    stop_after(worker, 30, monkeypatch)
    job = run("learn", {"log": str(log), "seconds": 0}, store, queue, worker)
    assert (job.state, job.done) == ("running", 3)
    other = Worker(FAKES, fake_tools(tmp_path), queue, "v", os.getppid(), 20.0)
    taken = queue.take("v")
    assert taken is not None
    other.work(taken)
    steps = [int(line) for line in log.read_text().split()]
    assert store.get(job.id).state == "succeeded" and steps == list(range(RECORDED))


@ON_SQLITE
def test_a_chunk_has_a_checkpoint_of_its_own(
    store: JobStore, queue: JobQueue, worker: Worker, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    params = {"log": str(tmp_path / "log"), "seconds": 0}
    undisturbed = run("record", params, store, queue, worker)
    (tmp_path / "log").unlink()
    # In the middle of the second chunk.
    stop_after(worker, 30, monkeypatch)
    job = run("record", params, store, queue, worker)
    assert (job.state, job.done) == ("running", 2)
    other = Worker(FAKES, fake_tools(tmp_path), queue, "v", os.getppid(), 20.0)
    taken = queue.take("v")
    assert taken is not None
    other.work(taken)
    steps = [int(line) for line in (tmp_path / "log").read_text().split()]
    assert steps == [*range(100, 120), *range(300, 320)]
    assert store.get(job.id).summary == undisturbed.summary == {"rows": 2}
    assert list(store.outputs(job.id)) == list(store.outputs(undisturbed.id))


def test_a_large_job_is_handed_over_between_its_chunks(
    store: JobStore, queue: JobQueue, worker: Worker, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("app.server.jobs.turn.SHORTEST_SECONDS", 0.0)
    params = {"log": str(tmp_path / "log"), "seconds": 0}
    large = store.create(Plan("learn", params, [(500, {"numbers": [k]}) for k in range(6)]), JobOrigin("a")).id
    small = store.create(Plan("learn", params, CHUNKS), JobOrigin("b")).id
    taken = []
    while (job := queue.take("w")) is not None:
        taken.append(job.id)
        worker.work(job)
    assert taken[:2] == [large, small] and len(taken) >= 3
    views = [store.get(job) for job in (large, small)]
    assert [(view.state, view.done) for view in views] == [("succeeded", 3000), ("succeeded", 3)]
    assert [output["rows"][0]["n"] for output in store.outputs(large)] == list(range(6))


def test_a_long_step_makes_way_and_goes_on_where_it_was(
    store: JobStore, queue: JobQueue, worker: Worker, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("app.server.jobs.context.LONGEST_TURN_SECONDS", 0.05)
    monkeypatch.setattr("app.server.jobs.lease.LOOK_SECONDS", 0.02)
    undisturbed = run("learn", {"log": str(tmp_path / "other"), "seconds": 0}, store, queue, worker)
    log = tmp_path / "log"
    long = store.create(Plan("learn", {"log": str(log), "seconds": 0.005}, CHUNKS), JobOrigin("a")).id
    small = store.create(Plan("learn", {"log": str(tmp_path / "other"), "seconds": 0}, CHUNKS), JobOrigin("b")).id
    queue.charge("b", 5.0)
    taken = []
    while (job := queue.take("w")) is not None:
        taken.append(job.id)
        if job.id == long and len(taken) == 1:
            queue.charge("a", 60.0)
        worker.work(job)
    assert taken == [long, small, long]
    assert store.get(long).summary == undisturbed.summary
    assert [int(line) for line in log.read_text().split()] == list(range(RECORDED))


@ON_SQLITE
def test_a_step_in_another_process_delays_no_other_job(
    store: JobStore, database: Database, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("signal.signal", lambda *given: None)
    short_job_ended = threading.Event()

    def wait(context: Context, part: Json) -> Output:
        return {"rows": [{"ended": short_job_ended.wait(20)}]}

    kinds = {**FAKES, "outside": operation("outside", lambda context, outputs: [*outputs], wait)}
    long = store.create(Plan("outside", {}, [(1, {})]), JobOrigin("a")).id
    short = store.create(Plan("learn", {"log": str(tmp_path / "log"), "seconds": 0}, CHUNKS), JobOrigin("b")).id
    queues = [JobQueue(database, 30.0, avoid) for avoid in (["outside"], list(FAKES))]
    workers = [Worker(kinds, fake_tools(tmp_path), queue, "w", os.getppid(), 20.0) for queue in queues]
    thread = threading.Thread(target=run_until_told, args=workers)
    thread.start()
    for job, event in ((short, short_job_ended), (long, threading.Event())):
        until = time.monotonic() + 20
        while store.get(job).state != "succeeded" and time.monotonic() < until:
            time.sleep(0.02)
        event.set()
    for worker in workers:
        worker.stop()
    thread.join()
    assert store.get(long).summary == [{"rows": [{"ended": True}]}]


def test_one_thread_of_a_worker_runs_recipes_and_another_runs_the_rest() -> None:
    left_by_first, left_by_second = kinds_to_avoid(False)
    assert left_by_first == ["recipe"]
    assert "recipe" not in left_by_second and {"quality", "train"} <= set(left_by_second)
    (left_by_short,) = kinds_to_avoid(True)
    assert {"recipe", "train"} <= set(left_by_short) and "quality" not in left_by_short


class Away:
    """A queue whose database goes away for a while, after it has kept what it was told or before."""

    def __init__(self, queue: JobQueue, name: str, after: bool, times: int = 2) -> None:
        self.call, self.after, self.times = getattr(queue, name), after, times
        setattr(queue, name, self)

    def __call__(self, *given: Any) -> Any:
        if self.times == 0:
            return self.call(*given)
        self.times -= 1
        if self.after:
            self.call(*given)
            self.after = False
        raise DatabaseUnavailableError


@ON_SQLITE
@pytest.mark.parametrize("after", [False, True])
@pytest.mark.parametrize("name", ["next_chunk", "save_chunk", "cancel_requested", "advance", "publish", "recorded", "comes_before"])
def test_a_database_that_goes_away_loses_nothing(
    name: str, after: bool, store: JobStore, queue: JobQueue, worker: Worker, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("app.server.jobs.waiting.FIRST_SECONDS", 0.01)
    monkeypatch.setattr("app.server.jobs.waiting.LOOK_SECONDS", 0.01)
    monkeypatch.setattr("app.server.jobs.turn.SHORTEST_SECONDS", 0.0)
    Away(queue, name, after)
    job = run("learn", {"log": str(tmp_path / "log"), "seconds": 0}, store, queue, worker)
    assert (job.state, job.done) == ("succeeded", 3)
    assert [int(line) for line in (tmp_path / "log").read_text().split()] == list(range(RECORDED))


def test_what_was_done_is_kept_when_the_database_comes_back(
    store: JobStore, queue: JobQueue, worker: Worker, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("app.server.jobs.waiting.FIRST_SECONDS", 0.01)
    monkeypatch.setattr("app.server.jobs.waiting.LOOK_SECONDS", 0.01)
    Away(queue, "succeed", after=False, times=3)
    assert run("learn", {"log": str(tmp_path / "log"), "seconds": 0}, store, queue, worker).state == "succeeded"
    # Told twice, it is kept once.
    Away(queue, "succeed", after=True, times=1)
    assert run("learn", {"log": str(tmp_path / "log"), "seconds": 0}, store, queue, worker).state == "succeeded"


@ON_SQLITE
@pytest.mark.parametrize("kind", ["swallow", "compute"])
def test_a_step_that_takes_every_exception_for_its_own_or_reports_nothing_is_cancelled(
    kind: str, store: JobStore, queue: JobQueue, worker: Worker, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("app.server.jobs.lease.LOOK_SECONDS", 0.05)
    job = take(kind, {"log": str(tmp_path / "log")}, store, queue)
    threading.Timer(0.1, store.cancel, [job.id]).start()
    begin = time.monotonic()
    worker.work(job)
    # The step alone would take ten seconds or more.
    assert store.get(job.id).state == "cancelled" and time.monotonic() - begin < 8


class Job:
    """A job that was taken, and contexts of its end."""

    def __init__(self, store: JobStore, queue: JobQueue, folder: Path) -> None:
        store.create(Plan("learn", {"a": 1}, CHUNKS))
        view = queue.take("w")
        assert view is not None
        self.view, self.store, self.queue, self.folder = view, store, queue, folder
        self.raised: type[BaseException] | None = None

    def check(self) -> None:
        if self.raised is not None:
            raise self.raised

    def context(self, step: str = "finish") -> JobContext:
        return JobContext(fake_tools(self.folder), self.queue, "w", self.view, step, self.check)


@pytest.fixture
def job(store: JobStore, queue: JobQueue, tmp_path: Path) -> Job:
    return Job(store, queue, tmp_path)


@ON_SQLITE
def test_a_context_is_what_operations_expect(job: Job) -> None:
    context: Context = job.context()
    assert (context.params, context.job) == ({"a": 1}, job.view.id)
    assert isinstance(context.artifacts, LocalArtifacts)


def test_arrays_come_back_bit_by_bit_and_once(job: Job) -> None:
    odd = [np.array([0.1, -0.0, np.inf, 5e-324]), np.zeros(0), np.array([np.nan]), np.arange(1000.0)]
    first = job.context()
    for place, array in enumerate(odd):
        recalled = first.recall(lambda array=array: array)
        assert recalled.tobytes() == array.tobytes()
        # What a step does with an array does not change what is recorded.
        expected = array.copy()
        recalled += 1
        odd[place] = expected
        first.write()
    first.close()
    second = job.context()
    for array in odd:
        assert second.recall(pytest.fail).tobytes() == array.tobytes()
    assert second.recall(lambda: np.ones(2)).tolist() == [1.0, 1.0]
    second.write()
    third = job.context()
    assert [third.recall(pytest.fail).tobytes() for _ in range(5)][4] == np.ones(2).tobytes()
    # Another step has its own.
    assert job.context("chunk-0").recall(lambda: np.array([7.0])).tolist() == [7.0]


@ON_SQLITE
def test_thousands_of_calls_are_few_writes(job: Job, monkeypatch: pytest.MonkeyPatch) -> None:
    writes = []
    advance = job.queue.advance
    monkeypatch.setattr(job.queue, "advance", lambda *given: (writes.append(given), advance(*given)))
    context = job.context()
    begun = time.perf_counter()
    for k in range(10_000):
        context.recall(lambda: np.zeros(10))
        context.report("learning", k / 10_000)
    assert time.perf_counter() - begun < 2
    context.write()
    context.write()
    assert len(writes) == 1
    assert job.store.get(job.view.id).step_share == 0.9999
    again = job.context()
    assert all(again.recall(pytest.fail).shape == (10,) for _ in range(10_000))


@ON_SQLITE
def test_what_finds_no_room_is_computed_again(job: Job, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("app.server.jobs.context.LARGEST_CHECKPOINT", 1000)
    first = job.context()
    for k, size in enumerate((50, 50, 50, 1)):
        assert len(first.recall(lambda k=k, size=size: np.full(size, float(k)))) == size
    first.write()
    again = job.context()
    computed = []
    for k, size in enumerate((50, 50, 50, 1)):
        again.recall(lambda k=k, size=size: (computed.append(k), np.full(size, float(k)))[1])
    assert computed == [2, 3]


@ON_SQLITE
def test_what_another_version_recorded_is_not_used(job: Job, monkeypatch: pytest.MonkeyPatch) -> None:
    context = job.context()
    context.recall(lambda: np.zeros(1))
    context.write()
    monkeypatch.setattr("app.server.jobs.context.__version__", "9.9")
    assert job.context().recall(lambda: np.ones(1)).tolist() == [1.0]


@ON_SQLITE
@pytest.mark.parametrize("raised", [Cancelled, Stopping, LeaseLostError])
def test_every_call_ends_a_step_that_must_end(raised: type[BaseException], job: Job) -> None:
    context = job.context()
    context.report("learning", 0.5)
    job.raised = raised
    for call in (
        lambda: context.report("learning", 0.6),
        lambda: context.recall(pytest.fail),
        lambda: context.publish("curve", []),
    ):
        with pytest.raises(raised):
            call()


@ON_SQLITE
@pytest.mark.parametrize(("given", "shown"), [(0.5, 0.5), (-1, 0.0), (2, 1.0), (float("nan"), 0.0)])
def test_progress_is_a_share(given: float, shown: float, job: Job) -> None:
    context = job.context()
    context.report("x" * 1000, given)
    context.write()
    view = job.store.get(job.view.id)
    assert (view.step, view.step_share) == ("x" * 200, shown)


def test_a_step_that_is_over_writes_nothing(job: Job) -> None:
    context = job.context()
    context.report("learning", 0.5)
    context.recall(lambda: np.zeros(1))
    context.close()
    context.write()
    assert job.store.get(job.view.id).step is None and job.queue.recorded(job.view.id, "finish 0.1.0") == []
