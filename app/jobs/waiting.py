"""Waiting for a database or a disk that does not take anything: with pauses that grow."""

import logging
from collections.abc import Callable
from typing import Final, TypeVar

from app.errors import is_disk_full

__all__ = ["Pauses", "with_room"]

log = logging.getLogger("assay")
T = TypeVar("T")
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
        """Something went well."""
        self._next = FIRST_SECONDS


def with_room(action: Callable[[], T], wait: Callable[[float], object]) -> T:
    """What `action` gives, tried again while there is no room on the disk; ``wait(seconds)`` raises where nobody can wait on."""
    pauses = Pauses()
    while True:
        try:
            return action()
        except Exception as error:
            if not is_disk_full(error):
                raise
            pause = next(pauses)
            if pause == FIRST_SECONDS:
                log.warning("there is no room on the disk; waiting for it")
        wait(pause)
