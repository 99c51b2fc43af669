"""Probabilities of hypotheses in their lists, compiled."""

import numpy as np
from numba import njit

from app.arrays import Float64s, Int64s

__all__ = ["centred_by", "posteriors"]


@njit(cache=True, nogil=True)
def posteriors(scores: Float64s, offsets: Int64s) -> tuple[Float64s, Float64s]:
    """exp(score) over its sum in the list, and the logarithm of that sum; (h,) and (n,). A score of -inf has probability 0.

    A list whose scores are all -inf has the logarithm -inf, and probabilities 0.
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
def centred_by(values: Float64s, shares: Float64s, offsets: Int64s) -> Float64s:
    """``shares · (values - Σ shares · values)`` in each list: what the mean of `values` changes by with each score; (h,)."""
    out = np.empty(len(values))
    for i in range(len(offsets) - 1):
        mean = 0.0
        for h in range(offsets[i], offsets[i + 1]):
            mean += shares[h] * values[h]
        for h in range(offsets[i], offsets[i + 1]):
            out[h] = shares[h] * (values[h] - mean)
    return out
