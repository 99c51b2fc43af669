"""Whether numbers can be what a metric counts: statistics that were stored are checked before they are compared with."""

from typing import Final

import numpy as np

from app.arrays import Bools, Float64s

__all__ = ["LARGEST_STATISTIC", "are_counts", "are_means", "are_ngrams_of", "are_sizes"]

# More than any segment has of anything; sums of as many as a file holds are exact numbers still.
LARGEST_STATISTIC: Final = 1e9


def are_sizes(values: Float64s) -> Bools:
    """Which rows (n, s) hold finite numbers that are not negative; (n,)."""
    # What is not a number compares as false.
    return np.asarray(((values >= 0) & (values <= LARGEST_STATISTIC)).all(1))


def are_counts(values: Float64s) -> Bools:
    """Which rows (n, s) hold whole numbers that are not negative; (n,)."""
    return np.asarray(are_sizes(values) & (np.nan_to_num(values) % 1 == 0).all(1))


def are_means(values: Float64s, of: int) -> Bools:
    """Which of `values` (n,) are means of `of` counts; (n,)."""
    whole = values * of
    return np.asarray(are_sizes(values[:, None]) & (np.abs(whole - np.round(whole)) < 1e-6))


def are_ngrams_of(length: Float64s, totals: Float64s) -> Bools:
    """Which rows of `totals` (n, orders) say how many n-grams of each order so many words (n,) have."""
    return np.asarray((totals == np.maximum(length[:, None] - np.arange(totals.shape[1]), 0)).all(1))
