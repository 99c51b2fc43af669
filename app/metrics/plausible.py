"""Plausibility of stored statistics: masks of numbers that counts, sizes and means can be."""

from typing import Final

import numpy as np

from app.arrays import Bools, Float64s

__all__ = ["LARGEST_STATISTIC", "are_counts", "are_means", "are_ngrams_of", "are_sizes"]

# Above any count of a segment; sums over the segments of a file stay exact in float64.
LARGEST_STATISTIC: Final = 1e9


def are_sizes(values: Float64s) -> Bools:
    """Mask of the rows (n, s) of finite numbers that are not negative; shape (n,)."""
    # NaN compares as false.
    return np.asarray(((values >= 0) & (values <= LARGEST_STATISTIC)).all(1))


def are_counts(values: Float64s) -> Bools:
    """Mask of the rows (n, s) of whole numbers that are not negative; shape (n,)."""
    return np.asarray(are_sizes(values) & (np.nan_to_num(values) % 1 == 0).all(1))


def are_means(values: Float64s, count: int) -> Bools:
    """Mask of the `values` (n,) that can be means of `count` whole numbers; shape (n,)."""
    sums = values * count
    return np.asarray(are_sizes(values[:, None]) & (np.abs(sums - np.round(sums)) < 1e-6))


def are_ngrams_of(length: Float64s, totals: Float64s) -> Bools:
    """Mask of the rows of `totals` (n, orders) that equal the n-gram counts of `length` (n,) words; shape (n,)."""
    return np.asarray((totals == np.maximum(length[:, None] - np.arange(totals.shape[1]), 0)).all(1))
