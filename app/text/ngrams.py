"""Counts of n-grams in a corpus of integer word ids."""

from dataclasses import dataclass

import numpy as np

from app.arrays import Int64s

__all__ = ["NgramTable", "count_ngrams"]


@dataclass(frozen=True)
class NgramTable:
    """The distinct n-grams of one order; all arrays have shape (n-grams,).

    `prefix` and `suffix` are rows of the table of the order below: the n-gram without its last word, and without its first word.
    They are 0 for unigrams. `first` and `last` are word ids, `count` is the number of occurrences.
    """

    prefix: Int64s
    suffix: Int64s
    last: Int64s
    first: Int64s
    count: Int64s

    def __len__(self) -> int:
        return len(self.count)


def count_ngrams(ids: Int64s, lengths: Int64s, vocabulary_size: int, order: int) -> list[NgramTable]:
    """Tables of orders 1 to `order`; no n-gram crosses the end of a segment.

    `ids` is the corpus, segment after segment, and `lengths` has the number of tokens of each. Rows of order 1 are the word ids,
    so a word without occurrences has count 0.
    """
    n = len(ids)
    ends = np.repeat(np.cumsum(lengths), lengths)
    zeros = np.zeros(vocabulary_size, np.int64)
    words = np.arange(vocabulary_size, dtype=np.int64)
    tables = [NgramTable(zeros, zeros, words, words, np.bincount(ids, minlength=vocabulary_size))]
    rows = ids.astype(np.int64)
    for size in range(2, order + 1):
        begins = np.flatnonzero(np.arange(n) + size <= ends)
        keys = rows[begins] * vocabulary_size + ids[begins + size - 1]
        distinct, first_rows, inverse, count = np.unique(keys, return_index=True, return_inverse=True, return_counts=True)
        starts = begins[first_rows]
        tables.append(
            NgramTable(
                prefix=distinct // vocabulary_size,
                suffix=rows[starts + 1],
                last=distinct % vocabulary_size,
                first=ids[starts].astype(np.int64),
                count=count.astype(np.int64),
            )
        )
        rows = np.full(n, -1, np.int64)
        rows[begins] = inverse
    return tables
