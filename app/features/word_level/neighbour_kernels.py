"""Compiled access to neighbours of words in their segments, of gaps, and of linked source words.

Each kernel replaces half a dozen calls of NumPy, and takes as long as one call for the twenty words of a segment.
"""

import numpy as np
from numba import njit

from app.arrays import Int32s, Int64s, UInt64s

__all__ = ["gap_sides", "linked_keys", "shifted_keys"]


@njit(cache=True, nogil=True)
def shifted_keys(values: UInt64s, offsets: Int64s, by: int, outside: np.uint64) -> UInt64s:
    """Value `by` places behind each token in its segment, `outside` beyond its ends."""
    out = np.empty(len(values), np.uint64)
    for i in range(len(offsets) - 1):
        begin, end = offsets[i], offsets[i + 1]
        for t in range(begin, end):
            out[t] = values[t + by] if begin <= t + by < end else outside
    return out


@njit(cache=True, nogil=True)
def gap_sides(offsets: Int64s) -> tuple[Int64s, Int64s]:
    """Tokens to the left and right of each gap, one gap more than words in a segment; -1 at the edges."""
    count = offsets[-1] + len(offsets) - 1
    left, right = np.empty(count, np.int64), np.empty(count, np.int64)
    at = 0
    for i in range(len(offsets) - 1):
        begin, end = offsets[i], offsets[i + 1]
        for t in range(begin, end + 1):
            left[at] = t - 1 if t > begin else -1
            right[at] = t if t < end else -1
            at += 1
    return left, right


@njit(cache=True, nogil=True)
def linked_keys(
    place: Int32s, offsets: Int64s, keys: UInt64s, source_offsets: Int64s, by: int, outside: np.uint64, empty_key: np.uint64
) -> UInt64s:
    """Key of the source word `by` places from the linked one, for each token; `outside` beyond the ends of the source."""
    out = np.empty(len(place), np.uint64)
    for i in range(len(offsets) - 1):
        begin, end = source_offsets[i], source_offsets[i + 1]
        for t in range(offsets[i], offsets[i + 1]):
            at = begin + place[t] + by
            if place[t] < 0:
                out[t] = empty_key
            else:
                out[t] = keys[at] if begin <= at < end else outside
    return out
