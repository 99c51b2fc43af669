"""Workers as processes of this machine: kept alive, and stopped in order."""

import logging
import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final
from uuid import uuid4

from app.errors import InputError, is_disk_full
from app.running.processors import available_processors
from app.server.jobs.lease import GRACE_SECONDS
from app.server.jobs.presence import departed_workers
from app.server.jobs.waiting import Pauses
from app.server.store.database import DatabaseUnavailableError
from app.server.store.queue import JobQueue
from app.settings import ROOT, Settings

__all__ = ["ProcessExecutor", "worker_environment"]

log = logging.getLogger("assay")
LOOK_SECONDS: Final = 0.5
# A worker that dies at once is started again, but not in a frenzy.
PAUSE_SECONDS: Final = 2.0
# A worker ends itself when its step does not listen to a cancellation; one that cannot do even that is killed.
KILL_SECONDS: Final = GRACE_SECONDS + 2.0
# Imports create many objects and no garbage: a worker searches for garbage only after its engine has loaded.
PROGRAM: Final = "import gc; gc.disable(); from {module} import main; main()"


@dataclass
class _Started:
    """A worker's id and process, and the time at which it is killed unless it has cancelled its job."""

    id: str
    process: subprocess.Popen[bytes]
    kill_at: float | None = None


class ProcessExecutor:
    """Starts `settings.workers` processes of a `module`, by default Assay's worker, and replaces those that end."""

    def __init__(
        self, settings: Settings, queue: JobQueue, module: str = "app.server.jobs.worker_process", assistants: bool = True
    ) -> None:
        """With `assistants`, each worker has an assistant if this machine has a processor for one."""
        self._settings = settings
        self._has_assistants = assistants and available_processors() > settings.workers and sys.platform == "linux"
        self._queue = queue
        self._module = module
        self._workers: list[_Started] = []
        self._stopping = threading.Event()
        self._deadline = 0.0
        self._thread = threading.Thread(target=self._watch, name="executor", daemon=True)

    def start(self) -> None:
        """Free the jobs of workers that are gone, and start new ones; returns before they are ready."""
        for worker in departed_workers(self._settings.workers_dir):
            log.info("taking over what worker %s had, which is gone", worker)
            self._queue.release_workers([worker])
        self._workers = [self._spawn(place) for place in range(self._settings.workers)]
        self._thread.start()

    def alive(self) -> int:
        """Number of worker processes that run."""
        return sum(worker.process.poll() is None for worker in self._workers)

    def tell(self) -> None:
        """Ask every worker to end its step; returns at once."""
        if not self._stopping.is_set():
            self._deadline = time.monotonic() + self._settings.drain_seconds
        self._stopping.set()
        for worker in self._workers:
            worker.process.send_signal(signal.SIGTERM)

    def stop(self) -> None:
        """Ask every worker to end its step, and wait; kill slow workers."""
        self.tell()
        if self._thread.is_alive():
            self._thread.join(PAUSE_SECONDS)
        # One may have been started meanwhile.
        self.tell()
        for worker in self._workers:
            try:
                worker.process.wait(max(0.1, self._deadline - time.monotonic()))
            except subprocess.TimeoutExpired:
                log.warning("worker %d did not stop in time", worker.process.pid)
                self._kill(worker)

    def _watch(self) -> None:
        pauses = Pauses()
        while not self._stopping.wait(LOOK_SECONDS):
            try:
                self._look()
                pauses.begin_again()
            except Exception as error:
                if is_disk_full(error):
                    log.warning("workers that ended wait for others: there is no room on the disk")
                elif isinstance(error, DatabaseUnavailableError):
                    log.warning("the workers cannot be looked after: the database does not answer")
                else:
                    log.exception("the workers could not be looked after")
                self._stopping.wait(next(pauses))

    def _look(self) -> None:
        for place, worker in enumerate(self._workers):
            if worker.process.poll() is None:
                continue
            log.warning("worker %d ended with %s; starting another", worker.process.pid, worker.process.returncode)
            self._queue.release_workers([worker.id])
            if self._stopping.wait(PAUSE_SECONDS):
                return
            self._workers[place] = self._spawn(place)
        self._kill_the_deaf()

    def _kill_the_deaf(self) -> None:
        now = time.monotonic()
        cancelling = self._queue.cancelling([worker.id for worker in self._workers])
        for worker in self._workers:
            if worker.id not in cancelling:
                worker.kill_at = None
            elif worker.kill_at is None:
                worker.kill_at = now + KILL_SECONDS
            elif now >= worker.kill_at:
                log.warning("worker %d did not cancel its job in time", worker.process.pid)
                self._kill(worker)

    def _kill(self, worker: _Started) -> None:
        worker.process.kill()
        worker.process.wait()
        try:
            self._queue.release_workers([worker.id])
        except InputError as error:
            if not is_disk_full(error):
                raise
            log.warning("what worker %s had is free at the next start: there is no room on the disk", worker.id)

    def _spawn(self, place: int) -> _Started:
        """Start a worker; the first of several leaves long steps to the others, so that short jobs always find one."""
        id = uuid4().hex
        is_spared = place == 0 and self._settings.workers > 1
        command = [
            sys.executable,
            "-c",
            PROGRAM.format(module=self._module),
            str(os.getpid()),
            id,
            *(["short"] if is_spared else []),
            *(["assisted"] if self._has_assistants else []),
        ]
        environment = worker_environment(self._settings, os.environ)
        return _Started(id, subprocess.Popen(command, env=environment, start_new_session=True))


def worker_environment(settings: Settings, inherited: Mapping[str, str]) -> dict[str, str]:
    """The environment in which `Settings()` is `settings` again and this package can be imported."""
    environment = dict(inherited)
    for name in type(settings).model_fields:
        value = getattr(settings, name)
        environment.pop(f"ASSAY_{name.upper()}", None)
        if value is not None:
            environment[f"ASSAY_{name.upper()}"] = str(value)
    environment["PYTHONPATH"] = os.pathsep.join(filter(None, [str(ROOT), environment.get("PYTHONPATH", "")]))
    return environment
