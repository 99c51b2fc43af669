"""Encoding of texts by several threads: a caller encodes its own texts, and idle helper threads join in.

No request waits for another request's texts. A caller works as long as it has texts that no thread encodes yet. Helpers take small
parts, those of the smallest request first. Vectors do not depend on the thread or the batch.
"""

import threading
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import Final

from app.resources.encoders.encoder import EncodedTokens
from app.running.deadline import check_deadline

__all__ = ["SharedEncoding"]

# Characters of a part: some hundredths of a second of work, after which a helper turns to the smallest request.
PART: Final = 500
# A caller that waits for helpers checks its deadline this often.
CHECK_SECONDS: Final = 0.1
# Limit on groups of texts; with more, announced texts wait for their request.
GROUP_LIMIT: Final = 64


@dataclass(eq=False)
class _Text:
    """A text that is not encoded yet: `callers` wait for it, `running` if a thread encodes it, `failed` if a helper failed."""

    key: bytes
    text: str
    callers: int = 0
    running: bool = False
    failed: bool = False
    tokens: EncodedTokens | None = None

    @property
    def free(self) -> bool:
        return not self.running and self.tokens is None


@dataclass(eq=False)
class _Group:
    """Texts of one caller, the longest first."""

    texts: list[_Text]

    @property
    def characters(self) -> int:
        return sum(len(text.text) for text in self.texts if text.free)


class SharedEncoding:
    """Token vectors of texts by `encode`, in the threads of callers and in `threads` - 1 helpers, which start on first use.

    `keep` receives all results.
    """

    def __init__(
        self,
        encode: Callable[[Sequence[str]], EncodedTokens | None],
        keep: Callable[[Mapping[bytes, EncodedTokens]], None],
        threads: int = 1,
    ) -> None:
        self._encode = encode
        self._keep = keep
        self._condition = threading.Condition()
        self._queue: dict[bytes, _Text] = {}
        self._groups: list[_Group] = []
        self._threads = threads
        self._started = False
        self._idle = self._running = 0

    def begin(self, texts: Mapping[bytes, str]) -> None:
        """Let helpers encode texts that are needed soon."""
        with self._condition:
            new = {key: text for key, text in texts.items() if key not in self._queue}
            if self._threads > 1 and new and len(self._groups) < GROUP_LIMIT:
                self._group(new)

    def encode(self, texts: Mapping[bytes, str]) -> dict[bytes, EncodedTokens] | None:
        """Token vectors of texts by key; None if `encode` gives none."""
        with self._condition:
            group = self._group(texts)
            for text in group.texts:
                text.callers += 1
        try:
            while True:
                check_deadline()
                with self._condition:
                    # A batch of texts takes less work than single texts.
                    part = _part(group.texts, 1 + min(self._idle, max(0, self._threads - 1 - self._running)))
                    self._running += bool(part)
                    if not part:
                        if all(text.tokens is not None for text in group.texts):
                            return {text.key: text.tokens for text in group.texts if text.tokens is not None}
                        self._condition.wait(CHECK_SECONDS)
                        continue
                if not self._work(part):
                    return None
        finally:
            with self._condition:
                if group in self._groups:
                    self._groups.remove(group)
                for text in group.texts:
                    text.callers -= 1
                    if not text.callers and text.free:
                        self._queue.pop(text.key, None)

    def _group(self, texts: Mapping[bytes, str]) -> _Group:
        """Add a group of texts for all threads; the caller holds the lock."""
        group = _Group([self._queue.setdefault(key, _Text(key, text)) for key, text in texts.items()])
        group.texts.sort(key=lambda text: -len(text.text))
        self._groups.append(group)
        if not self._started:
            self._started = True
            for _ in range(self._threads - 1):
                threading.Thread(target=self._help, name="encoder", daemon=True).start()
        self._condition.notify_all()
        return group

    def _work(self, part: Sequence[_Text], helping: bool = False) -> bool:
        """Encode a part of `_part`; return False if there are no token vectors."""
        results: Sequence[EncodedTokens] = ()
        try:
            batch = self._encode([text.text for text in part])
            results = () if batch is None else list(batch.single_texts())
            self._keep({text.key: tokens for text, tokens in zip(part, results, strict=False)})
        finally:
            with self._condition:
                self._running -= 1
                for place, text in enumerate(part):
                    text.running = False
                    if place < len(results):
                        text.tokens = results[place]
                    else:
                        # The caller encodes the text and meets the error.
                        text.failed = text.failed or helping
                    if text.tokens is not None or not text.callers:
                        self._queue.pop(text.key, None)
                self._condition.notify_all()
        return bool(results)

    def _help(self) -> None:
        while True:
            with self._condition:
                while not (part := self._next_part()):
                    self._idle += 1
                    self._condition.wait()
                    self._idle -= 1
            # The caller of the texts meets the same error.
            with suppress(Exception):
                self._work(part, helping=True)

    def _next_part(self) -> list[_Text]:
        """A part of the smallest group, which can finish first; empty if callers use all threads. The caller holds the lock."""
        self._groups = [group for group in self._groups if any(text.free and not text.failed for text in group.texts)]
        if not self._groups or self._running >= self._threads:
            return []
        self._running += 1
        smallest = min(self._groups, key=lambda group: group.characters)
        return _part([text for text in smallest.texts if not text.failed], 2 + self._idle)


def _part(texts: Sequence[_Text], shares: int) -> list[_Text]:
    """Mark and return the next free texts: one of `shares` shares, up to `PART` characters, but at least one text."""
    free = [text for text in texts if text.free]
    room = min(PART, sum(len(text.text) for text in free) / shares)
    part: list[_Text] = []
    for text in free:
        room -= len(text.text)
        if part and room < 0:
            break
        text.running = True
        part.append(text)
    return part
