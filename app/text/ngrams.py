"""Counting n-grams of a corpus held as one integer array."""

from dataclasses import dataclass

import numpy as np

from app.arrays import Int64s

__all__ = ["NgramTable", "count_ngrams"]


@dataclass(frozen=True)
class NgramTable:
    """The distinct n-grams of one order.

    Row r is the n-gram ``(prefix n-gram of the order below, last word)``; `suffix` is the row, in
    the order below, of the n-gram without its first word. `count` is the number of occurrences.
    For unigrams `prefix` and `suffix` are all zero.
    """

    prefix: Int64s
    suffix: Int64s
    last: Int64s
    first: Int64s
    count: Int64s

    def __len__(self) -> int:
        return len(self.count)


def count_ngrams(ids: Int64s, lengths: Int64s, vocabulary_size: int, order: int) -> list[NgramTable]:
    """Tables of orders 1 to `order`, counted inside segments.

    `ids` is the corpus, segment after segment; `lengths` the tokens of each. Rows of order 1 are
    the word ids themselves (so a word that never occurs has count 0).
    """
    n = len(ids)
    ends = np.repeat(np.cumsum(lengths), lengths)
    nothing = np.zeros(vocabulary_size, np.int64)
    words = np.arange(vocabulary_size, dtype=np.int64)
    tables = [NgramTable(nothing, nothing, words, words, np.bincount(ids, minlength=vocabulary_size))]
    rows = ids.astype(np.int64)
    for size in range(2, order + 1):
        begins = np.flatnonzero(np.arange(n) + size <= ends)
        keys = rows[begins] * vocabulary_size + ids[begins + size - 1]
        distinct, at, inverse, count = np.unique(keys, return_index=True, return_inverse=True, return_counts=True)
        where = begins[at]
        tables.append(
            NgramTable(
                prefix=distinct // vocabulary_size,
                suffix=rows[where + 1],
                last=distinct % vocabulary_size,
                first=ids[where].astype(np.int64),
                count=count.astype(np.int64),
            )
        )
        rows = np.full(n, -1, np.int64)
        rows[begins] = inverse
    return tables
