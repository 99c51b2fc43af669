"""Signs of life of a worker process."""

import socket
from collections.abc import Callable, Sequence
from contextlib import suppress
from typing import Final

from app.server.jobs.hosts.worker_store import WorkerStore
from app.server.store.database import DatabaseUnavailableError

__all__ = ["BEAT_SECONDS", "heartbeat"]

BEAT_SECONDS: Final = 10.0


def heartbeat(store: WorkerStore, worker: str, pairs: Sequence[str]) -> tuple[Callable[[], None], Callable[[], None]]:
    """Functions that note and forget a worker of this machine."""

    def forget() -> None:
        with suppress(DatabaseUnavailableError):
            store.forget(worker)

    return lambda: store.note(worker, socket.gethostname(), tuple(pairs)), forget
