"""Small requests that wait at the same moment are answered as one: features cost as much for eight segments as for two.

Nothing waits for company. While one batch is computed the next gathers, so an idle server answers at once and a busy one in
batches.
"""

import asyncio
import queue
import threading
from collections.abc import Callable, Hashable, Iterator, Sequence
from dataclasses import dataclass
from typing import Final, Generic, TypeVar

__all__ = ["MOST_TOGETHER", "Batcher"]

MOST_TOGETHER: Final = 64
Q = TypeVar("Q")
A = TypeVar("A")


@dataclass(frozen=True, eq=False)
class _Waiting(Generic[Q, A]):
    """One question, and where its answer goes."""

    question: Q
    key: Hashable
    size: int
    loop: asyncio.AbstractEventLoop
    future: "asyncio.Future[A]"

    def tell(self, answer: A) -> None:
        self._settle(lambda: self.future.set_result(answer))

    def refuse(self, error: Exception) -> None:
        self._settle(lambda: self.future.set_exception(error))

    def _settle(self, settle: Callable[[], None]) -> None:
        def settle_once() -> None:
            if not self.future.done():
                settle()

        try:
            self.loop.call_soon_threadsafe(settle_once)
        except RuntimeError:
            # The loop of a caller that is gone is closed.
            return


class Batcher(Generic[Q, A]):
    """Threads that answer questions, those of one key that wait at the same moment together.

    `answer_together` gives one answer for each question, in their order; `size_of` says how much a question asks for. A batch
    is closed when it holds `most` of that. More than one thread is of use where `answer_together` waits for another process.
    """

    def __init__(
        self,
        threads: int,
        answer_together: Callable[[Sequence[Q]], Sequence[A]],
        size_of: Callable[[Q], int],
        most: int = MOST_TOGETHER,
    ) -> None:
        self._answer_together = answer_together
        self._size_of = size_of
        self._most = most
        self._queue: queue.SimpleQueue[_Waiting[Q, A] | None] = queue.SimpleQueue()
        self._threads = threads
        for _ in range(threads):
            threading.Thread(target=self._run, name="batcher", daemon=True).start()

    def stop(self) -> None:
        """Answer what waits, then end."""
        for _ in range(self._threads):
            self._queue.put(None)

    async def answer(self, question: Q, key: Hashable) -> A:
        """The answer to this question; what is raised for it alone is raised here."""
        loop = asyncio.get_running_loop()
        # What a question cannot say of itself fails here, not in a thread that answers others too.
        hash(key)
        waiting: _Waiting[Q, A] = _Waiting(question, key, self._size_of(question), loop, loop.create_future())
        self._queue.put(waiting)
        return await waiting.future

    def _run(self) -> None:
        while (first := self._queue.get()) is not None:
            groups: dict[Hashable, list[_Waiting[Q, A]]] = {}
            for waiting in self._gathered(first):
                groups.setdefault(waiting.key, []).append(waiting)
            for group in groups.values():
                self._answer(group)

    def _gathered(self, first: _Waiting[Q, A]) -> Iterator[_Waiting[Q, A]]:
        """The first and who waits behind it."""
        yield first
        size = first.size
        while size < self._most:
            try:
                following = self._queue.get_nowait()
            except queue.Empty:
                return
            if following is None:
                # The end is for later: first comes what was gathered.
                self._queue.put(None)
                return
            yield following
            size += following.size

    def _answer(self, group: Sequence[_Waiting[Q, A]]) -> None:
        """Answer questions together; where that fails, each alone, so that nobody gets another's error."""
        try:
            answers = self._answer_together([waiting.question for waiting in group])
            if len(answers) != len(group):
                raise RuntimeError(f"{len(group)} questions were given {len(answers)} answers")
        except Exception as error:
            if len(group) == 1:
                group[0].refuse(error)
            else:
                for waiting in group:
                    self._answer([waiting])
            return
        for waiting, answer in zip(group, answers, strict=True):
            waiting.tell(answer)
