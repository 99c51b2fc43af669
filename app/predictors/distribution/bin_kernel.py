"""Compiled counts of values in bins."""

import numpy as np
from numba import njit

from app.arrays import Float64s, Int64s

__all__ = ["bin_counts"]


@njit(cache=True, nogil=True)
def bin_counts(values: Float64s, edges: Float64s) -> Int64s:
    """Rows of `values` (n, k) in each bin between the ascending `edges` (k, m) of their columns; shape (k, m + 1)."""
    out = np.zeros((edges.shape[0], edges.shape[1] + 1), np.int64)
    for i in range(len(values)):
        for k in range(len(edges)):
            place = 0
            for edge in edges[k]:
                place += values[i, k] > edge
            out[k, place] += 1
    return out
