"""A worker with nothing to do learns soon that there is something; on SQLite and on PostgreSQL."""

import threading
import time

from sqlalchemy import Engine as Database

from app.operations.operation import Plan
from app.server.jobs.bell import bell_of
from app.server.store import JobQueue, JobStore

PLAN = Plan("quality", {}, [(1, {})])


def test_it_rings_when_a_job_is_queued_given_back_or_freed(database: Database) -> None:
    store, queue, bell = JobStore(database), JobQueue(database, 30.0), bell_of(database)
    assert bell.wait(0.1) and not bell.wait(0.1)
    job = store.create(PLAN).id
    assert bell.wait(30) and queue.take("w") is not None
    while bell.wait(0.2):
        pass
    queue.hand_over(job, "w")
    assert bell.wait(30) and queue.take("w") is not None
    while bell.wait(0.2):
        pass
    queue.release_workers(["w"])
    assert bell.wait(30)


def test_it_rings_for_whoever_waits_already(database: Database) -> None:
    bell = bell_of(database)
    bell.wait(0)
    timer = threading.Timer(0.3, lambda: JobStore(database).create(PLAN))
    begin = time.monotonic()
    timer.start()
    assert bell.wait(60) and time.monotonic() - begin < 30
    timer.join()


def test_one_that_broke_is_hung_up_again(database: Database) -> None:
    bell = bell_of(database)
    bell.wait(0)
    bell._driver.close()  # type: ignore[attr-defined]
    assert not bell.wait(0.1)
    # It may have missed something.
    assert bell.wait(0.1) and not bell.wait(0.1)
