"""Clipped n-gram matches against one reference: the hot loop of BLEU, chrF and the trained metrics."""

import numpy as np
from numba import njit

from app.arrays import Int64s, UInt64s

__all__ = ["clipped_matches", "rows_by_reference"]


@njit(cache=True, inline="always")
def _extend(key: np.uint64, symbol: np.uint64) -> np.uint64:
    """Key of an n-gram from the key of its first n - 1 symbols and its last symbol; never 0, which marks free slots."""
    product = (key ^ symbol) * np.uint64(0x9E3779B97F4A7C15)
    return (product ^ (product >> np.uint64(29))) | np.uint64(1 << 63)


@njit(cache=True, nogil=True)
def _match(table: UInt64s, mask: np.uint64, symbols: Int64s, slots: Int64s, out: Int64s) -> None:
    """Count the matches of one hypothesis, and restore the table."""
    zero, unit = np.uint64(0), np.uint64(1)
    size, order, count = len(symbols), len(out), 0
    for at in range(size):
        key = zero
        for length in range(min(order, size - at)):
            key = _extend(key, np.uint64(symbols[at + length]) + unit)
            place = (key >> np.uint64(7)) & mask
            while table[place, 0] != key and table[place, 0] != zero:
                place = (place + unit) & mask
            if table[place, 0] == zero:
                break
            if table[place, 1] != zero:
                table[place, 1] -= unit
                out[length] += 1
                slots[count] = place
                count += 1
    for k in range(count):
        table[slots[k], 1] += unit


@njit(cache=True, nogil=True)
def rows_by_reference(reference_of: Int64s, references: int) -> tuple[Int64s, Int64s]:
    """Hypotheses sorted by reference (h,), and the offsets of each reference's hypotheses (references + 1,)."""
    begins = np.zeros(references + 1, np.int64)
    for i in reference_of:
        begins[i + 1] += 1
    for i in range(references):
        begins[i + 1] += begins[i]
    place = begins[:-1].copy()
    rows = np.empty(len(reference_of), np.int64)
    for row in range(len(reference_of)):
        i = reference_of[row]
        rows[place[i]] = row
        place[i] += 1
    return rows, begins


@njit(cache=True, nogil=True)
def clipped_matches(
    hypothesis: Int64s, hypothesis_offsets: Int64s, reference: Int64s, reference_offsets: Int64s, reference_of: Int64s, order: int
) -> Int64s:
    """Clipped matches of each hypothesis for n-grams of 1 to `order` symbols; int64, shape (h, order).

    Hypothesis i belongs to reference ``reference_of[i]``. O(symbols × order) with one open-addressed table, filled once per
    reference that has hypotheses. An n-gram of the hypothesis is looked up only if the n-gram one symbol shorter is in the
    reference.
    """
    n = len(reference_offsets) - 1
    by_reference, begins = rows_by_reference(reference_of, n)
    out = np.zeros((len(reference_of), order), np.int64)
    longest = 1
    for i in range(n):
        longest = max(longest, reference_offsets[i + 1] - reference_offsets[i])
    capacity = 16
    while capacity < 2 * longest * order:
        capacity *= 2
    # Key and count side by side, so that a look-up touches one cache line.
    table = np.zeros((capacity, 2), np.uint64)
    widest = 1
    for row in range(len(reference_of)):
        widest = max(widest, hypothesis_offsets[row + 1] - hypothesis_offsets[row])
    # Slots whose count a hypothesis lowered, to be restored before the next hypothesis.
    slots = np.empty(widest * order, np.int64)
    zero, unit = np.uint64(0), np.uint64(1)
    for i in range(n):
        if begins[i] == begins[i + 1]:
            continue
        begin, end = reference_offsets[i], reference_offsets[i + 1]
        room = 16
        while room < 2 * (end - begin) * order:
            room *= 2
        mask = np.uint64(room - 1)
        for slot in range(room):
            table[slot, 0] = zero
        for at in range(begin, end):
            key = zero
            for length in range(min(order, end - at)):
                key = _extend(key, np.uint64(reference[at + length]) + unit)
                place = (key >> np.uint64(7)) & mask
                while table[place, 0] != key and table[place, 0] != zero:
                    place = (place + unit) & mask
                if table[place, 0] == zero:
                    table[place, 0] = key
                    table[place, 1] = zero
                table[place, 1] += unit
        for k in range(begins[i], begins[i + 1]):
            row = by_reference[k]
            _match(table, mask, hypothesis[hypothesis_offsets[row] : hypothesis_offsets[row + 1]], slots, out[row])
    return out
