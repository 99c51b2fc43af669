"""Aligning the words of a hypothesis with those of its reference, one to one: equal words, then equal stems."""

import numpy as np
from numba import njit

from app.arrays import Int64s

__all__ = ["match_words", "ranks_of_links"]


@njit(cache=True, nogil=True)
def _tile(hypothesis: Int64s, reference: Int64s, links: Int64s, used: Int64s) -> None:
    """Link the longest run of free equal words, the leftmost first, until none is left (greedy string tiling)."""
    rows, columns = len(hypothesis), len(reference)
    previous = np.zeros(columns + 1, np.int64)
    while True:
        best = best_i = best_j = 0
        previous[:] = 0
        for i in range(rows):
            diagonal = 0
            for j in range(columns):
                above = previous[j + 1]
                run = 0
                if links[i] < 0 and used[j] == 0 and hypothesis[i] == reference[j]:
                    run = diagonal + 1
                previous[j + 1] = run
                diagonal = above
                if run > best:
                    best, best_i, best_j = run, i, j
        if best == 0:
            return
        for k in range(best):
            links[best_i - k] = best_j - k
            used[best_j - k] = 1


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
    """For every hypothesis word its reference word's place in segment ``reference_of[i]``, -1 where it has none; one flat array.

    As many words are linked as can be; of the ways to do so, long runs of neighbours come first. Stems are
    symbols too, one per word; pass the words themselves to match equal words only. O(I × J × runs) a segment.
    """
    links = np.full(len(hypothesis), -1, np.int64)
    for i in range(len(hypothesis_offsets) - 1):
        a, b = hypothesis_offsets[i], hypothesis_offsets[i + 1]
        c, d = reference_offsets[reference_of[i]], reference_offsets[reference_of[i] + 1]
        used = np.zeros(d - c, np.int64)
        _tile(hypothesis[a:b], reference[c:d], links[a:b], used)
        _tile(hypothesis_stems[a:b], reference_stems[c:d], links[a:b], used)
    return links


@njit(cache=True, nogil=True)
def ranks_of_links(links: Int64s, offsets: Int64s) -> tuple[Int64s, Int64s]:
    """Permutations: linked words in hypothesis order, each as the rank of its reference place (from 0); CSR.

    Words without a link drop out on both sides (the thesis on permutation trees, section 4.2). Equal places,
    which only given alignments have, keep the hypothesis's order.
    """
    ranks = np.empty(len(links), np.int64)
    ends = np.zeros(len(offsets), np.int64)
    at = 0
    for i in range(len(offsets) - 1):
        begin = at
        places = np.empty(offsets[i + 1] - offsets[i], np.int64)
        for k in range(offsets[i], offsets[i + 1]):
            if links[k] >= 0:
                places[at - begin] = links[k]
                at += 1
        order = np.argsort(places[: at - begin], kind="mergesort")
        for rank in range(at - begin):
            ranks[begin + order[rank]] = rank
        ends[i + 1] = at
    return ranks[:at].copy(), ends
