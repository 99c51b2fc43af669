"""Waiting time of jobs for an idle worker on SQLite and PostgreSQL, and the cost of that worker.

``python -m benchmarks.begin [DATABASE_URL ...]``; without addresses, SQLite in a temporary folder. Jobs are queued at random
moments for one idle worker process, whose steps do nothing. The first table has the time from `created` to `started`. The second
has the time of taking a job from few and from many queued jobs, of one owner and of as many owners as jobs.
"""

import os
import random
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from statistics import median
from types import SimpleNamespace
from typing import Any
from uuid import uuid4

from sqlalchemy import delete, insert, select
from sqlalchemy.orm import Session

from app.operations.operation import Body, Operation, Plan, Steps
from app.registry.artifacts import LocalArtifacts
from app.server.jobs.context import Tools
from app.server.jobs.worker import Worker
from app.server.store import FINAL_STATES, JobOrigin, JobQueue, JobStore, open_database
from app.server.store.tables import JobRow
from app.server.store.turns import know_owner
from benchmarks.processes import processor_seconds

JOBS = 100
IDLE_SECONDS = 10.0
QUEUED = (10, 10_000)
PLAN = Plan("nothing", {}, [(1, {})])


class EmptyRequest(Body):
    """A request without fields."""


def work(url: str, parent: int) -> None:
    """Run a worker without work while its parent lives."""
    steps: Steps[EmptyRequest] = Steps(lambda *_: PLAN, lambda *_: {"rows": []}, lambda *_: {})
    operations = {"nothing": Operation("nothing", "", EmptyRequest, dict, lambda *_: None, steps=steps)}
    engine: Any = SimpleNamespace()
    tools = Tools(engine, LocalArtifacts(Path(tempfile.gettempdir())))
    Worker(operations, tools, JobQueue(open_database(url, migrate=False), 30.0), "idle", parent, 1.0).run()


def begins(url: str) -> tuple[list[float], float]:
    """Milliseconds from `created` to `started` of each job, and the share of a core that the idle worker takes."""
    store = JobStore(open_database(url))
    worker = subprocess.Popen([sys.executable, "-m", "benchmarks.begin", "--worker", url, str(os.getpid())])
    waits = []
    try:
        for number in range(JOBS + 1):
            job = store.create(PLAN).id
            while (view := store.get(job)).state not in FINAL_STATES:
                time.sleep(0.01)
            assert view.started is not None
            # The first job waits for the process to begin.
            if number:
                waits.append((view.started - view.created) * 1000)
            time.sleep(random.uniform(0.0, 0.3))
        before = processor_seconds(worker.pid)
        time.sleep(IDLE_SECONDS)
        return waits, (processor_seconds(worker.pid) - before) / IDLE_SECONDS
    finally:
        worker.terminate()
        worker.wait()


def taking(url: str, queued: int, owner: Callable[[int], str]) -> float:
    """Median milliseconds of taking one of `queued` jobs."""
    database = open_database(url)
    store, queue = JobStore(database), JobQueue(database, 30.0)
    with Session(database) as session, session.begin():
        session.execute(delete(JobRow))
    store.create(PLAN, JobOrigin(owner(0)))
    with Session(database) as session, session.begin():
        table = JobRow.__table__
        row = dict(session.execute(select(table)).mappings().one())
        rows = [{**row, "id": uuid4().hex, "owner": owner(number)} for number in range(1, queued)]
        session.execute(insert(JobRow), rows)
        for name in {row["owner"] for row in rows}:
            know_owner(session, name)
    times = []
    for number in range(min(queued, 50)):
        begin = time.perf_counter()
        assert queue.take(f"w{number}") is not None
        times.append((time.perf_counter() - begin) * 1000)
    with Session(database) as session, session.begin():
        session.execute(delete(JobRow))
    return median(times)


def main() -> None:
    if sys.argv[1:2] == ["--worker"]:
        work(sys.argv[2], int(sys.argv[3]))
        return
    with tempfile.TemporaryDirectory() as folder:
        urls = sys.argv[1:] or [f"sqlite:///{folder}/begin.sqlite3"]
        print("| database | median ms | 99 of 100 under | longest | core while idle |\n| --- | --- | --- | --- | --- |")
        for url in urls:
            waits, share = begins(url)
            waits.sort()
            print(
                f"| {url.partition(':')[0]} | {median(waits):.0f} | {waits[int(0.99 * len(waits))]:.0f} "
                f"| {waits[-1]:.0f} | {share:.2%} |"
            )
        print("\n| database | queued | owners | ms to take one |\n| --- | --- | --- | --- |")
        for url in urls:
            for queued in QUEUED:
                for name, owner in (("one", lambda _: ""), ("as many", str)):
                    print(f"| {url.partition(':')[0]} | {queued} | {name} | {taking(url, queued, owner):.1f} |")


if __name__ == "__main__":
    main()
