"""Leases, chunks, checkpoints and publications, on SQLite and on PostgreSQL."""

import time

import pytest
from sqlalchemy import Engine as Database
from sqlalchemy import func, select, update
from sqlalchemy.orm import Session

from app.operations.operation import Plan
from app.running.versions import VERSION_NUMBER, version_number
from app.server.jobs.hosts.worker_store import WorkerStore
from app.server.store import JobQueue, JobStore, LeaseLostError
from app.server.store.database.clock import database_now
from app.server.store.queue import LARGEST_PUBLICATIONS, Batch, Progress
from app.server.store.tables import CheckpointRow, JobRow, WorkerRow

PLAN = Plan("quality", {}, [(3, {"x": [1, 2, 3]}), (2, {"x": [4, 5]})])


@pytest.fixture
def job(store: JobStore, queue: JobQueue) -> str:
    """A job that the worker a has taken."""
    made = store.create(PLAN).id
    assert queue.take("a") is not None
    return made


def checkpoints(database: Database) -> int:
    with Session(database) as session:
        return session.scalars(select(func.count()).select_from(CheckpointRow)).one()


def test_a_chunk_is_saved_once(job: str, store: JobStore, queue: JobQueue) -> None:
    queue.save_chunk(job, "a", 0, {"rows": [1]})
    with pytest.raises(LeaseLostError):
        queue.save_chunk(job, "a", 0, {"rows": [2]})
    assert store.get(job).done == 3


def test_a_worker_that_lost_its_lease_changes_nothing(job: str, store: JobStore, queue: JobQueue, database: Database) -> None:
    queue.release_workers(["a"])
    assert queue.take("b") is not None
    for change in (
        lambda: queue.save_chunk(job, "a", 0, {"rows": []}),
        lambda: queue.succeed(job, "a", {}),
        lambda: queue.fail(job, "a", {}),
        lambda: queue.stop(job, "a"),
        lambda: queue.renew(job, "a"),
        lambda: queue.cancel_requested(job, "a"),
        lambda: queue.advance(job, "a", Progress("x", 0.5), Batch("finish", 0, b"x")),
        lambda: queue.publish(job, "a", "curve", []),
    ):
        with pytest.raises(LeaseLostError):
            change()
    assert (checkpoints(database), store.published(job, "curve"), store.get(job).step) == (0, None, None)
    queue.save_chunk(job, "b", 0, {"rows": [7]})
    assert store.get(job).done == 3


def test_jobs_are_taken_oldest_first_and_by_one_worker_each(store: JobStore, queue: JobQueue) -> None:
    jobs = [store.create(PLAN).id for _ in range(3)]
    assert [getattr(queue.take(f"w{k}"), "id", None) for k in range(4)] == [*jobs, None]


def test_a_lease_that_is_not_renewed_ends(store: JobStore, queue: JobQueue, database: Database) -> None:
    def leave(seconds: float) -> None:
        with Session(database) as session, session.begin():
            session.execute(update(JobRow).values(lease_expires=database_now() + seconds))

    job = store.create(PLAN).id
    assert queue.take("a") is not None
    leave(-1.0)
    queue.renew(job, "a")
    assert queue.take("b") is None
    leave(-1.0)
    taken = queue.take("b")
    assert taken is not None and taken.id == job


def test_a_job_that_keeps_killing_its_worker_is_given_up(store: JobStore, queue: JobQueue) -> None:
    job = store.create(PLAN).id
    for k in range(3):
        assert queue.take(f"w{k}") is not None
        queue.release_workers([f"w{k}"])
    assert queue.take("w9") is None
    assert store.get(job).state == "failed"


def test_a_job_that_gets_on_between_its_workers_deaths_is_not_given_up(store: JobStore, queue: JobQueue) -> None:
    job = store.create(PLAN).id
    for k in range(9):
        assert queue.take(f"w{k}") is not None
        queue.advance(job, f"w{k}", Progress("learning", k / 9), Batch("finish", k, bytes([k])))
        queue.release_workers([f"w{k}"])
    assert queue.recorded(job, "finish") == [bytes([k]) for k in range(9)]
    assert store.get(job).state == "running"


def test_progress_alone_is_not_getting_on(store: JobStore, queue: JobQueue) -> None:
    job = store.create(PLAN).id
    for k in range(3):
        queue.take(f"w{k}")
        queue.advance(job, f"w{k}", Progress("learning", 0.1), None)
        queue.release_workers([f"w{k}"])
    assert queue.take("w9") is None


def test_what_a_step_recorded_goes_when_it_is_finished(job: str, queue: JobQueue, database: Database) -> None:
    queue.advance(job, "a", None, Batch("chunk-0", 0, b"x"))
    queue.advance(job, "a", None, Batch("chunk-0", 1, b"y"))
    assert queue.recorded(job, "chunk-0") == [b"x", b"y"]
    queue.save_chunk(job, "a", 0, {"rows": []})
    assert checkpoints(database) == 0
    queue.advance(job, "a", None, Batch("finish", 0, b"x"))
    queue.release(job, "a")
    queue.take("b")
    assert queue.recorded(job, "finish") == [b"x"]
    queue.succeed(job, "b", {})
    assert checkpoints(database) == 0


def test_the_job_of_a_dead_worker_that_was_to_be_cancelled_is(job: str, store: JobStore, queue: JobQueue) -> None:
    other = store.create(PLAN).id
    queue.take("b")
    store.cancel(job)
    queue.release_workers(["a", "b"])
    assert (store.get(job).state, store.get(other).state) == ("cancelled", "running")
    assert queue.take("c") == store.get(other)


def test_publications_replace_one_another_and_are_bounded(job: str, store: JobStore, queue: JobQueue) -> None:
    assert store.published(job, "curve") is None
    for value in ([{"rows": 1}], [{"rows": 1}, {"rows": 2.5, "ă": None}]):
        queue.publish(job, "a", "curve", value)
        assert store.published(job, "curve") == queue.published(job, "curve") == value
    for name in ("", "A", "../x", "x" * 65, "-x", "ă", "x\n"):
        with pytest.raises(ValueError, match="name"):
            queue.publish(job, "a", name, 1)
    with pytest.raises(ValueError, match="JSON"):
        queue.publish(job, "a", "curve", float("nan"))


def test_publications_that_together_are_too_large_are_refused(
    job: str, store: JobStore, queue: JobQueue, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("app.server.store.queue.LARGEST_PUBLICATIONS", 100)
    assert LARGEST_PUBLICATIONS == 64 << 20
    value = "".join(map(str, range(40)))
    queue.publish(job, "a", "one", value)
    queue.publish(job, "a", "one", value)
    with pytest.raises(ValueError, match="at most 100 bytes"):
        queue.publish(job, "a", "two", value)
    assert store.published(job, "two") is None


def test_a_lease_is_kept_by_the_databases_clock(
    database: Database, store: JobStore, queue: JobQueue, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A worker whose clock is days ahead or behind neither keeps its job for ever nor loses it at once."""
    job = store.create(PLAN).id
    with monkeypatch.context() as wrong:
        wrong.setattr("time.time", lambda: 4e9)
        assert queue.take("ahead") is not None
        queue.renew(job, "ahead")
    assert queue.take("other") is None and abs(lease(database, job) - time.time() - queue.lease_seconds) < 10
    with monkeypatch.context() as wrong:
        wrong.setattr("time.time", lambda: 1.0)
        queue.renew(job, "ahead")
    assert queue.take("other") is None
    # One that an earlier version wrote by such a clock.
    with Session(database) as session, session.begin():
        session.execute(update(JobRow).values(lease_expires=4e9))
    assert store.cancel(job).state == "cancelled"


def lease(database: Database, job: str) -> float:
    with Session(database) as session:
        return session.scalars(select(JobRow.lease_expires).where(JobRow.id == job)).one()


def test_the_end_comes_nearer_between_two_parts(database: Database, monkeypatch: pytest.MonkeyPatch) -> None:
    """At one pace, the end that is foreseen is one moment: seconds to it fall by one a second, also while no row is finished."""
    clock = [1000.0]
    monkeypatch.setattr("time.time", lambda: clock[0])
    store, queue = JobStore(database), JobQueue(database, 1e6)
    job = store.create(Plan("quality", {}, [(2, {}), (2, {}), (2, {})])).id
    assert queue.take("a") is not None
    assert store.get(job).eta is None
    ends = []
    for second in range(12):
        clock[0] = 1000.0 + second
        if second in (4, 8):
            queue.save_chunk(job, "a", second // 4 - 1, {})
        if second >= 4:
            eta = store.get(job).eta
            assert eta is not None
            ends.append(second + eta)
    assert ends == pytest.approx([12.0] * 8)
    # A part that takes longer than it should have is expected at once, never later and later.
    clock[0] = 1020.0
    assert store.get(job).eta == 0.0


def test_workers_take_jobs_of_their_pairs_and_of_none(store: JobStore, database: Database) -> None:
    plans = [{"pair": "ro-en"}, {"source_language": "en", "target_language": "de"}, {"pair": None}, {}]
    ro, de, *without = [store.create(Plan("quality", params, [(1, {})])).id for params in plans]
    for pairs, expected in ((("ro-en", "et-en"), {ro, *without}), (("en-de",), {de})):
        mine = JobQueue(database, 30.0, pairs=pairs)
        taken = [mine.take("a") for _ in range(4)]
        assert {view.id for view in taken if view is not None} == expected
    assert JobQueue(database, 30.0).take("a") is None


@pytest.mark.parametrize(("version", "is_taken"), [(0, True), (VERSION_NUMBER, True), (VERSION_NUMBER + 1, False)])
def test_a_job_of_a_newer_version_waits_for_a_newer_worker(
    store: JobStore, queue: JobQueue, database: Database, version: int, is_taken: bool
) -> None:
    job = store.create(PLAN).id
    with Session(database) as session, session.begin():
        session.execute(update(JobRow).where(JobRow.id == job).values(version=version))
    assert (queue.take("a") is not None) is is_taken


def test_a_retried_job_keeps_its_pair_and_version(store: JobStore, database: Database) -> None:
    job = store.create(Plan("quality", {"pair": "ro-en"}, [(1, {})])).id
    assert store.cancel(job) is not None
    retry = store.retry(job).id
    with Session(database) as session:
        row = session.get_one(JobRow, retry)
    assert (row.pair, row.version) == ("ro-en", VERSION_NUMBER)


@pytest.mark.parametrize(("first", "second"), [("0.1.9", "0.2.0"), ("0.9.0", "0.10.0"), ("0.99.99", "1.0.0")])
def test_numbers_of_versions_grow(first: str, second: str) -> None:
    assert 0 < version_number(first) < version_number(second)
    assert version_number("1.0.0rc1") == version_number("new") == 0


def test_signs_of_life_of_workers(database: Database) -> None:
    workers = WorkerStore(database)
    workers.note("w", "alpha", ("ro-en", "en-de"))
    workers.note("w", "alpha", ("ro-en", "en-de"))
    workers.note("v", "beta", ())
    first, second = workers.list()
    assert (first.host, first.pairs, second.host, second.pairs) == ("alpha", ("ro-en", "en-de"), "beta", ())
    assert 0 <= second.silent_seconds < 60
    with Session(database) as session, session.begin():
        session.execute(update(WorkerRow).where(WorkerRow.id == "w").values(last_sign=0.0))
    workers.forget("v")
    workers.note("u", "gamma", ())
    assert [worker.id for worker in workers.list()] == ["u"]
