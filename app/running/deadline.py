"""Until when somebody waits for an answer. Long computations ask between their parts, and stop where nobody waits any more."""

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
    """So many seconds from now, or sooner, where somebody gives up; without seconds only then."""

    def __init__(self, seconds: float = inf) -> None:
        self._seconds = seconds
        self._end = time.monotonic() + seconds
        self._given_up = threading.Event()

    def give_up(self) -> None:
        """Nobody waits any more."""
        self._given_up.set()

    def check(self) -> None:
        """InputError where nobody waits."""
        if self._given_up.is_set():
            raise InputError("too-slow", "the caller is gone")
        if time.monotonic() > self._end:
            raise InputError("too-slow", f"the answer took longer than {self._seconds:g} s; ask for less at once, or send a job")


class Interruptible(Deadline):
    """No end, but `interrupt` may raise between two parts of a computation: what is asked by a job is stopped like a call."""

    def __init__(self, interrupt: Callable[[], object]) -> None:
        super().__init__()
        self._interrupt = interrupt

    def check(self) -> None:
        """Whatever `interrupt` raises."""
        self._interrupt()


# What is computed is told nothing of who waits, so that every function in between need not hand it on.
_CURRENT: Final[ContextVar[Deadline | None]] = ContextVar("deadline", default=None)


@contextmanager
def until(deadline: Deadline) -> Iterator[None]:
    """Let what is computed here, in this thread, stop at a deadline."""
    token = _CURRENT.set(deadline)
    try:
        yield
    finally:
        _CURRENT.reset(token)


def check_deadline() -> None:
    """Between two parts of a computation: InputError where nobody waits for it; nothing where no deadline was set."""
    deadline = _CURRENT.get()
    if deadline is not None:
        deadline.check()


def awaited(items: Iterable[Item]) -> Iterator[Item]:
    """The same, each of them a part of a computation; InputError before the first that nobody waits for."""
    for item in items:
        check_deadline()
        yield item
