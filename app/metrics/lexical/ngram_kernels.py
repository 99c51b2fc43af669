"""Counts of n-grams that hypotheses share with their references, for a batch of segments."""

import numpy as np
from numba import njit

from app.arrays import Int64s
from app.metrics.lexical.clipped_kernel import rows_by_reference
from app.text.hashing import combine

__all__ = ["CLIPPED_MATCHES", "HYPOTHESIS_TOTAL", "UNCLIPPED_MATCHES", "UNCLIPPED_REFERENCE_MATCHES", "match_ngrams"]

# Columns of the last axis of `match_ngrams`.
CLIPPED_MATCHES, UNCLIPPED_MATCHES, UNCLIPPED_REFERENCE_MATCHES, HYPOTHESIS_TOTAL = 0, 1, 2, 3


@njit(cache=True, nogil=True)
def match_ngrams(
    hypothesis: Int64s,
    hypothesis_offsets: Int64s,
    reference: Int64s,
    reference_offsets: Int64s,
    references: int,
    reference_of: Int64s,
    order: int,
) -> Int64s:
    """Matches of each hypothesis and order; int64, shape (h, order, 4).

    Symbols are integers in CSR form. Segment i has `references` reference rows from row ``i * references``; hypothesis k belongs
    to segment ``reference_of[k]``. The four counts are: matches clipped at the largest count in any one reference; hypothesis
    n-grams that a reference has; n-grams of all references that the hypothesis has; hypothesis n-grams.
    O(symbols × order), with one open-addressed table that is filled once per segment and order.
    """
    segments = (len(reference_offsets) - 1) // references
    by_segment, begins = rows_by_reference(reference_of, segments)
    out = np.zeros((len(reference_of), order, 4), np.int64)
    largest = 1
    for i in range(segments):
        size = reference_offsets[(i + 1) * references] - reference_offsets[i * references]
        largest = max(largest, size)
    capacity = 16
    while capacity < 2 * largest:
        capacity *= 2
    keys = np.zeros(capacity, np.uint64)
    stamps = np.full(capacity, -1, np.int64)
    # Largest count in one reference, count in the current reference, its number, count in all references, and the number of
    # occurrences in the hypothesis `user`.
    limits = np.zeros(capacity, np.int64)
    reference_counts = np.zeros(capacity, np.int64)
    counted_reference = np.zeros(capacity, np.int64)
    total_counts = np.zeros(capacity, np.int64)
    use_counts = np.zeros(capacity, np.int64)
    user = np.zeros(capacity, np.int64)
    for i in range(segments):
        if begins[i] == begins[i + 1]:
            continue
        size = reference_offsets[(i + 1) * references] - reference_offsets[i * references]
        room = 16
        while room < 2 * size:
            room *= 2
        mask = np.uint64(room - 1)
        for length in range(1, order + 1):
            stamp = i * order + length - 1
            for r in range(references):
                row = i * references + r
                for at in range(reference_offsets[row], reference_offsets[row + 1] - length + 1):
                    key = np.uint64(reference[at])
                    for k in range(1, length):
                        key = combine(key, np.uint64(reference[at + k]))
                    slot = combine(key, np.uint64(length)) & mask
                    while stamps[slot] == stamp and keys[slot] != key:
                        slot = (slot + np.uint64(1)) & mask
                    if stamps[slot] != stamp:
                        stamps[slot] = stamp
                        keys[slot] = key
                        limits[slot] = reference_counts[slot] = total_counts[slot] = 0
                        counted_reference[slot] = r
                        user[slot] = -1
                    if counted_reference[slot] != r:
                        counted_reference[slot] = r
                        reference_counts[slot] = 0
                    reference_counts[slot] += 1
                    total_counts[slot] += 1
                    limits[slot] = max(limits[slot], reference_counts[slot])
            for place in range(begins[i], begins[i + 1]):
                h = by_segment[place]
                begin, end = hypothesis_offsets[h], hypothesis_offsets[h + 1] - length + 1
                for at in range(begin, end):
                    key = np.uint64(hypothesis[at])
                    for k in range(1, length):
                        key = combine(key, np.uint64(hypothesis[at + k]))
                    slot = combine(key, np.uint64(length)) & mask
                    while stamps[slot] == stamp and keys[slot] != key:
                        slot = (slot + np.uint64(1)) & mask
                    if stamps[slot] != stamp:
                        continue
                    out[h, length - 1, 1] += 1
                    if user[slot] != h:
                        user[slot] = h
                        use_counts[slot] = 0
                        out[h, length - 1, 2] += total_counts[slot]
                    if use_counts[slot] < limits[slot]:
                        out[h, length - 1, 0] += 1
                    use_counts[slot] += 1
                out[h, length - 1, 3] = max(0, end - begin)
    return out
