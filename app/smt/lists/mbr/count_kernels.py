"""Compiled matches with the expected n-gram counts of a list, linear in its size (DeNero et al. 2009; Vamvas and Sennrich 2024)."""

import numpy as np
from numba import njit

from app.arrays import Float64s, Int64s
from app.smt.lists.mbr.pair_kernels import gram_number, room_for

__all__ = ["match_expected"]

NO_NUMBER = -1


@njit(cache=True, nogil=True)
def match_expected(
    symbols: Int64s,
    offsets: Int64s,
    lists: Int64s,
    reference_symbols: Int64s,
    reference_offsets: Int64s,
    reference_lists: Int64s,
    weights: Float64s,
    order: int,
) -> Float64s:
    """Return ``Σ min(count in the candidate, expected count)`` over n-grams of 1 to `order` symbols; (candidates, order).

    List i has the candidates ``lists[i]:lists[i + 1]``, and references likewise. An expected count is the sum of count times weight
    over the list's references.
    """
    n = len(lists) - 1
    largest = 1
    longest = 1
    for i in range(n):
        largest = max(largest, reference_offsets[reference_lists[i + 1]] - reference_offsets[reference_lists[i]])
        longest = max(longest, offsets[lists[i + 1]] - offsets[lists[i]])
    out = np.zeros((len(offsets) - 1, order))
    room = room_for(largest)
    keys = np.zeros(room, np.uint64)
    numbers = np.zeros(room, np.int32)
    expected = np.zeros(largest)
    # The unmatched rest of each n-gram's expected count, and the text that it belongs to.
    rest = np.zeros(largest)
    owner = np.zeros(largest, np.int64)
    reference_numbers = np.zeros(largest, np.int32)
    candidate_numbers = np.zeros(longest, np.int32)
    for i in range(n):
        base, reference_base = offsets[lists[i]], reference_offsets[reference_lists[i]]
        size = reference_offsets[reference_lists[i + 1]] - reference_base
        slots = room_for(size)
        mask = np.uint64(slots - 1)
        reference_numbers[:size] = 0
        candidate_numbers[: offsets[lists[i + 1]] - base] = 0
        for length in range(order):
            keys[:slots] = np.uint64(0)
            grams = 0
            for row in range(reference_lists[i], reference_lists[i + 1]):
                for at in range(reference_offsets[row], reference_offsets[row + 1] - length):
                    place = at - reference_base
                    gram = gram_number(keys, numbers, mask, reference_numbers[place], reference_symbols[at + length], grams)
                    reference_numbers[place] = gram
                    if gram == grams:
                        grams += 1
                        expected[gram] = 0.0
                        owner[gram] = NO_NUMBER
                    expected[gram] += weights[row]
            if grams == 0:
                break
            for row in range(lists[i], lists[i + 1]):
                total = 0.0
                for at in range(offsets[row], offsets[row + 1] - length):
                    place = at - base
                    if candidate_numbers[place] == NO_NUMBER:
                        continue
                    gram = gram_number(keys, numbers, mask, candidate_numbers[place], symbols[at + length], NO_NUMBER)
                    candidate_numbers[place] = gram
                    if gram == NO_NUMBER:
                        continue
                    if owner[gram] != row:
                        owner[gram] = row
                        rest[gram] = expected[gram]
                    total += min(1.0, rest[gram])
                    rest[gram] = max(0.0, rest[gram] - 1.0)
                out[row, length] = total
    return out
