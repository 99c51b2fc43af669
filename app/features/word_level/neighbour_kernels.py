"""Compiled places of the neighbours of words and gaps, and of linked source words.

A place is the number of a token among all segments, or one of `BEYOND_EDGE` and `NO_LINK`.
"""

import numpy as np
from numba import njit

from app.arrays import Int32s, Int64s, UInt64s

__all__ = ["BEYOND_EDGE", "NO_LINK", "gap_sides", "linked_places", "places_behind_links", "shifted_keys", "shifted_places"]

BEYOND_EDGE, NO_LINK = -1, -2


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
def shifted_places(offsets: Int64s, by: int) -> Int64s:
    """Place `by` tokens behind each token of its segment; shape (tokens,)."""
    out = np.empty(offsets[-1], np.int64)
    for i in range(len(offsets) - 1):
        begin, end = offsets[i], offsets[i + 1]
        for t in range(begin, end):
            out[t] = t + by if begin <= t + by < end else BEYOND_EDGE
    return out


@njit(cache=True, nogil=True)
def linked_places(place: Int32s, offsets: Int64s, source_offsets: Int64s, by: int) -> Int64s:
    """Place of the source word `by` tokens behind the one that each token is linked to; shape (tokens,)."""
    out = np.empty(offsets[-1], np.int64)
    for i in range(len(offsets) - 1):
        begin, end = source_offsets[i], source_offsets[i + 1]
        for t in range(offsets[i], offsets[i + 1]):
            at = begin + place[t] + by
            out[t] = NO_LINK if place[t] < 0 else at if begin <= at < end else BEYOND_EDGE
    return out


@njit(cache=True, nogil=True)
def gap_sides(offsets: Int64s) -> tuple[Int64s, Int64s]:
    """Places to the left and right of each gap, one gap more than words in a segment; shape (gaps,) each."""
    count = offsets[-1] + len(offsets) - 1
    left, right = np.empty(count, np.int64), np.empty(count, np.int64)
    at = 0
    for i in range(len(offsets) - 1):
        begin, end = offsets[i], offsets[i + 1]
        for t in range(begin, end + 1):
            left[at] = t - 1 if t > begin else BEYOND_EDGE
            right[at] = t if t < end else BEYOND_EDGE
            at += 1
    return left, right


@njit(cache=True, nogil=True)
def places_behind_links(place: Int32s, offsets: Int64s, source_offsets: Int64s) -> Int64s:
    """Place of the source word behind the one that the word to the left of each gap is linked to; shape (gaps,)."""
    out = np.empty(offsets[-1] + len(offsets) - 1, np.int64)
    at = 0
    for i in range(len(offsets) - 1):
        for t in range(offsets[i] - 1, offsets[i + 1]):
            after = source_offsets[i] + place[t] + 1
            is_linked = t >= offsets[i] and place[t] >= 0
            out[at] = after if is_linked and after < source_offsets[i + 1] else BEYOND_EDGE
            at += 1
    return out
