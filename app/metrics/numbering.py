"""Segments into symbol numbers: the one place where metrics touch strings."""

from collections.abc import Sequence

import numpy as np

from app.metrics.definition import Segments
from app.metrics.tokenisers import MetricTokeniser
from app.text.arrays import Int64s

__all__ = ["Numbering", "interleave"]


class _Words(dict[str, tuple[int, ...]]):
    """Symbol numbers of every word seen; a new one is split on first sight."""

    def __init__(self, tokeniser: MetricTokeniser, symbols: dict[str, int]) -> None:
        super().__init__()
        self._split = tokeniser.split
        self._symbols = symbols

    def number(self, word: str) -> tuple[int, ...]:
        symbols = self._symbols
        return tuple([symbols.setdefault(symbol, len(symbols)) for symbol in self._split(word)])

    def __missing__(self, word: str) -> tuple[int, ...]:
        numbers = self[word] = self.number(f" {word} ")
        return numbers


class Numbering:
    """Numbers symbols by first appearance; references and all systems of one metric share one."""

    def __init__(self, tokeniser: MetricTokeniser, lowercase: bool) -> None:
        self._tokeniser = tokeniser
        self._lowercase = lowercase
        self._words = _Words(tokeniser, {})

    def number(self, segments: Segments) -> tuple[Int64s, Int64s]:
        """Numbers of all symbols, and where each segment's begin; CSR."""
        clean, words, padded = self._tokeniser.clean, self._words, self._tokeniser.padded
        numbers: list[int] = []
        offsets = np.zeros(len(segments) + 1, np.int64)
        for place, text in enumerate(segments, 1):
            # Blanks at the end are dropped before cleaning, as sacreBLEU does.
            cleaned = clean((text.lower() if self._lowercase else text).rstrip())
            if padded:
                for word in cleaned.split():
                    numbers += words[word]
            else:
                numbers += self._with_edges(cleaned)
            offsets[place] = len(numbers)
        return np.array(numbers, np.int64), offsets

    def _with_edges(self, cleaned: str) -> list[int]:
        """The first and the last word stand at an edge, not beside a blank, unless one was sent or put there."""
        numbers: list[int] = []
        found = cleaned.split()
        last = len(found) - 1
        for place, word in enumerate(found):
            at_start = place == 0 and not cleaned[:1].isspace()
            at_end = place == last and not cleaned[-1:].isspace()
            if at_start or at_end:
                numbers += self._words.number(f"{'' if at_start else ' '}{word}{'' if at_end else ' '}")
            else:
                numbers += self._words[word]
        return numbers


def interleave(references: Sequence[Segments]) -> list[str]:
    """All references of segment 0, then of segment 1, and so on."""
    return [segment for row in zip(*references, strict=True) for segment in row]
