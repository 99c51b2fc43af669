"""Compiled sums of BLEU's statistics along a line, with values that order the intervals as BLEU does but for rounding."""

import numpy as np
from numba import njit

from app.arrays import Float64s, Int64s

__all__ = ["bleu_along"]

ORDER = 4


@njit(cache=True, nogil=True, error_model="numpy")
def bleu_along(statistics: Float64s, base: Float64s, before: Int64s, after: Int64s) -> tuple[Float64s, Float64s]:
    """Sums of statistics as in `sum_along`, (m + 1, 10), and the fourth power of BLEU's share of 1 for each; (m + 1,).

    A value is NaN if a sum has no words, or an order without n-grams or matches: smoothing then decides.
    """
    sums, values = np.empty((len(before) + 1, 2 + 2 * ORDER)), np.empty(len(before) + 1)
    sums[0] = base
    for j in range(len(values)):
        if j:
            for k in range(2 + 2 * ORDER):
                sums[j, k] = sums[j - 1, k] + (statistics[after[j - 1], k] - statistics[before[j - 1], k])
        matches, totals = 1.0, 1.0
        length, reference = sums[j, 0], sums[j, 1]
        regular = length > 0.0
        for order in range(2, 2 + ORDER):
            matches *= sums[j, order]
            totals *= sums[j, order + ORDER]
            regular &= (sums[j, order] > 0.0) & (sums[j, order + ORDER] > 0.0)
        value = matches / totals
        if length < reference:
            value *= np.exp(ORDER * (1.0 - reference / length))
        values[j] = value if regular else np.nan
    return sums, values
