"""Compiled sums of weighted logistic regression without bias; all rows are of the positive class."""

import numpy as np
from numba import njit

from app.arrays import Float64s

__all__ = ["logistic_curvature"]


@njit(cache=True, nogil=True)
def logistic_curvature(rows: Float64s, shares: Float64s, weights: Float64s) -> tuple[float, Float64s, Float64s]:
    """Return Σ shares[i] · log(1 + exp(-rows[i] · weights)), its gradient (width,) and Hessian (width, width)."""
    width = rows.shape[1]
    gradient = np.zeros(width)
    curvature = np.zeros((width, width))
    total = 0.0
    for i in range(len(rows)):
        if shares[i] == 0.0:
            continue
        margin = 0.0
        for k in range(width):
            margin += rows[i, k] * weights[k]
        small = np.exp(-abs(margin))
        total += shares[i] * (np.log(1.0 + small) + max(-margin, 0.0))
        wrong = (1.0 if margin < 0 else small) / (1.0 + small)
        slope = shares[i] * wrong
        bend = shares[i] * small / ((1.0 + small) * (1.0 + small))
        for k in range(width):
            value = rows[i, k]
            gradient[k] -= slope * value
            value *= bend
            for m in range(k + 1):
                curvature[k, m] += value * rows[i, m]
    for k in range(width):
        for m in range(k):
            curvature[m, k] = curvature[k, m]
    return total, gradient, curvature
