"""Deadlines of answers. Long computations check theirs between steps, and stop when the caller is gone."""

import threading
import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from math import inf
from typing import Final, TypeVar

from app.errors import InputError

__all__ = ["Deadline", "Interruptible", "awaited", "check_deadline", "until"]

Item = TypeVar("Item")


class Deadline:
    """A point in time `seconds` from now; `give_up` brings it forward. Without seconds only `give_up` ends it."""

    def __init__(self, seconds: float = inf) -> None:
        self._seconds = seconds
        self._end = time.monotonic() + seconds
        self._end_event = threading.Event()

    def give_up(self) -> None:
        """End the wait now, since the caller is gone."""
        self._end_event.set()

    def check(self) -> None:
        """Check the time; InputError (`too-slow`) after the deadline or `give_up`."""
        if self._end_event.is_set():
            raise InputError("too-slow", "the caller has closed the connection")
        if time.monotonic() > self._end:
            raise InputError("too-slow", f"the answer took longer than {self._seconds:g} s; ask for less at once")


class Interruptible(Deadline):
    """A deadline without an end whose check calls `interrupt`, which may raise. Jobs stop by it like calls."""

    def __init__(self, interrupt: Callable[[], object]) -> None:
        super().__init__()
        self._interrupt = interrupt

    def check(self) -> None:
        """Call `interrupt`, which raises to stop the computation."""
        self._interrupt()


# A context variable, so that functions in between need not pass the deadline on.
_CURRENT: Final[ContextVar[Deadline | None]] = ContextVar("deadline", default=None)


@contextmanager
def until(deadline: Deadline) -> Iterator[None]:
    """Set the deadline of this thread inside the block."""
    token = _CURRENT.set(deadline)
    try:
        yield
    finally:
        _CURRENT.reset(token)


def check_deadline() -> None:
    """Check the deadline of this thread, if any; InputError (`too-slow`) after it."""
    deadline = _CURRENT.get()
    if deadline is not None:
        deadline.check()


def awaited(items: Iterable[Item]) -> Iterator[Item]:
    """Yield items and check the deadline before each; InputError (`too-slow`) after it."""
    for item in items:
        check_deadline()
        yield item
