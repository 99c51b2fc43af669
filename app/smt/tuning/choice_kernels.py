"""Compiled reductions over ragged lists."""

import numpy as np
from numba import njit

from app.arrays import Float64s, Int64s

__all__ = ["first_of_best", "spans_of_lists"]


@njit(cache=True, nogil=True)
def first_of_best(scores: Float64s, offsets: Int64s) -> Int64s:
    """Return the index of the highest score of each list, the first of equal ones; no list is empty; shape (n,)."""
    n = len(offsets) - 1
    out = np.empty(n, np.int64)
    for i in range(n):
        best = offsets[i]
        for h in range(offsets[i] + 1, offsets[i + 1]):
            if scores[h] > scores[best]:
                best = h
        out[i] = best
    return out


@njit(cache=True, nogil=True)
def spans_of_lists(values: Float64s, offsets: Int64s) -> tuple[Float64s, Float64s]:
    """Return the lowest and highest value of each column in each list; two arrays of shape (n, k)."""
    n, width = len(offsets) - 1, values.shape[1]
    low = np.empty((n, width))
    high = np.empty((n, width))
    for i in range(n):
        low[i] = values[offsets[i]]
        high[i] = values[offsets[i]]
        for h in range(offsets[i] + 1, offsets[i + 1]):
            for k in range(width):
                if values[h, k] < low[i, k]:
                    low[i, k] = values[h, k]
                if values[h, k] > high[i, k]:
                    high[i, k] = values[h, k]
    return low, high
