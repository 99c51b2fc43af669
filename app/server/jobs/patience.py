"""Waiting of workers for a database that does not answer or a full disk: with growing pauses, and without loss."""

import time
from collections.abc import Callable
from typing import Final, TypeVar

from app.server.jobs.waiting import no_room, repeat
from app.server.store.database import DatabaseUnavailableError

__all__ = ["patiently"]

# Between two looks whether there is still a reason to wait.
LOOK_SECONDS: Final = 0.2
T = TypeVar("T")


def patiently(call: Callable[[], T], check: Callable[[], object]) -> T:
    """Result of `call`, as soon as the database answers and has room; `check` raises to end the waiting."""

    def wait(seconds: float) -> None:
        until = time.monotonic() + seconds
        while time.monotonic() < until:
            check()
            time.sleep(min(LOOK_SECONDS, seconds))

    return repeat(call, wait, _reason)


def _reason(error: Exception) -> str | None:
    return "the database does not answer" if isinstance(error, DatabaseUnavailableError) else no_room(error)
