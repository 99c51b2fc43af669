"""Compiled similarity of words by their letters."""

import numpy as np
from numba import njit

from app.arrays import Float32s, Int32s, Int64s

__all__ = ["letter_similarities"]

# Longer words are compared by so many letters.
LONGEST = 60


@njit(cache=True, nogil=True)
def letter_similarities(
    left: Int32s, left_offsets: Int64s, right: Int32s, right_offsets: Int64s, rows: Int64s, columns: Int64s
) -> Float32s:
    """One less the edit distance over the longer length, of word `rows[k]` and word `columns[k]`; 0 where one has no letters."""
    similarities = np.zeros(len(rows), np.float32)
    line = np.empty(LONGEST + 1, np.int64)
    for k in range(len(rows)):
        a, b = left_offsets[rows[k]], right_offsets[columns[k]]
        n, m = min(left_offsets[rows[k] + 1] - a, LONGEST), min(right_offsets[columns[k] + 1] - b, LONGEST)
        if n == 0 or m == 0:
            continue
        for j in range(m + 1):
            line[j] = j
        for i in range(n):
            before, line[0] = line[0], i + 1
            for j in range(m):
                cost = min(before + (left[a + i] != right[b + j]), line[j] + 1, line[j + 1] + 1)
                before, line[j + 1] = line[j + 1], cost
        similarities[k] = 1.0 - line[m] / max(n, m)
    return similarities
