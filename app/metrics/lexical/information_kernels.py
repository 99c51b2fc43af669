"""Counts of a corpus's n-grams, and the information of matched n-grams in that corpus."""

import numpy as np
from numba import njit

from app.arrays import Float64s, Int64s, UInt64s
from app.metrics.lexical.clipped_kernel import rows_by_reference
from app.text.hashing import combine

__all__ = ["count_ngrams", "match_information"]


@njit(cache=True, inline="always")
def _slot(keys: UInt64s, key: np.uint64) -> np.uint64:
    """Slot of `key`, or the free slot for it."""
    mask = np.uint64(len(keys) - 1)
    place = (key >> np.uint64(7)) & mask
    while keys[place] != key and keys[place] != np.uint64(0):
        place = (place + np.uint64(1)) & mask
    return place


@njit(cache=True, nogil=True)
def count_ngrams(symbols: Int64s, offsets: Int64s, order: int) -> tuple[UInt64s, Int64s]:
    """Keys and counts of all n-grams of 1 to `order` symbols, as an open-addressed table (key 0: free)."""
    capacity = 16
    while capacity < 2 * len(symbols) * order:
        capacity *= 2
    keys = np.zeros(capacity, np.uint64)
    counts = np.zeros(capacity, np.int64)
    for i in range(len(offsets) - 1):
        for at in range(offsets[i], offsets[i + 1]):
            key = np.uint64(0)
            for length in range(min(order, offsets[i + 1] - at)):
                key = combine(key, np.uint64(symbols[at + length] + 1)) | np.uint64(1)
                place = _slot(keys, key)
                keys[place] = key
                counts[place] += 1
    return keys, counts


@njit(cache=True, nogil=True)
def match_information(
    hypothesis: Int64s,
    hypothesis_offsets: Int64s,
    reference: Int64s,
    reference_offsets: Int64s,
    references: int,
    reference_of: Int64s,
    keys: UInt64s,
    counts: Int64s,
    corpus_words: int,
    order: int,
) -> Float64s:
    """Information (bits) of each hypothesis's clipped matches per order; shape (h, order).

    Segment i has `references` reference rows from row ``i × references``; hypothesis k belongs to segment ``reference_of[k]``.
    Matches are clipped at the largest count in any one reference. `keys` and `counts` are results of `count_ngrams`.
    """
    n = (len(reference_offsets) - 1) // references
    by_segment, begins = rows_by_reference(reference_of, n)
    out = np.zeros((len(reference_of), order))
    largest = 1
    for i in range(n):
        largest = max(largest, reference_offsets[(i + 1) * references] - reference_offsets[i * references])
    capacity = 16
    while capacity < 2 * largest * order:
        capacity *= 2
    segment_keys = np.zeros(capacity, np.uint64)
    limits = np.zeros(capacity, np.int64)
    row_counts = np.zeros(capacity, np.int64)
    counted_row = np.zeros(capacity, np.int64)
    widest = 1
    for h in range(len(reference_of)):
        widest = max(widest, hypothesis_offsets[h + 1] - hypothesis_offsets[h])
    # Slots whose count a hypothesis lowered, to be restored before the next hypothesis.
    slots = np.empty(widest * order, np.uint64)
    for i in range(n):
        if begins[i] == begins[i + 1]:
            continue
        segment_keys[:] = 0
        limits[:] = 0
        counted_row[:] = -1
        for row in range(i * references, (i + 1) * references):
            for at in range(reference_offsets[row], reference_offsets[row + 1]):
                key = np.uint64(0)
                for length in range(min(order, reference_offsets[row + 1] - at)):
                    key = combine(key, np.uint64(reference[at + length] + 1)) | np.uint64(1)
                    place = _slot(segment_keys, key)
                    segment_keys[place] = key
                    if counted_row[place] != row:
                        counted_row[place] = row
                        row_counts[place] = 0
                    row_counts[place] += 1
                    limits[place] = max(limits[place], row_counts[place])
        for k in range(begins[i], begins[i + 1]):
            h, slot_count = by_segment[k], 0
            for at in range(hypothesis_offsets[h], hypothesis_offsets[h + 1]):
                key = np.uint64(0)
                shorter = corpus_words
                for length in range(min(order, hypothesis_offsets[h + 1] - at)):
                    key = combine(key, np.uint64(hypothesis[at + length] + 1)) | np.uint64(1)
                    place = _slot(segment_keys, key)
                    if segment_keys[place] == np.uint64(0):
                        break
                    count = counts[_slot(keys, key)]
                    if limits[place] > 0:
                        limits[place] -= 1
                        slots[slot_count] = place
                        slot_count += 1
                        out[h, length] += np.log2(shorter / count)
                    shorter = count
            for slot in slots[:slot_count]:
                limits[slot] += 1
    return out
