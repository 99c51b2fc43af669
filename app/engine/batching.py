"""Batches of small requests: features of eight segments cost as much as features of two.

No request waits for a batch to fill. Requests gather while a batch is computed, so an idle server answers at once and a busy one
in batches. Clients take turns, so that many requests of one client do not delay those of another.
"""

import asyncio
import threading
from collections import OrderedDict, deque
from collections.abc import Callable, Hashable, Iterator, Sequence
from dataclasses import dataclass
from typing import Final, Generic, TypeVar

__all__ = ["BATCH_LIMIT", "Batcher"]

BATCH_LIMIT: Final = 64
Q = TypeVar("Q")
A = TypeVar("A")


@dataclass(frozen=True, eq=False)
class _Waiting(Generic[Q, A]):
    """A question, and the future of its answer."""

    question: Q
    key: Hashable
    client: Hashable
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
            # A caller has left, and its loop is closed.
            return


class _Turns(Generic[Q, A]):
    """Waiting questions by client; safe to use from any thread."""

    def __init__(self) -> None:
        self._rows: OrderedDict[Hashable, deque[_Waiting[Q, A]]] = OrderedDict()
        self._change = threading.Condition()
        self._has_ended = False

    def put(self, waiting: _Waiting[Q, A]) -> None:
        with self._change:
            self._rows.setdefault(waiting.client, deque()).append(waiting)
            self._change.notify()

    def end(self) -> None:
        """Let `get` return None once no question waits."""
        with self._change:
            self._has_ended = True
            self._change.notify_all()

    def get(self, is_patient: bool = True) -> _Waiting[Q, A] | None:
        """The next question of the client whose turn it is; None at the end, or if none waits and the caller is not patient."""
        with self._change:
            while True:
                while self._rows:
                    waiting = self._next()
                    # Nobody waits for the answer to a client that has left.
                    if not waiting.future.done():
                        return waiting
                if self._has_ended or not is_patient:
                    return None
                self._change.wait()

    def _next(self) -> _Waiting[Q, A]:
        client, questions = self._rows.popitem(last=False)
        waiting = questions.popleft()
        if questions:
            self._rows[client] = questions
        return waiting


class Batcher(Generic[Q, A]):
    """Threads that answer waiting questions of equal keys in batches.

    `answer_together` returns one answer per question, in their order; `size_of` returns the size of a question. A batch closes
    at a total size of `limit`. Several threads help if `answer_together` waits for another process.
    """

    def __init__(
        self,
        threads: int,
        answer_together: Callable[[Sequence[Q]], Sequence[A]],
        size_of: Callable[[Q], int],
        limit: int = BATCH_LIMIT,
    ) -> None:
        self._answer_together = answer_together
        self._size_of = size_of
        self._limit = limit
        self._turns: _Turns[Q, A] = _Turns()
        # Started by the first question: a process that is forked before it answers may have no threads.
        self._threads = [threading.Thread(target=self._run, name="batcher", daemon=True) for _ in range(threads)]

    def stop(self) -> None:
        """Answer the waiting questions, then end the threads."""
        self._turns.end()

    async def answer(self, question: Q, key: Hashable, client: Hashable = None) -> A:
        """Wait for the answer to a question of a client; raise the error of this question alone."""
        loop = asyncio.get_running_loop()
        while self._threads:
            self._threads.pop().start()
        # A key without a hash fails here, not in a thread that answers other questions too.
        hash((key, client))
        waiting: _Waiting[Q, A] = _Waiting(question, key, client, self._size_of(question), loop, loop.create_future())
        self._turns.put(waiting)
        return await waiting.future

    def _run(self) -> None:
        while (first := self._turns.get()) is not None:
            groups: dict[Hashable, list[_Waiting[Q, A]]] = {}
            for waiting in self._gathered(first):
                groups.setdefault(waiting.key, []).append(waiting)
            for group in groups.values():
                self._answer(group)

    def _gathered(self, first: _Waiting[Q, A]) -> Iterator[_Waiting[Q, A]]:
        """The first question and the questions behind it, up to the size of a batch."""
        yield first
        size = first.size
        while size < self._limit:
            following = self._turns.get(is_patient=False)
            if following is None:
                return
            yield following
            size += following.size

    def _answer(self, group: Sequence[_Waiting[Q, A]]) -> None:
        """Answer questions together; after an error answer each alone, so that no caller gets the error of another."""
        try:
            answers = self._answer_together([waiting.question for waiting in group])
            if len(answers) != len(group):
                raise RuntimeError(f"{len(group)} questions got {len(answers)} answers")
        except Exception as error:
            if len(group) == 1:
                group[0].refuse(error)
            else:
                for waiting in group:
                    self._answer([waiting])
            return
        for waiting, answer in zip(group, answers, strict=True):
            waiting.tell(answer)
