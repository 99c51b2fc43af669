"""Waiting for a database or a disk that does not take anything: with pauses that grow."""

import logging
from collections.abc import Callable
from typing import Final, TypeVar

from app.errors import is_disk_full

__all__ = ["Pauses", "no_room", "repeat", "with_room"]

log = logging.getLogger("assay")
T = TypeVar("T")
NO_ROOM: Final = "there is no room on the disk"
FIRST_SECONDS: Final = 0.25
LONGEST_SECONDS: Final = 10.0


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


def no_room(error: Exception) -> str | None:
    """Reason to wait on a full disk."""
    return NO_ROOM if is_disk_full(error) else None


def repeat(action: Callable[[], T], wait: Callable[[float], object], reason: Callable[[Exception], str | None]) -> T:
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
    return repeat(action, wait, no_room)
