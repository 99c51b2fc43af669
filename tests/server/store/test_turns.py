"""Whose turn it is: priorities, shares of owners, small jobs first, and that every job ends; on SQLite and on PostgreSQL."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sqlalchemy import Engine as Database
from sqlalchemy import delete, event, literal, select
from sqlalchemy.orm import Session

from app.operations.operation import Plan
from app.server.store import JobOrigin, JobQueue, JobStore, Priority, open_database
from app.server.store.tables import JobRow, ShareRow
from app.server.store.turns import OLDEST_EVERY, PRIORITIES


def plan(chunks: int, rows: int = 500, kind: str = "quality") -> Plan:
    return Plan(kind, {}, [(rows, {"number": number}) for number in range(chunks)])


class Worker:
    """One worker, chunk by chunk; each chunk costs its job's owner one second."""

    def __init__(self, queue: JobQueue, name: str = "w") -> None:
        self.queue, self.name, self.chunks = queue, name, 0
        self.job: tuple[str, str] | None = None
        self.done: list[str] = []

    def step(self) -> None:
        """A chunk, or the end of a job."""
        if self.job is None:
            view = self.queue.take(self.name)
            if view is None:
                return
            self.job = view.id, view.owner
        job, owner = self.job
        chunk = self.queue.next_chunk(job)
        if chunk is None:
            self.queue.succeed(job, self.name, {})
            self.done.append(job)
            self.job = None
            return
        self.queue.save_chunk(job, self.name, chunk[0], {"rows": []})
        self.queue.charge(owner, 1.0)
        self.chunks += 1
        if self.queue.comes_before(job):
            self.queue.hand_over(job, self.name)
            self.job = None

    def until(self, *jobs: str) -> int:
        """Steps until these jobs have ended."""
        for steps in range(1000):
            if set(jobs) <= set(self.done):
                return steps
            self.step()
        raise AssertionError("the jobs do not end")


@pytest.fixture
def worker(queue: JobQueue) -> Worker:
    return Worker(queue)


def test_an_owner_with_a_hundred_jobs_does_not_delay_anothers_one(store: JobStore, worker: Worker) -> None:
    for _ in range(100):
        store.create(plan(2), JobOrigin("many"))
    for _ in range(7):
        worker.step()
    job = store.create(plan(1), JobOrigin("one")).id
    assert worker.until(job) <= 3


def test_owners_share_a_worker_by_the_work_and_not_by_the_number_of_their_jobs(store: JobStore, worker: Worker) -> None:
    large = store.create(plan(40), JobOrigin("a")).id
    for _ in range(40):
        store.create(plan(1), JobOrigin("b"))
    while worker.chunks < 24:
        worker.step()
    assert 8 * 500 <= store.get(large).done <= 16 * 500


def test_small_jobs_go_between_the_chunks_of_a_large_one_of_the_same_owner(store: JobStore, worker: Worker) -> None:
    large = store.create(plan(40)).id
    worker.step()
    small = store.create(plan(1, rows=1)).id
    assert worker.until(small) <= 3
    view = store.get(large)
    assert view.state == "running" and 500 <= view.done <= 1000
    worker.until(large)


def test_a_job_that_is_nearly_done_goes_before_one_of_its_size(store: JobStore, worker: Worker) -> None:
    first = store.create(plan(4)).id
    worker.step()
    second = store.create(plan(4)).id
    worker.until(first)
    assert store.get(second).done == 0


def test_being_handed_over_is_no_attempt_and_the_pace_is_that_of_all_turns(store: JobStore, queue: JobQueue) -> None:
    job = store.create(plan(10)).id
    for number in range(9):
        view = queue.take("w")
        assert view is not None
        queue.save_chunk(job, "w", number, {"rows": []})
        queue.hand_over(job, "w")
    view = queue.take("w")
    assert view is not None and (view.state, view.done) == ("running", 4500)
    assert view.rate is not None and view.started is not None


def test_priorities(store: JobStore, queue: JobQueue) -> None:
    jobs = {name: store.create(plan(1), JobOrigin(name, priority=name)).id for name in reversed(PRIORITIES)}
    assert [store.get(jobs[name]).priority for name in PRIORITIES] == list(PRIORITIES)
    assert [store.get(jobs[name]).ahead for name in PRIORITIES] == [0, 1, 2]
    assert [getattr(queue.take(f"w{k}"), "id", None) for k in range(4)] == [*(jobs[name] for name in PRIORITIES), None]
    assert store.get(jobs["low"]).ahead is None


def test_what_comes_before_is_counted(store: JobStore, queue: JobQueue) -> None:
    small, large, other = (
        store.create(plan(*size), JobOrigin(owner)).id for size, owner in (((1, 1), "a"), ((9,), "a"), ((9,), "b"))
    )
    assert [store.get(job).ahead for job in (small, large, other)] == [0, 1, 0]
    assert queue.take("w") is not None
    assert [view.ahead for view in store.list()] == [0, 0, None]


def test_a_job_that_is_tried_again_keeps_its_priority(store: JobStore) -> None:
    job = store.create(plan(1), JobOrigin(priority="low")).id
    store.cancel(job)
    assert store.retry(job).priority == "low"


def test_a_worker_leaves_long_jobs_to_others(store: JobStore, database: Database) -> None:
    long, short = store.create(plan(1, kind="train")).id, store.create(plan(1)).id
    spared, other = JobQueue(database, 30.0, ["train"]), JobQueue(database, 30.0)
    assert [getattr(spared.take("a"), "id", None) for _ in range(2)] == [short, None]
    assert getattr(other.take("b"), "id", None) == long


def test_an_owner_without_a_share_is_served(store: JobStore, queue: JobQueue, database: Database) -> None:
    job = store.create(plan(1), JobOrigin("a")).id
    with Session(database) as session, session.begin():
        session.execute(delete(ShareRow))
    assert getattr(queue.take("w"), "id", None) == job


def test_what_was_done_long_ago_counts_no_more(store: JobStore, queue: JobQueue, monkeypatch: pytest.MonkeyPatch) -> None:
    now = [1e9]
    monkeypatch.setattr("app.server.store.turns.database_now", lambda: literal(now[0]))
    queue.charge("a", 3600.0)
    now[0] += 86400.0
    queue.charge("b", 1.0)
    jobs = {owner: store.create(plan(1), JobOrigin(owner)).id for owner in ("b", "a")}
    assert getattr(queue.take("w"), "id", None) == jobs["a"]


def test_owners_who_have_had_no_job_for_long_are_forgotten(
    store: JobStore, queue: JobQueue, database: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    now = [1e9]
    monkeypatch.setattr("app.server.store.turns.database_now", lambda: literal(now[0]))
    queue.charge("gone", 100.0)
    queue.charge("waiting", 100.0)
    store.create(plan(1), JobOrigin("waiting"))
    now[0] += 86400.0
    queue._forget_at = 0.0
    queue.charge("new", 1.0)
    with Session(database) as session:
        assert set(session.scalars(select(ShareRow.owner))) == {"waiting", "new"}


def test_the_oldest_job_ends_whatever_comes(store: JobStore, worker: Worker) -> None:
    """Each step a new owner comes with a job of higher priority, and there is never time for all."""
    chunks = 3
    oldest = store.create(plan(chunks), JobOrigin("patient", priority="low")).id
    for number in range((chunks + 2) * (OLDEST_EVERY + 1)):
        store.create(plan(1, rows=1), JobOrigin(f"new {number}", priority="high"))
        worker.step()
    assert store.get(oldest).state == "succeeded"


JOBS = st.lists(
    st.tuples(st.integers(0, 6), st.sampled_from("abc"), st.integers(1, 5), st.sampled_from([1, 500]), st.sampled_from(PRIORITIES)),
    min_size=1,
    max_size=10,
)


@pytest.fixture(scope="module")
def quick(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Database]:
    """A database that need not survive a loss of power."""
    database = open_database(f"sqlite:///{tmp_path_factory.mktemp('turns') / 'x.sqlite3'}")
    event.listen(database, "checkout", lambda driver, *_: driver.execute("PRAGMA synchronous=OFF"))
    yield database
    database.dispose()


@settings(max_examples=10)
@given(jobs=JOBS)
def test_every_job_ends_in_time_that_older_jobs_alone_decide(
    quick: Database, jobs: list[tuple[int, str, int, int, Priority]]
) -> None:
    with Session(quick) as session, session.begin():
        session.execute(delete(JobRow))
        session.execute(delete(ShareRow))
    store, now = JobStore(quick), [1e9]
    with pytest.MonkeyPatch.context() as clock:
        clock.setattr("app.server.store.turns.database_now", lambda: literal(now[0]))
        clock.setattr("app.server.store.jobs.time.time", lambda: now[0])
        worker = Worker(JobQueue(quick, 3600.0))
        waiting: list[tuple[str, float]] = []
        work = 0.0

        def step() -> None:
            now[0] += 1.0
            worker.step()
            for job, until in waiting:
                assert job in worker.done or now[0] <= until

        for pause, owner, chunks, rows, priority in jobs:
            for _ in range(pause):
                step()
            now[0] += 0.001
            job = store.create(plan(chunks, rows), JobOrigin(owner, priority=priority)).id
            work += chunks + 1
            waiting.append((job, now[0] + (OLDEST_EVERY + 1) * (work + 1)))
        while len(worker.done) < len(jobs):
            step()


def test_a_turn_is_found_by_indexes(tmp_path: Path) -> None:
    database = open_database(f"sqlite:///{tmp_path / 'x.sqlite3'}")
    store, queue = JobStore(database), JobQueue(database, 30.0)
    job = store.create(plan(2), JobOrigin("a")).id
    store.create(plan(2), JobOrigin("b"))
    asked: list[tuple[str, Any]] = []
    event.listen(database, "before_cursor_execute", lambda _, __, statement, values, *___: asked.append((statement, values)))
    for _ in range(OLDEST_EVERY):
        queue.comes_before(job)
    store.get(job)
    with database.connect() as connection:
        queries = {statement: values for statement, values in asked if statement.startswith("SELECT")}
        assert len(queries) >= 4
        for statement, values in queries.items():
            plans = [row[3] for row in connection.exec_driver_sql(f"EXPLAIN QUERY PLAN {statement}", values)]
            assert not any("TEMP B-TREE" in line or ("SCAN jobs" in line and "INDEX ix_jobs_" not in line) for line in plans), plans
    database.dispose()
