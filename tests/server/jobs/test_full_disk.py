"""A worker without room on its disk: the job waits, what was computed is kept, and whoever must stop does."""

import errno
import os
import threading
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import Engine as Database

from app.errors import disk_full
from app.operations.operation import Context, Json, Output, Plan
from app.server.jobs import Worker
from app.server.jobs.waiting import Pauses, with_room
from app.server.store import JobQueue, JobStore, JobView
from tests.server.jobs.fake_operations import FAKES, double, fake_tools, operation

# A full disk is one error on each database: what a worker does then is in no query.
ON_SQLITE = pytest.mark.parametrize("database_url", ["sqlite"], indirect=True)
CHUNKS = [(2, {"numbers": [1, 2]}), (1, {"numbers": [3]})]


class FullFor:
    """A call that finds no room a number of times."""

    def __init__(self, call: Callable[..., Any], times: int) -> None:
        self.call, self.left, self.calls = call, times, 0

    def __call__(self, *args: Any, **named: Any) -> Any:
        self.calls += 1
        if self.left:
            self.left -= 1
            raise disk_full()
        return self.call(*args, **named)


@pytest.fixture
def queue(database: Database) -> JobQueue:
    return JobQueue(database, 30.0)


@pytest.fixture(autouse=True)
def quick(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("app.server.jobs.waiting.FIRST_SECONDS", 0.01)
    monkeypatch.setattr("app.server.jobs.waiting.LOOK_SECONDS", 0.01)


def taken(queue: JobQueue, database: Database, kind: str) -> JobView:
    JobStore(database).create(Plan(kind, {}, CHUNKS))
    job = queue.take("w")
    assert job is not None
    return job


@pytest.mark.parametrize("write", ["save_chunk", "succeed"])
def test_what_was_computed_is_kept_until_it_can_be_written(
    write: str, database: Database, queue: JobQueue, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    chunks: list[Json] = []

    def work(context: Context, part: Json) -> Output:
        chunks.append(part)
        return double(context, part)

    def finish(context: Context, outputs: Iterable[Output]) -> Json:
        return {"rows": [row for output in outputs for row in output["rows"]]}

    worker = Worker({"sum": operation("sum", finish, work)}, fake_tools(tmp_path), queue, "w", os.getppid(), 20.0)
    full = FullFor(getattr(queue, write), 3)
    monkeypatch.setattr(queue, write, full)
    job = taken(queue, database, "sum")
    worker.work(job)
    view = JobStore(database).get(job.id)
    assert (view.state, view.done, full.calls) == ("succeeded", 3, 5 if write == "save_chunk" else 4)
    assert chunks == [content for _, content in CHUNKS]
    assert view.summary == {"rows": [{"n": n, "double": 2 * n} for n in (1, 2, 3)]}


@ON_SQLITE
@pytest.mark.parametrize("error", [OSError(errno.ENOSPC, "full"), OSError(errno.EDQUOT, "full"), disk_full()])
def test_a_step_that_finds_no_room_is_worked_on_again(
    error: Exception, database: Database, queue: JobQueue, tmp_path: Path
) -> None:
    attempts: list[int] = []

    def finish(context: Context, outputs: Iterable[Output]) -> Json:
        attempts.append(1)
        if len(attempts) < 3:
            raise error
        context.artifacts.save("m", lambda folder: (folder / "x").write_text("x") and None)
        return {"model": "m"}

    worker = Worker({"train": operation("train", finish)}, fake_tools(tmp_path), queue, "w", os.getppid(), 20.0)
    job = taken(queue, database, "train")
    worker.work(job)
    view = JobStore(database).get(job.id)
    assert (view.state, view.summary, view.error) == ("succeeded", {"model": "m"}, None)
    assert [path.name for path in tmp_path.iterdir() if path.is_dir()] == ["m"]


@ON_SQLITE
def test_a_job_that_waits_for_room_can_be_cancelled(
    database: Database, queue: JobQueue, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    worker = Worker(FAKES, fake_tools(tmp_path), queue, "w", os.getppid(), 20.0)
    monkeypatch.setattr(queue, "save_chunk", FullFor(queue.save_chunk, 10**6))
    job = taken(queue, database, "refuse")
    thread = threading.Thread(target=worker.work, args=(job,))
    thread.start()
    JobStore(database).cancel(job.id)
    thread.join(60)
    assert JobStore(database).get(job.id).state == "cancelled"


@ON_SQLITE
def test_a_worker_that_waits_for_room_can_be_stopped(
    database: Database, queue: JobQueue, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    worker = Worker(FAKES, fake_tools(tmp_path), queue, "w", os.getppid(), 20.0)
    for write in ("save_chunk", "release"):
        monkeypatch.setattr(queue, write, FullFor(getattr(queue, write), 10**6))
    job = taken(queue, database, "refuse")
    thread = threading.Thread(target=worker.work, args=(job,))
    thread.start()
    worker.stop()
    thread.join(60)
    assert not thread.is_alive() and JobStore(database).get(job.id).state == "running"


@ON_SQLITE
def test_a_worker_that_can_take_nothing_waits(queue: JobQueue, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    worker = Worker(FAKES, fake_tools(tmp_path), queue, "w", os.getppid(), 20.0)
    full = FullFor(queue.take, 3)
    monkeypatch.setattr(queue, "take", full)
    thread = threading.Thread(target=worker.run)
    thread.start()
    deadline = threading.Event()
    while full.calls < 5 and thread.is_alive():
        deadline.wait(0.01)
    worker.stop()
    thread.join(60)
    assert full.left == 0


def test_pauses_grow_and_begin_again(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.undo()
    pauses = Pauses()
    first = [next(pauses) for _ in range(8)]
    assert first == [0.25, 0.5, 1.0, 2.0, 4.0, 8.0, 10.0, 10.0]
    pauses.begin_again()
    assert next(pauses) == 0.25


def test_what_is_not_about_room_is_not_waited_for() -> None:
    with pytest.raises(OSError, match="denied"):
        with_room(FullFor(lambda: (_ for _ in ()).throw(OSError(errno.EACCES, "denied")), 2), lambda seconds: None)
