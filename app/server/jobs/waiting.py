"""Waiting for a database that does not answer or a full disk: with growing pauses, and without loss."""

import logging
import time
from collections.abc import Callable
from typing import Final, TypeVar

from app.errors import is_disk_full
from app.server.store.database import DatabaseUnavailableError

__all__ = ["Pauses", "patiently", "with_room"]

log = logging.getLogger("assay")
T = TypeVar("T")
NO_ROOM: Final = "there is no room on the disk"
FIRST_SECONDS: Final = 0.25
LONGEST_SECONDS: Final = 10.0
# Between two looks whether a reason to wait remains.
LOOK_SECONDS: Final = 0.2


class Pauses:
    """Seconds to wait after every failure in a row: twice as long each time, up to ten seconds."""

    def __init__(self) -> None:
        self._next = FIRST_SECONDS

    def __next__(self) -> float:
        pause, self._next = self._next, min(2 * self._next, LONGEST_SECONDS)
        return pause

    def begin_again(self) -> None:
        """Reset after a success."""
        self._next = FIRST_SECONDS


def _full_disk(error: Exception) -> str | None:
    """Reason to wait on a full disk."""
    return NO_ROOM if is_disk_full(error) else None


def _repeat(action: Callable[[], T], wait: Callable[[float], object], reason: Callable[[Exception], str | None]) -> T:
    """Result of `action`, repeated while `reason` gives a reason to wait; ``wait(seconds)`` raises to end the waiting."""
    pauses = Pauses()
    while True:
        try:
            return action()
        except Exception as error:
            reason_text = reason(error)
            if reason_text is None:
                raise
        pause = next(pauses)
        if pause == FIRST_SECONDS:
            log.warning("%s; waiting for it", reason_text)
        wait(pause)


def with_room(action: Callable[[], T], wait: Callable[[float], object]) -> T:
    """Result of `action`, repeated while the disk has no room."""
    return _repeat(action, wait, _full_disk)


def patiently(call: Callable[[], T], check: Callable[[], object]) -> T:
    """Result of `call`, as soon as the database answers and has room; `check` raises to end the waiting."""

    def wait(seconds: float) -> None:
        until = time.monotonic() + seconds
        while time.monotonic() < until:
            check()
            time.sleep(min(LOOK_SECONDS, seconds))

    def reason(error: Exception) -> str | None:
        # The call is repeated here.
        return error.detail.removesuffix("; ask again") if isinstance(error, DatabaseUnavailableError) else _full_disk(error)

    return _repeat(call, wait, reason)
