"""Kendall loss of splits: word pairs that a split puts in the wrong order. The loss of a tree is the sum over its splits."""

import numpy as np
from numba import njit

from app.arrays import Int64s

__all__ = ["least_losses", "split_loss", "wrong_pairs"]


@njit(cache=True, nogil=True)
def wrong_pairs(places: Int64s) -> Int64s:
    """Sums for `split_loss`: word pairs before (a, b) that are wrong if straight, then if inverted; shape (2, n + 1, n + 1).

    Ties are never wrong, nor are words without a place, which is negative.
    """
    n = len(places)
    sums = np.zeros((2, n + 1, n + 1), np.int64)
    for i in range(n):
        for j in range(n):
            comparable = i < j and places[i] >= 0 and places[j] >= 0
            for orientation in range(2):
                wrong = comparable and (places[i] < places[j] if orientation else places[i] > places[j])
                sums[orientation, i + 1, j + 1] = (
                    sums[orientation, i, j + 1] + sums[orientation, i + 1, j] - sums[orientation, i, j] + (1 if wrong else 0)
                )
    return sums


@njit(cache=True, nogil=True)
def split_loss(sums: Int64s, begin: int, middle: int, end: int, orientation: int) -> int:
    """Wrong pairs of a word in [begin, middle) and one in [middle, end)."""
    table = sums[orientation]
    return table[middle, end] - table[begin, end] - table[middle, middle] + table[begin, middle]


@njit(cache=True, nogil=True)
def least_losses(sums: Int64s) -> Int64s:
    """Least loss of any tree over each span [begin, end); shape (n + 1, n + 1). Cubic in the number of words."""
    n = sums.shape[1] - 1
    minima = np.zeros((n + 1, n + 1), np.int64)
    for size in range(2, n + 1):
        for begin in range(n - size + 1):
            end = begin + size
            minimum = n * n
            for middle in range(begin + 1, end):
                inner = minima[begin, middle] + minima[middle, end]
                for orientation in range(2):
                    minimum = min(minimum, inner + split_loss(sums, begin, middle, end, orientation))
            minima[begin, end] = minimum
    return minima
