"""One-to-one alignment of the words of a hypothesis and its reference: equal words first, then equal stems."""

import numpy as np
from numba import njit

from app.arrays import Int64s

__all__ = ["match_words", "tile"]


@njit(cache=True, nogil=True)
def tile(hypothesis: Int64s, reference: Int64s, links: Int64s, is_linked: Int64s) -> None:
    """Link the longest run of unlinked equal words, the leftmost first, until there is none (greedy string tiling)."""
    rows, columns = len(hypothesis), len(reference)
    previous = np.zeros(columns + 1, np.int64)
    while True:
        best = best_i = best_j = 0
        previous[:] = 0
        for i in range(rows):
            if links[i] >= 0:
                previous[:] = 0
                continue
            diagonal = 0
            for j in range(columns):
                above = previous[j + 1]
                run = 0
                if is_linked[j] == 0 and hypothesis[i] == reference[j]:
                    run = diagonal + 1
                previous[j + 1] = run
                diagonal = above
                if run > best:
                    best, best_i, best_j = run, i, j
        if best == 0:
            return
        for k in range(best):
            links[best_i - k] = best_j - k
            is_linked[best_j - k] = 1


@njit(cache=True, nogil=True)
def match_words(
    hypothesis: Int64s,
    hypothesis_offsets: Int64s,
    reference: Int64s,
    reference_offsets: Int64s,
    reference_of: Int64s,
    hypothesis_stems: Int64s,
    reference_stems: Int64s,
) -> Int64s:
    """Index of each hypothesis word's match within reference segment ``reference_of[i]``, -1 without a match; shape (words,).

    The number of links is maximal; among such alignments, long runs of neighbours come first. Stems are symbols too, one per
    word; pass the words themselves to match equal words only. O(I × J × runs) per segment.
    """
    links = np.full(len(hypothesis), -1, np.int64)
    for i in range(len(hypothesis_offsets) - 1):
        a, b = hypothesis_offsets[i], hypothesis_offsets[i + 1]
        c, d = reference_offsets[reference_of[i]], reference_offsets[reference_of[i] + 1]
        is_linked = np.zeros(d - c, np.int64)
        tile(hypothesis[a:b], reference[c:d], links[a:b], is_linked)
        tile(hypothesis_stems[a:b], reference_stems[c:d], links[a:b], is_linked)
    return links
