"""A worker's turn on a job: what it costs the job's owner, and when another job comes first."""

import threading
import time
from typing import Final

from app.server.store.queue import JobQueue
from app.server.store.turns import LEAST_CHARGE_SECONDS
from app.server.store.view import JobView

__all__ = ["Turn"]

# So long a worker goes on between two looks at the queue, however cheap its chunks are.
SHORTEST_SECONDS: Final = 0.25


class Turn:
    """The turns of one worker on one job, one after the other; safe to use from the threads beside its steps."""

    def __init__(self, queue: JobQueue, job: JobView) -> None:
        self._queue = queue
        self._job = job
        self._lock = threading.Lock()
        self._charge_time = self._begin_time = time.monotonic()

    def charge(self) -> None:
        """Charge the owner for the work since the last charge; work below the cost of taking a job is part of that cost."""
        with self._lock:
            now = time.monotonic()
            seconds = now - self._charge_time
            if seconds >= LEAST_CHARGE_SECONDS:
                self._queue.charge(self._job.owner, seconds)
                self._charge_time = now

    def is_over(self) -> bool:
        """Return True if another job comes first, checked at most every SHORTEST_SECONDS; each check begins a new turn."""
        if time.monotonic() < self._begin_time + SHORTEST_SECONDS:
            return False
        self.charge()
        self._begin_time = time.monotonic()
        return self._queue.comes_before(self._job.id)
