"""Compiled probabilities of hypotheses in their lists."""

import numpy as np
from numba import njit

from app.arrays import Float64s, Int64s

__all__ = ["mean_slopes", "posteriors"]


@njit(cache=True, nogil=True)
def posteriors(scores: Float64s, offsets: Int64s) -> tuple[Float64s, Float64s]:
    """Return the softmax of each list (h,) and the logarithm of its normaliser (n,). A score of -inf has probability 0.

    A list with only -inf has the logarithm -inf and probabilities of 0.
    """
    out = np.zeros(len(scores))
    logs = np.full(len(offsets) - 1, -np.inf)
    for i in range(len(offsets) - 1):
        top = -np.inf
        for h in range(offsets[i], offsets[i + 1]):
            top = max(top, scores[h])
        if top == -np.inf:
            continue
        total = 0.0
        for h in range(offsets[i], offsets[i + 1]):
            out[h] = np.exp(scores[h] - top)
            total += out[h]
        for h in range(offsets[i], offsets[i + 1]):
            out[h] /= total
        logs[i] = top + np.log(total)
    return out, logs


@njit(cache=True, nogil=True)
def mean_slopes(values: Float64s, shares: Float64s, offsets: Int64s) -> Float64s:
    """Return ``shares · (values - Σ shares · values)`` of each list (h,): the derivative of the mean of `values` by each score."""
    out = np.empty(len(values))
    for i in range(len(offsets) - 1):
        mean = 0.0
        for h in range(offsets[i], offsets[i + 1]):
            mean += shares[h] * values[h]
        for h in range(offsets[i], offsets[i + 1]):
            out[h] = shares[h] * (values[h] - mean)
    return out
