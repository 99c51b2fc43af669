"""Chunks of a job that a worker and its assistant work on, each chunk once."""

import threading
from typing import Any

from app.server.store.queue import JobQueue

__all__ = ["Chunks"]


class Chunks:
    """Chunks of a job without output, in order; safe to use from two threads."""

    def __init__(self, queue: JobQueue, job: str) -> None:
        self._queue, self._job = queue, job
        self._lock = threading.Lock()
        self._numbers: set[int] = set()
        self._is_closed = False

    def take(self) -> tuple[int, Any] | None:
        """Number and input of the next chunk, which no other thread gets; None without one."""
        with self._lock:
            chunk = None if self._is_closed else self._queue.next_chunk(self._job, self._numbers)
            if chunk is not None:
                self._numbers.add(chunk[0])
            return chunk

    def note_saved(self, number: int) -> None:
        """Note that the database has the output of a chunk."""
        with self._lock:
            self._numbers.discard(number)

    def close(self) -> None:
        """Give out no chunk any more."""
        self._is_closed = True
