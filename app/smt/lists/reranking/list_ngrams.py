"""N-grams of hypotheses, numbered list by list."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from app.arrays import Int64s
from app.text.batch import TokenColumn

__all__ = ["ListNgrams", "list_ngrams"]


@dataclass(frozen=True, eq=False)
class ListNgrams:
    """N-grams of h hypotheses; list i has the hypotheses ``offsets[i]:offsets[i + 1]``.

    ``rows[n - 1][t]`` (tokens,) is the number of the n-gram at token t, -1 beyond the end of the hypothesis; lists share no
    numbers. `hypotheses`, `segments` and `places` give the hypothesis, the list and the position of each token.
    """

    offsets: Int64s
    rows: Sequence[Int64s]
    hypotheses: Int64s
    segments: Int64s
    places: Int64s

    @property
    def size(self) -> int:
        """Number of hypotheses."""
        return int(self.offsets[-1])


def list_ngrams(tokens: TokenColumn, offsets: Int64s, order: int) -> ListNgrams:
    """Number the n-grams of up to `order` words; `tokens` has a row for each hypothesis."""
    hypotheses = tokens.segments
    segments = np.repeat(np.arange(len(offsets) - 1), np.diff(offsets))[hypotheses]
    places = np.arange(len(hypotheses)) - tokens.offsets[hypotheses]
    ends = tokens.offsets[1:][hypotheses]
    words = max(len(tokens.vocabulary), 1)
    _, first = np.unique(segments * words + tokens.ids, return_inverse=True)
    rows = [first.astype(np.int64)]
    for size in range(2, order + 1):
        begins = np.flatnonzero(np.arange(len(ends)) + size <= ends)
        _, numbers = np.unique(rows[-1][begins] * words + tokens.ids[begins + size - 1], return_inverse=True)
        longer = np.full(len(ends), -1, np.int64)
        longer[begins] = numbers
        rows.append(longer)
    return ListNgrams(offsets, rows, hypotheses, segments, places)
