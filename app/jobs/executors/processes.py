"""Keeping the worker processes alive, and stopping them in order."""

import logging
import os
import signal
import subprocess
import sys
import threading
import time

from app.settings import ROOT, Settings
from app.store.jobs import JobStore, worker_name

__all__ = ["Supervisor"]

log = logging.getLogger("assay")
LOOK_SECONDS = 0.5
# A worker that dies at once is started again, but not in a frenzy.
PAUSE_SECONDS = 2.0


class Supervisor:
    """Starts `settings.workers` worker processes and replaces those that end."""

    def __init__(self, settings: Settings, store: JobStore) -> None:
        self._settings = settings
        self._store = store
        self._processes: list[subprocess.Popen[bytes]] = []
        self._stopping = threading.Event()
        self._thread = threading.Thread(target=self._watch, name="supervisor", daemon=True)

    def start(self) -> None:
        """Free the jobs of dead workers and start new ones."""
        self.free_orphans()
        for _ in range(self._settings.workers):
            self._processes.append(self._spawn())
        self._thread.start()

    def free_orphans(self) -> None:
        """Expire leases of processes of this machine that no longer exist."""
        here = worker_name(0).rpartition(":")[0]
        dead = []
        for owner in self._store.owners():
            host, _, pid = owner.rpartition(":")
            if host == here and not _alive(int(pid)):
                dead.append(owner)
        if dead:
            log.info("taking over the jobs of %d workers that are gone", len(dead))
            self._store.release_owned_by(dead)

    def alive(self) -> int:
        """Number of worker processes that run."""
        return sum(process.poll() is None for process in self._processes)

    def stop(self) -> None:
        """Ask every worker to finish its chunk and wait for it; kill what takes too long."""
        self._stopping.set()
        for process in self._processes:
            if process.poll() is None:
                process.send_signal(signal.SIGTERM)
        deadline = time.monotonic() + self._settings.drain_seconds
        for process in self._processes:
            try:
                process.wait(max(0.1, deadline - time.monotonic()))
            except subprocess.TimeoutExpired:
                log.warning("worker %d did not stop in time", process.pid)
                process.kill()
                process.wait()

    def _watch(self) -> None:
        while not self._stopping.wait(LOOK_SECONDS):
            for place, process in enumerate(self._processes):
                if process.poll() is not None and not self._stopping.is_set():
                    log.warning("worker %d ended with %s; starting another", process.pid, process.returncode)
                    self._store.release_owned_by([worker_name(process.pid)])
                    self._stopping.wait(PAUSE_SECONDS)
                    if not self._stopping.is_set():
                        self._processes[place] = self._spawn()

    def _spawn(self) -> subprocess.Popen[bytes]:
        environment = dict(os.environ)
        for name in type(self._settings).model_fields:
            environment[f"ASSAY_{name.upper()}"] = str(getattr(self._settings, name))
        environment["PYTHONPATH"] = os.pathsep.join(filter(None, [str(ROOT), environment.get("PYTHONPATH", "")]))
        return subprocess.Popen(
            [sys.executable, "-m", "app.jobs.worker", str(os.getpid())], env=environment, start_new_session=True
        )


def _alive(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    except PermissionError:
        return True
    return True
