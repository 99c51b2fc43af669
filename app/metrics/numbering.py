"""Numbering of symbols: kernels of metrics read integers in place of strings."""

from collections.abc import Sequence

import numpy as np

from app.arrays import Int64s, UInt64s
from app.metrics.definition import Segments
from app.metrics.tokenisers import MetricTokeniser
from app.metrics.tokens.texts import Texts
from app.metrics.tokens.token_kernels import number_tokens
from app.text.ragged import offsets_of, ragged_rows

__all__ = ["Numbering", "code_points", "interleave"]


class Numbering:
    """Symbol numbers in order of first appearance, shared by the references and all systems of a metric."""

    def __init__(self, tokeniser: MetricTokeniser, lowercase: bool) -> None:
        self._tokeniser = tokeniser
        self._lowercase = lowercase
        self._table: tuple[UInt64s, Int64s] = np.zeros(1 << 12, np.uint64), np.zeros(1 << 12, np.int64)
        self._symbols: list[str] = []

    def number(self, segments: Segments) -> tuple[Int64s, Int64s]:
        """Numbers of all symbols, and offsets (n + 1,) of the segments in them (CSR)."""
        tokens = Texts.of(segments).tokens(self._tokeniser, self._lowercase, with_spans=True)
        numbers, new, *table = number_tokens(tokens.symbols.view(np.uint64), *self._table, len(self._symbols))
        self._table = table[0], table[1]
        self._symbols += tokens.strings(tokens.spans[new])
        return numbers, tokens.offsets

    def symbols(self) -> list[str]:
        """All symbols; the index of each is its number."""
        return list(self._symbols)


def code_points(texts: Sequence[str]) -> tuple[Int64s, Int64s]:
    """Code points of all texts in a row, and offsets (n + 1,) of the texts in them (CSR)."""
    characters = np.frombuffer("".join(texts).encode("utf-32-le", "surrogatepass"), np.uint32)
    return characters.astype(np.int64), offsets_of([len(text) for text in texts])


def interleave(rows: Sequence[tuple[Int64s, Int64s]]) -> tuple[Int64s, Int64s]:
    """Interleave CSR arrays of equally many rows: row 0 of each, row 1 of each, and so on."""
    if len(rows) == 1:
        return rows[0]
    symbols = np.concatenate([array for array, _ in rows])
    lengths = np.stack([np.diff(offsets) for _, offsets in rows])
    order = np.arange(lengths.size).reshape(lengths.shape).T.ravel()
    places, offsets = ragged_rows(offsets_of(lengths.ravel()), order)
    return symbols[places], offsets
