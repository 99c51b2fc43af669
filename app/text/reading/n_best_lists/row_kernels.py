"""Compiled distribution of values to columns, and search for duplicate hypotheses."""

import numpy as np
from numba import njit

from app.arrays import Float64s, Int32s, Int64s, UInt8s
from app.text.reading.n_best_lists.line_kernels import hash_of

__all__ = ["first_of_same", "scatter", "sort_rows"]

MULTIPLIER = 0x9E3779B97F4A7C15


@njit(cache=True, nogil=True)
def scatter(
    ends: Int64s,
    columns: Int32s,
    values: Float64s,
    places: Int32s,
    dense: Float64s,
    other_ends: Int64s,
    other_columns: Int32s,
    other_values: Float64s,
) -> None:
    """Write values of dense columns into `dense` (rows, d), at ``places[column]``; -1 marks a sparse column.

    Row i ends at ``ends[i]`` of `columns` and `values`. Sparse values are appended to `other_values`; row i ends at
    ``other_ends[i]`` there.
    """
    begin = sparse_count = 0
    for row in range(len(ends)):
        for k in range(dense.shape[1]):
            dense[row, k] = np.nan
        for entry in range(begin, ends[row]):
            place = places[columns[entry]]
            if place >= 0:
                dense[row, place] = values[entry]
            else:
                other_columns[sparse_count], other_values[sparse_count] = columns[entry], values[entry]
                sparse_count += 1
        begin = ends[row]
        other_ends[row] = sparse_count


@njit(cache=True, nogil=True)
def sort_rows(offsets: Int64s, columns: Int32s, values: Float64s) -> None:
    """Sort the values of each row by column, in place."""
    for row in range(len(offsets) - 1):
        begin, end = offsets[row], offsets[row + 1]
        ascending = True
        for entry in range(begin + 1, end):
            ascending = ascending and columns[entry - 1] < columns[entry]
        if not ascending:
            order = np.argsort(columns[begin:end])
            columns[begin:end] = columns[begin:end][order]
            values[begin:end] = values[begin:end][order]


@njit(cache=True)
def _are_equal(
    a: int, b: int, data: UInt8s, ends: Int64s, dense: Float64s, offsets: Int64s, columns: Int32s, values: Float64s
) -> bool:
    """Return True if two hypotheses have equal texts and features; two missing features are equal."""
    size = ends[a + 1] - ends[a]
    if size != ends[b + 1] - ends[b] or offsets[a + 1] - offsets[a] != offsets[b + 1] - offsets[b]:
        return False
    for k in range(size):
        if data[ends[a] + k] != data[ends[b] + k]:
            return False
    for k in range(dense.shape[1]):
        x, y = dense[a, k], dense[b, k]
        if x != y and not (np.isnan(x) and np.isnan(y)):
            return False
    for k in range(offsets[a + 1] - offsets[a]):
        if columns[offsets[a] + k] != columns[offsets[b] + k] or values[offsets[a] + k] != values[offsets[b] + k]:
            return False
    return True


@njit(cache=True, nogil=True)
def first_of_same(
    lists: Int64s, data: UInt8s, ends: Int64s, dense: Float64s, offsets: Int64s, columns: Int32s, values: Float64s
) -> Int32s:
    """Return the distance of each hypothesis to its first duplicate in its list, 0 if it is the first; shape (h,).

    `lists` are offsets of lists; texts are ``data[ends[h]:ends[h + 1]]``; `offsets`, `columns` and `values` are sparse rows (CSR).
    """
    back = np.zeros(lists[-1], np.int32)
    longest = 0
    for segment in range(len(lists) - 1):
        longest = max(longest, lists[segment + 1] - lists[segment])
    size = 4
    while size < 2 * longest:
        size *= 2
    table = np.zeros(size, np.int64)
    bits = np.empty(1, np.float64)
    bit_pattern = bits.view(np.uint64)
    for segment in range(len(lists) - 1):
        length = lists[segment + 1] - lists[segment]
        size = 4
        while size < 2 * length:
            size *= 2
        mask = np.uint64(size - 1)
        table[:size] = -1
        for h in range(lists[segment], lists[segment + 1]):
            key = hash_of(data, ends[h], ends[h + 1])
            for k in range(dense.shape[1]):
                # -0.0 equals 0.0, and two missing features are equal.
                bits[0] = 0.5 if np.isnan(dense[h, k]) else dense[h, k] + 0.0
                key = (key ^ bit_pattern[0]) * np.uint64(MULTIPLIER)
                key ^= key >> np.uint64(32)
            for k in range(offsets[h], offsets[h + 1]):
                bits[0] = values[k] + 0.0
                key = (key ^ bit_pattern[0] ^ np.uint64(columns[k])) * np.uint64(MULTIPLIER)
                key ^= key >> np.uint64(32)
            place = key & mask
            while table[place] >= 0 and not _are_equal(table[place], h, data, ends, dense, offsets, columns, values):
                place = (place + np.uint64(1)) & mask
            if table[place] < 0:
                table[place] = h
            else:
                back[h] = h - table[place]
    return back
