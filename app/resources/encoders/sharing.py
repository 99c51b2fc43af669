"""Texts that several threads encode: whoever asks works on its own, and threads that are idle help.

No request waits for another's texts: a caller never stops working on its own while there are any that nobody has begun, and helpers
take small parts, those of the smallest request first. What a text becomes does not depend on who encodes it, nor on what with.
"""

import threading
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import Final

from app.resources.encoders.encoder import EncodedTokens
from app.running.deadline import check_deadline

__all__ = ["SharedEncoding"]

# Characters of a part: some hundredths of a second of work, after which a helper looks who else waits.
PART: Final = 500
# How long a caller waits for texts that others are encoding before it looks whether somebody still waits for it.
LOOK_SECONDS: Final = 0.1
# More that is begun and that nobody has asked for yet is not begun.
MOST_BEGUN: Final = 64


@dataclass(eq=False)
class _Text:
    """A text that is not encoded yet, how many callers wait for it, and whether somebody works on it; `failed` for a helper."""

    key: bytes
    text: str
    wanted: int = 0
    running: bool = False
    failed: bool = False
    tokens: EncodedTokens | None = None

    @property
    def free(self) -> bool:
        return not self.running and self.tokens is None


@dataclass(eq=False)
class _Group:
    """What one caller asked for, the longest text first."""

    texts: list[_Text]

    @property
    def characters(self) -> int:
        return sum(len(text.text) for text in self.texts if text.free)


class SharedEncoding:
    """Texts to token vectors by `encode`, in the threads that ask and in `threads` - 1 of its own, which begin when first needed.

    `keep` is told of all that was encoded.
    """

    def __init__(
        self,
        encode: Callable[[Sequence[str]], EncodedTokens | None],
        keep: Callable[[Mapping[bytes, EncodedTokens]], None],
        threads: int = 1,
    ) -> None:
        self._encode = encode
        self._keep = keep
        self._changed = threading.Condition()
        self._unfinished: dict[bytes, _Text] = {}
        self._groups: list[_Group] = []
        self._threads = threads
        self._started = False
        self._idle = self._running = 0

    def begin(self, texts: Mapping[bytes, str]) -> None:
        """Let helpers, where there are any, encode texts that will be asked for."""
        with self._changed:
            new = {key: text for key, text in texts.items() if key not in self._unfinished}
            if self._threads > 1 and new and len(self._groups) < MOST_BEGUN:
                self._group(new)

    def encode(self, texts: Mapping[bytes, str]) -> dict[bytes, EncodedTokens] | None:
        """The token vectors of texts, or None where `encode` gives none."""
        with self._changed:
            group = self._group(texts)
            for text in group.texts:
                text.wanted += 1
        try:
            while True:
                check_deadline()
                with self._changed:
                    # To encode two texts together is less work than one after the other.
                    part = _part(group.texts, 1 + min(self._idle, max(0, self._threads - 1 - self._running)))
                    self._running += bool(part)
                    if not part:
                        if all(text.tokens is not None for text in group.texts):
                            return {text.key: text.tokens for text in group.texts if text.tokens is not None}
                        self._changed.wait(LOOK_SECONDS)
                        continue
                if not self._work(part):
                    return None
        finally:
            with self._changed:
                if group in self._groups:
                    self._groups.remove(group)
                for text in group.texts:
                    text.wanted -= 1
                    if not text.wanted and text.free:
                        self._unfinished.pop(text.key, None)

    def _group(self, texts: Mapping[bytes, str]) -> _Group:
        """Texts for whoever has time; the lock is held."""
        group = _Group([self._unfinished.setdefault(key, _Text(key, text)) for key, text in texts.items()])
        group.texts.sort(key=lambda text: -len(text.text))
        self._groups.append(group)
        if not self._started:
            self._started = True
            for _ in range(self._threads - 1):
                threading.Thread(target=self._help, name="encoder", daemon=True).start()
        self._changed.notify_all()
        return group

    def _work(self, part: Sequence[_Text], helping: bool = False) -> bool:
        """Encode what `_part` took; False where there are no vectors of tokens."""
        encoded: Sequence[EncodedTokens] = ()
        try:
            together = self._encode([text.text for text in part])
            encoded = () if together is None else list(together.single_texts())
            self._keep({text.key: tokens for text, tokens in zip(part, encoded, strict=False)})
        finally:
            with self._changed:
                self._running -= 1
                for place, text in enumerate(part):
                    text.running = False
                    if place < len(encoded):
                        text.tokens = encoded[place]
                    else:
                        # It is left to whoever asks, who then sees what happens.
                        text.failed = text.failed or helping
                    if text.tokens is not None or not text.wanted:
                        self._unfinished.pop(text.key, None)
                self._changed.notify_all()
        return bool(encoded)

    def _help(self) -> None:
        while True:
            with self._changed:
                while not (part := self._helped()):
                    self._idle += 1
                    self._changed.wait()
                    self._idle -= 1
            # Whoever asks for the texts meets the same error.
            with suppress(Exception):
                self._work(part, helping=True)

    def _helped(self) -> list[_Text]:
        """A part of the smallest group, since who waits for that waits for little else; the lock is held.

        Nothing where callers have all threads at work: one more would take their time.
        """
        self._groups = [group for group in self._groups if any(text.free and not text.failed for text in group.texts)]
        if not self._groups or self._running >= self._threads:
            return []
        self._running += 1
        smallest = min(self._groups, key=lambda group: group.characters)
        return _part([text for text in smallest.texts if not text.failed], 2 + self._idle)


def _part(texts: Sequence[_Text], shares: int) -> list[_Text]:
    """The next texts that nobody works on, taken: one of so many shares, of at most `PART` characters, one text at least."""
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
