"""Accepting translations unseen: how probable it is that one is bad, and which may pass for a stated share of errors."""

import numpy as np

from app.arrays import Float64s
from app.predictors import Model

__all__ = ["acceptance_threshold", "bad_probability"]


def bad_probability(model: Model, mean: Float64s, std: Float64s, at_worst: float) -> Float64s:
    """Of each segment (n,) the probability that its true label is worse than `at_worst`, which is in the label's unit.

    Residuals of the segments that calibrated the model's intervals, in standard deviations, take the place of a normal
    distribution, so that these probabilities are as trustworthy as the intervals.
    """
    sign = 1.0 if model.label.higher_is_better else -1.0
    distance = sign * (mean - at_worst) / np.maximum(std, 1e-9)
    n = len(model.calibration)
    beyond = n - np.searchsorted(model.calibration, np.abs(distance), side="left")
    tail = 0.5 * (beyond + 1.0) / (n + 1.0)
    return np.where(distance >= 0, tail, 1.0 - tail)


def acceptance_threshold(bad: Float64s, error_rate: float) -> float | None:
    """The highest probability of being bad that may pass, so that at most `error_rate` of what passes is expected to be bad.

    None where not even the best segment may pass.
    """
    ordered = np.sort(bad)
    expected = np.cumsum(ordered) / np.arange(1, len(ordered) + 1)
    passing = np.flatnonzero(expected <= error_rate)
    return float(ordered[passing[-1]]) if len(passing) else None
