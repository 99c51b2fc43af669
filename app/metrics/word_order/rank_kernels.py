"""Words of a hypothesis matched by their context, and the order of the matches: the kernel of RIBES."""

import numpy as np
from numba import njit

from app.arrays import Int64s

__all__ = ["context_matches"]


@njit(cache=True, nogil=True)
def _shortest_contexts(hypothesis: Int64s, reference: Int64s, lengths: Int64s, places: Int64s) -> None:
    """Length of the shortest n-gram that ends at each word and occurs once on both sides, and its last place in the reference.

    The length is 0 where there is none. It is one more than the longest common suffix with another place of the hypothesis, and
    than the second longest with places of the reference.
    """
    rows, columns = len(hypothesis), len(reference)
    within = np.zeros((2, rows + 1), np.int64)
    across = np.zeros((2, columns + 1), np.int64)
    for i in range(rows):
        now, before = i % 2, (i + 1) % 2
        repeat = 0
        for k in range(rows):
            run = within[before, k] + 1 if hypothesis[i] == hypothesis[k] else 0
            within[now, k + 1] = run
            if k != i and run > repeat:
                repeat = run
        longest = second = 0
        place = -1
        for j in range(columns):
            run = across[before, j] + 1 if hypothesis[i] == reference[j] else 0
            across[now, j + 1] = run
            if run > longest:
                longest, second, place = run, longest, j
            elif run > second:
                second = run
        shortest = max(repeat, second) + 1
        lengths[i] = shortest if shortest <= longest else 0
        places[i] = place


@njit(cache=True, nogil=True)
def context_matches(
    hypothesis: Int64s, hypothesis_offsets: Int64s, reference: Int64s, reference_offsets: Int64s, reference_of: Int64s
) -> Int64s:
    """Matched words and their ascending pairs of each hypothesis; shape (h, 2). O(I × (I + J)) per segment.

    A word that occurs once on both sides matches. Any other word matches by its shortest n-gram to the left or to the right that
    occurs once on both sides; the left one decides between equal lengths. Two words may match one place.
    """
    counts = np.zeros((len(hypothesis_offsets) - 1, 2), np.int64)
    for segment in range(len(counts)):
        words = hypothesis[hypothesis_offsets[segment] : hypothesis_offsets[segment + 1]]
        r = reference_of[segment]
        reference_words = reference[reference_offsets[r] : reference_offsets[r + 1]]
        n, columns = len(words), len(reference_words)
        left, left_places = np.zeros(n, np.int64), np.zeros(n, np.int64)
        right, right_places = np.zeros(n, np.int64), np.zeros(n, np.int64)
        _shortest_contexts(words, reference_words, left, left_places)
        _shortest_contexts(words[::-1].copy(), reference_words[::-1].copy(), right, right_places)
        ranks = np.zeros(n, np.int64)
        matches = ascending = 0
        for i in range(n):
            to_left, to_right = left[i], right[n - 1 - i]
            if to_left == 0 and to_right == 0:
                continue
            is_left = to_left > 0 and (to_right == 0 or to_left <= to_right)
            rank = left_places[i] if is_left else columns - 1 - right_places[n - 1 - i]
            for k in range(matches):
                ascending += ranks[k] < rank
            ranks[matches] = rank
            matches += 1
        counts[segment, 0], counts[segment, 1] = matches, ascending
    return counts
