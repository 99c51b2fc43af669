"""Edit distance of token sequences with unit costs (Levenshtein 1966)."""

import numpy as np
from numba import njit

from app.arrays import Int64s

__all__ = ["count_word_errors"]


@njit(cache=True, nogil=True)
def count_word_errors(
    hypothesis: Int64s, hypothesis_offsets: Int64s, reference: Int64s, reference_offsets: Int64s, reference_of: Int64s
) -> Int64s:
    """Insertions, deletions and substitutions between hypothesis i and reference ``reference_of[i]``; shape (h,). O(I × J) each."""
    n = len(hypothesis_offsets) - 1
    out = np.zeros(n, np.int64)
    widest = 0
    for i in reference_of:
        widest = max(widest, reference_offsets[i + 1] - reference_offsets[i])
    row = np.zeros(widest + 1, np.int64)
    for i in range(n):
        begin = reference_offsets[reference_of[i]]
        columns = reference_offsets[reference_of[i] + 1] - begin
        for j in range(columns + 1):
            row[j] = j
        for at in range(hypothesis_offsets[i], hypothesis_offsets[i + 1]):
            diagonal = row[0]
            row[0] += 1
            for j in range(1, columns + 1):
                above = row[j]
                best = diagonal + (0 if hypothesis[at] == reference[begin + j - 1] else 1)
                row[j] = min(best, above + 1, row[j - 1] + 1)
                diagonal = above
        out[i] = row[columns]
    return out
