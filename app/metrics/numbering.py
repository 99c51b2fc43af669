"""Numbering of symbols: kernels of metrics read integers in place of strings."""

from array import array
from collections.abc import Sequence
from itertools import accumulate

import numpy as np

from app.arrays import Int64s
from app.metrics.definition import Segments
from app.metrics.tokenisers import MetricTokeniser
from app.text.ragged import offsets_of
from app.text.word_kernel import NO_BLANK_AFTER, NO_BLANK_BEFORE, number_words

__all__ = ["Numbering", "code_points", "interleave"]


class Numbering:
    """Symbol numbers in order of first appearance, shared by the references and all systems of a metric.

    Each distinct word is split into symbols once and then looked up.
    """

    def __init__(self, tokeniser: MetricTokeniser, lowercase: bool) -> None:
        self._tokeniser = tokeniser
        self._lowercase = lowercase
        self._table = np.zeros(1 << 12, np.uint64), np.zeros(1 << 12, np.int64)
        self._symbols: dict[str, int] = {}
        # Symbols of all words in a row, and the offset of each word in them.
        self._flat = array("q")
        self._begins = array("q", [0])

    def number(self, segments: Segments) -> tuple[Int64s, Int64s]:
        """Numbers of all symbols, and offsets (n + 1,) of the segments in them (CSR)."""
        clean, lowercase = self._tokeniser.clean, self._lowercase
        # Blanks at the end are dropped before cleaning, as sacreBLEU does.
        texts = [clean((text.lower() if lowercase else text).rstrip()).encode("utf-8", "surrogatepass") for text in segments]
        data = b"".join(texts)
        ends = np.fromiter(accumulate(map(len, texts)), np.int64, len(texts))
        words, word_ends, new, *table = number_words(
            np.frombuffer(data, np.uint8), ends, not self._tokeniser.padded, *self._table, len(self._begins) - 1
        )
        self._table = table[0], table[1]
        self._add(data, new)
        return self._expand(words, np.concatenate([[0], word_ends]))

    def symbols(self) -> list[str]:
        """All symbols; the index of each is its number."""
        return list(self._symbols)

    def _add(self, data: bytes, new: Int64s) -> None:
        symbols, flat, begins, split = self._symbols, self._flat, self._begins, self._tokeniser.split
        for begin, end, flags in zip(*(column.tolist() for column in new.T), strict=True):
            word = data[begin:end].decode("utf-8", "surrogatepass")
            if flags:
                before, after = "" if flags & NO_BLANK_BEFORE else " ", "" if flags & NO_BLANK_AFTER else " "
                tokens = split(f"{before}{word}{after}")
            else:
                tokens = split(f" {word} ")
            for symbol in tokens:
                flat.append(symbols.setdefault(symbol, len(symbols)))
            begins.append(len(flat))

    def _expand(self, words: Int64s, ends: Int64s) -> tuple[Int64s, Int64s]:
        """Symbols of words, CSR for CSR."""
        # Copies, because an array with an open buffer cannot grow.
        symbols = np.frombuffer(self._flat, np.int64).copy()
        begins = np.frombuffer(self._begins, np.int64).copy()
        length = np.diff(begins)[words]
        offsets = np.concatenate([[0], np.cumsum(length)])
        within = np.arange(offsets[-1]) - np.repeat(offsets[:-1], length)
        return symbols[np.repeat(begins[words], length) + within], offsets[ends]


def code_points(texts: Sequence[str]) -> tuple[Int64s, Int64s]:
    """Code points of all texts in a row, and offsets (n + 1,) of the texts in them (CSR)."""
    characters = np.frombuffer("".join(texts).encode("utf-32-le", "surrogatepass"), np.uint32)
    return characters.astype(np.int64), offsets_of([len(text) for text in texts])


def interleave(references: Sequence[Segments]) -> list[str]:
    """All references of segment 0, then of segment 1, and so on; r × n texts."""
    return [segment for row in zip(*references, strict=True) for segment in row]
