"""The normal distribution."""

import numpy as np

from app.arrays import Float64s

__all__ = ["share_below"]


def share_below(deviations: Float64s | float) -> Float64s:
    """Share of a standard normal distribution below each number of standard deviations; the shape stays."""
    # Commands that score against references start without scipy.
    from scipy.special import ndtr

    return np.asarray(ndtr(deviations), np.float64)
