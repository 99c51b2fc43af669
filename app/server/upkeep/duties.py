"""Work beside the answers that one process of a server does: workers, retention, webhooks, and the models of other machines."""

import logging
import signal
import threading
from collections.abc import Callable
from contextlib import ExitStack
from functools import partial
from typing import Any, Final

from sqlalchemy import Engine as Database

from app.errors import InputError
from app.running.companion import Companion
from app.server.jobs import Executor, ProcessExecutor, RayExecutor, WebhookSender
from app.server.jobs.hosts.model_store import SYNCHRONISE_SECONDS, ModelStore
from app.server.jobs.waiting import with_room
from app.server.store import JobQueue, JobStore, job_answer, open_database
from app.server.upkeep.retention import Retention, Sweeper
from app.settings import Settings

__all__ = ["Duties", "run_duties"]

log = logging.getLogger("assay")
LOOK_SECONDS: Final = 0.5


class Duties:
    """Starts and stops everything that only one process of a server may do."""

    def __init__(self, settings: Settings, wait: Callable[[float], None]) -> None:
        """`wait(seconds)` waits for room on a full disk, and raises at a stop of the server."""
        self._settings, self._wait = settings, wait
        self._executor: Executor | None = None
        # Closed in reverse order of the start.
        self._running = ExitStack()

    def start(self, database: Database) -> None:
        """Start everything; returns before the workers are ready."""
        settings = self._settings
        if settings.model_store:
            store = ModelStore(settings.trained_models_dir, settings.model_store)
            companion = Companion([store.synchronise], SYNCHRONISE_SECONDS)
            self._running.callback(companion.stop)
            companion.start()
        if settings.cluster:
            self._executor = RayExecutor(settings)
        else:
            self._executor = ProcessExecutor(settings, JobQueue(database, settings.lease_seconds))
        self._running.callback(self._executor.stop)
        with_room(self._executor.start, self._wait)
        sweeper = Sweeper(Retention(database, settings))
        self._running.callback(sweeper.stop)
        sweeper.start()
        if settings.webhook_hosts and settings.webhook_secret:
            webhooks = WebhookSender(database, settings.webhook_secret, partial(_described, JobStore(database)))
            self._running.callback(webhooks.stop)
            webhooks.start()

    @property
    def workers(self) -> int:
        """Worker processes that run."""
        return self._executor.alive() if self._executor is not None else 0

    def tell(self) -> None:
        """Ask every worker to end its step; returns at once."""
        if self._executor is not None:
            self._executor.tell()

    def stop(self) -> None:
        """Let workers finish their chunks, and end everything."""
        self._running.close()


def run_duties(settings: Settings, note_workers: Callable[[int], None]) -> None:
    """Do the duties of a server of several processes until SIGTERM; `note_workers` takes the number of running workers."""
    stopping = threading.Event()

    def wait(seconds: float) -> None:
        if stopping.wait(seconds):
            raise InputError("not-ready", "the service was stopped while its disk was full")

    duties = Duties(settings, wait)

    def stop(*_: object) -> None:
        stopping.set()
        duties.tell()

    signal.signal(signal.SIGTERM, stop)
    database = open_database(
        settings.sqlalchemy_url,
        migrate=False,
        connections=settings.database_connections,
        wait_seconds=settings.database_wait_seconds,
        secure_delete=settings.secure_delete,
    )
    try:
        if not stopping.is_set():
            duties.start(database)
        while not stopping.wait(LOOK_SECONDS):
            note_workers(duties.workers)
    finally:
        duties.stop()


def _described(jobs: JobStore, job: str) -> Any:
    return job_answer(jobs.get(job))
