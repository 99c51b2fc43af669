"""Work of a call on several threads: the caller works on its own items, and idle helper threads join in.

No call waits for another call's items. Helpers take one item at a time, of the call with the fewest items left.
"""

import threading
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, Final, TypeVar

from app.running.deadline import check_deadline

__all__ = ["Spreading"]

T = TypeVar("T")
# A caller that waits for helpers checks its deadline this often.
CHECK_SECONDS: Final = 0.1


@dataclass(eq=False)
class _Call:
    """Items `next` to `count` - 1 are free; `running` helpers work on others."""

    work: Callable[[int], Any]
    count: int
    next: int = 0
    running: int = 0
    results: dict[int, Any] = field(default_factory=dict)
    error: Exception | None = None

    @property
    def rest(self) -> int:
        return self.count - self.next


class Spreading:
    """Works on the items of calls in the threads of callers and in `threads` - 1 helpers, which start on first use."""

    def __init__(self, threads: int = 1) -> None:
        self.threads: Final = threads
        self._condition = threading.Condition()
        self._calls: list[_Call] = []
        self._working = 0
        self._started = False

    def results(self, work: Callable[[int], T], count: int) -> list[T]:
        """Results of `work` for 0 to `count` - 1, in order; raises the first error. InputError after the deadline."""
        call = _Call(work, count)
        with self._condition:
            self._working += 1
            if count > 1 and self.threads > 1:
                self._calls.append(call)
                self._start()
                self._condition.notify_all()
        try:
            while (item := self._take(call)) is not None:
                check_deadline()
                call.results[item] = work(item)
        finally:
            with self._condition:
                self._working -= 1
                call.next = count
                if call in self._calls:
                    self._calls.remove(call)
                self._condition.notify_all()
        self._await(call)
        return [call.results[item] for item in range(count)]

    def _await(self, call: _Call) -> None:
        while True:
            check_deadline()
            with self._condition:
                if call.error is not None:
                    raise call.error
                if not call.running:
                    return
                self._condition.wait(CHECK_SECONDS)

    def _take(self, call: _Call) -> int | None:
        """The next free item; None after the last, or after an error of a helper."""
        with self._condition:
            if call.error is not None or not call.rest:
                return None
            call.next += 1
            return call.next - 1

    def _start(self) -> None:
        """Start the helpers, once; the caller holds the lock."""
        if not self._started:
            self._started = True
            for _ in range(self.threads - 1):
                threading.Thread(target=self._help, name="helper", daemon=True).start()

    def _help(self) -> None:
        while True:
            with self._condition:
                while (call := self._smallest()) is None:
                    self._condition.wait()
                item, call.next = call.next, call.next + 1
                call.running += 1
                self._working += 1
            try:
                call.results[item] = call.work(item)
            except Exception as error:
                call.error = call.error or error
            finally:
                with self._condition:
                    call.running -= 1
                    self._working -= 1
                    self._condition.notify_all()

    def _smallest(self) -> _Call | None:
        """The call with the fewest free items; None if all threads work. The caller holds the lock."""
        calls = [call for call in self._calls if call.rest and call.error is None]
        return min(calls, key=lambda call: call.rest) if calls and self._working < self.threads else None
