"""Signs of life of a worker process, from a thread beside its work."""

import logging
import socket
import threading
from collections.abc import Callable, Sequence
from contextlib import suppress
from typing import Final

from app.server.jobs.hosts.worker_store import WorkerStore
from app.server.store.database import DatabaseUnavailableError

__all__ = ["BEAT_SECONDS", "SYNCHRONISE_SECONDS", "Companion", "heartbeat"]

log = logging.getLogger("assay.worker")
BEAT_SECONDS: Final = 10.0
SYNCHRONISE_SECONDS: Final = 5.0


class Companion:
    """A thread that repeats actions every few seconds while a process lives; a store that does not answer is asked again."""

    def __init__(self, actions: Sequence[Callable[[], None]], seconds: float) -> None:
        self._actions = actions
        self._seconds = seconds
        self._stopping = threading.Event()
        self._thread = threading.Thread(target=self._run, name="companion", daemon=True)

    def start(self) -> None:
        """Begin; the first actions come at once."""
        self._thread.start()

    def stop(self) -> None:
        """End after the action at hand."""
        self._stopping.set()
        self._thread.join()

    def _run(self) -> None:
        while True:
            for action in self._actions:
                try:
                    action()
                except DatabaseUnavailableError as error:
                    log.warning("%s", error.detail)
                except Exception:
                    log.exception("a store could not be looked at")
            if self._stopping.wait(self._seconds):
                return


def heartbeat(store: WorkerStore, worker: str, pairs: Sequence[str]) -> tuple[Callable[[], None], Callable[[], None]]:
    """Functions that note and forget a worker of this machine."""

    def forget() -> None:
        with suppress(DatabaseUnavailableError):
            store.forget(worker)

    return lambda: store.note(worker, socket.gethostname(), tuple(pairs)), forget
