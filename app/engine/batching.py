"""Small requests that wait at the same moment are answered as one batch: features cost as much for eight segments as for two.

Nothing waits for company. While one batch is computed the next gathers, so an idle server answers at once and a busy one in
batches.
"""

import asyncio
import queue
import threading
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Final

from app.answers import quality_rows
from app.engine import Engine
from app.engine.segments import Options, QualityAnswer, Segments
from app.errors import InputError
from app.text.side_information import SideInformation

__all__ = ["LARGEST", "QualityBatcher"]

Json = dict[str, Any]
# Requests of more segments are batches themselves.
LARGEST: Final = 32
MOST: Final = 64


@dataclass(frozen=True)
class Waiting:
    """One request, and where its answer goes."""

    engine: Engine
    sent: Segments
    model: str | None
    label: str | None
    options: Options
    loop: asyncio.AbstractEventLoop
    future: "asyncio.Future[tuple[QualityAnswer, list[Json]]]"

    @property
    def key(self) -> tuple[object, ...]:
        """What requests have in common that can be answered together."""
        return (id(self.engine), self.sent.pair, self.model, self.label, self.options, self.sent.sent)


class QualityBatcher:
    """Threads that answer small requests of /v1/quality: two where one of them may wait for a tagging process."""

    def __init__(self, threads: int) -> None:
        self._queue: queue.SimpleQueue[Waiting | None] = queue.SimpleQueue()
        self._threads = threads
        for _ in range(threads):
            threading.Thread(target=self._run, name="quality", daemon=True).start()

    def stop(self) -> None:
        """Answer what waits, then end."""
        for _ in range(self._threads):
            self._queue.put(None)

    async def quality(
        self, engine: Engine, sent: Segments, model: str | None, label: str | None, options: Options
    ) -> tuple[QualityAnswer, list[Json]]:
        """The answer of a batch that this request was part of (its model and options), and the rows of this request."""
        loop = asyncio.get_running_loop()
        waiting = Waiting(engine, sent, model, label, options, loop, loop.create_future())
        self._queue.put(waiting)
        return await waiting.future

    def _run(self) -> None:
        while (first := self._queue.get()) is not None:
            gathered, ended = [first], False
            size = len(first.sent)
            while size < MOST:
                try:
                    following = self._queue.get_nowait()
                except queue.Empty:
                    break
                if following is None:
                    ended = True
                    break
                gathered.append(following)
                size += len(following.sent)
            groups: dict[tuple[object, ...], list[Waiting]] = {}
            for each in gathered:
                groups.setdefault(each.key, []).append(each)
            for group in groups.values():
                _answer(group)
            if ended:
                return


def _answer(group: Sequence[Waiting]) -> None:
    """Answer requests together; where that fails, each alone, so that nobody gets another's error."""
    first = group[0]
    try:
        merged = first.sent if len(group) == 1 else _merged([each.sent for each in group])
        answer = first.engine.quality(merged, first.model, first.label, first.options)
        rows = quality_rows(answer)
    except Exception as error:
        if len(group) > 1:
            for each in group:
                _answer([each])
        else:
            _tell(first, error)
        return
    at = 0
    for each in group:
        _tell(each, (answer, rows[at : at + len(each.sent)]))
        at += len(each.sent)


def _tell(waiting: Waiting, found: tuple[QualityAnswer, list[Json]] | Exception) -> None:
    def settle() -> None:
        if waiting.future.done():
            return
        if isinstance(found, Exception):
            waiting.future.set_exception(found)
        else:
            waiting.future.set_result(found)

    # The loop of a caller that is gone is closed.
    if not waiting.loop.is_closed():
        waiting.loop.call_soon_threadsafe(settle)


def _merged(parts: Sequence[Segments]) -> Segments:
    """One batch of several that came with the same kinds of side information."""
    first = parts[0]
    side_information = SideInformation.joined([part.side_information for part in parts])
    sources = [text for part in parts for text in part.sources]
    translations = [text for part in parts for text in part.translations]
    if len(sources) != len(translations):
        raise InputError("unequal-lengths", "each source needs one translation")
    return Segments(first.pair, sources, translations, side_information)
