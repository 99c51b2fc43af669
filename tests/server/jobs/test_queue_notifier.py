"""A worker with nothing to do learns soon that there is something; on SQLite and on PostgreSQL."""

import threading
import time

from sqlalchemy import Engine as Database

from app.operations.operation import Plan
from app.server.jobs.queue_notifier import notifier_of
from app.server.store import JobQueue, JobStore

PLAN = Plan("quality", {}, [(1, {})])


def test_it_rings_when_a_job_is_queued_given_back_or_freed(database: Database) -> None:
    store, queue, notifier = JobStore(database), JobQueue(database, 30.0), notifier_of(database)
    assert notifier.wait(0.1) and not notifier.wait(0.1)
    job = store.create(PLAN).id
    assert notifier.wait(30) and queue.take("w") is not None
    while notifier.wait(0.1):
        pass
    queue.hand_over(job, "w")
    assert notifier.wait(30) and queue.take("w") is not None
    while notifier.wait(0.1):
        pass
    queue.release_workers(["w"])
    assert notifier.wait(30)


def test_it_rings_for_whoever_waits_already(database: Database) -> None:
    notifier = notifier_of(database)
    notifier.wait(0)
    timer = threading.Timer(0.1, lambda: JobStore(database).create(PLAN))
    begin = time.monotonic()
    timer.start()
    assert notifier.wait(60) and time.monotonic() - begin < 30
    timer.join()


def test_one_that_broke_is_hung_up_again(database: Database) -> None:
    notifier = notifier_of(database)
    notifier.wait(0)
    notifier._driver.close()  # type: ignore[attr-defined]
    assert not notifier.wait(0.1)
    # It may have missed something.
    assert notifier.wait(0.1) and not notifier.wait(0.1)
