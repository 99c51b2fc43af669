"""Workers of two machines on one queue, each with a data folder of its own: killed, cut off and stopped for a while."""

import signal
import socket
import threading
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from sqlalchemy import Engine as Database
from sqlalchemy import select
from sqlalchemy.engine import make_url
from sqlalchemy.orm import Session

from app.operations.operation import Plan
from app.server.jobs import ProcessExecutor
from app.server.store import FINAL_STATES, JobQueue, JobStore, JobView, job_answer, open_database
from app.server.store.tables import JobRow
from app.settings import Settings
from tests.databases import new_database

pytestmark = pytest.mark.faults
LEASE_SECONDS = 3.0
CHUNKS = [(1, {"numbers": [number]}) for number in range(6)]


class Wire:
    """A connection to PostgreSQL that can be cut: bytes neither come nor go, and nobody is told."""

    def __init__(self, host: str, port: int) -> None:
        self._target = (host, port)
        self._server = socket.create_server(("127.0.0.1", 0))
        self.port = self._server.getsockname()[1]
        self.is_whole = threading.Event()
        self.is_whole.set()
        threading.Thread(target=self._accept, daemon=True).start()

    def _accept(self) -> None:
        while True:
            try:
                near, _ = self._server.accept()
                far = socket.create_connection(self._target)
            except OSError:
                return
            for source, target in ((near, far), (far, near)):
                threading.Thread(target=self._copy, args=(source, target), daemon=True).start()

    def _copy(self, source: socket.socket, target: socket.socket) -> None:
        try:
            while content := source.recv(1 << 16):
                self.is_whole.wait()
                target.sendall(content)
        except OSError:
            pass
        finally:
            target.close()

    def close(self) -> None:
        self._server.close()


class Machine:
    """Workers with a folder of their own; `log` is shared, so that each computed step is seen."""

    def __init__(self, url: str, folder: Path) -> None:
        self.settings = Settings(data_dir=folder, database_url=url, workers=1, drain_seconds=5, lease_seconds=LEASE_SECONDS)
        self.database = open_database(url)
        self.executor = ProcessExecutor(self.settings, JobQueue(self.database, LEASE_SECONDS), "tests.server.jobs.fake_operations")

    def start(self) -> None:
        self.executor.start()

    def signal(self, number: int) -> None:
        self.executor._workers[0].process.send_signal(number)

    def stop(self) -> None:
        self.executor.stop()
        self.database.dispose()


@pytest.fixture
def url(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    request.param = "postgres"
    return new_database(request, tmp_path)


@pytest.fixture
def store(url: str) -> Iterator[JobStore]:
    database: Database = open_database(url)
    yield JobStore(database)
    database.dispose()


def wait(store: JobStore, job: str, state: tuple[str, ...], seconds: float = 90) -> JobView:
    deadline = time.monotonic() + seconds
    while (view := store.get(job)).state not in state:
        assert time.monotonic() < deadline, view
        time.sleep(0.05)
    return view


def wait_for_steps(log: Path, count: int) -> None:
    deadline = time.monotonic() + 60
    while not log.exists() or len(log.read_text().split()) < count:
        assert time.monotonic() < deadline
        time.sleep(0.05)


def holder(store: JobStore, job: str) -> str | None:
    with Session(store.database) as session:
        return session.scalar(select(JobRow.worker).where(JobRow.id == job))


def give(store: JobStore, log: Path) -> str:
    return store.create(Plan("record", {"log": str(log), "seconds": 0.05}, CHUNKS)).id


def check(store: JobStore, job: str, log: Path) -> None:
    """All chunks have one output, and those of before the fault were not computed again."""
    view = wait(store, job, tuple(FINAL_STATES))
    assert view.state == "succeeded" and job_answer(view)["summary"] == {"rows": len(CHUNKS)} and view.done == len(CHUNKS)


@pytest.mark.parametrize("fault", ["kill", "cut", "stop"])
def test_another_machine_ends_the_job(fault: str, url: str, store: JobStore, tmp_path: Path) -> None:
    address = make_url(url)
    wire = Wire(str(address.host), int(address.port or 5432))
    through = address.set(host="127.0.0.1", port=wire.port).render_as_string(hide_password=False)
    first, second = Machine(through, tmp_path / "first"), Machine(url, tmp_path / "second")
    log, job = tmp_path / "log", ""
    try:
        first.start()
        job = give(store, log)
        wait_for_steps(log, 30)
        if fault == "kill":
            # Nobody is left there who would start another worker.
            first.executor._stopping.set()
            first.signal(signal.SIGKILL)
        elif fault == "cut":
            wire.is_whole.clear()
        else:
            first.signal(signal.SIGSTOP)
        before = holder(store, job)
        second.start()
        deadline = time.monotonic() + 60
        while holder(store, job) == before:
            assert time.monotonic() < deadline
            time.sleep(0.05)
        # The first one comes back in the middle of the other's work, and must not disturb it.
        wire.is_whole.set()
        if fault == "stop":
            first.signal(signal.SIGCONT)
        check(store, job, log)
        assert holder(store, job) != before
    finally:
        wire.is_whole.set()
        if fault == "stop":
            first.signal(signal.SIGCONT)
        first.stop()
        second.stop()
        wire.close()
