"""Predictions of a batch, and the normal distribution that they follow."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from app.arrays import Float64s

__all__ = ["Prediction", "grade_probabilities", "grades_of", "share_below", "share_of_higher"]


@dataclass(frozen=True)
class Prediction:
    """Scores of n segments: mean, standard deviation and interval bounds, all of shape (n,), in the label's unit.

    `coverage` is the nominal share of segments with the true label inside the interval.
    """

    mean: Float64s
    std: Float64s
    low: Float64s
    high: Float64s
    coverage: float


def grade_probabilities(prediction: Prediction, classes: Sequence[float]) -> Float64s:
    """Probability of each grade, ascending: the Gaussian's share between the midpoints to its neighbours; (n, classes).

    Of two grades the mean says all: it is the lower one plus the probability of the higher one times their distance.
    """
    grades = np.array(classes, np.float64)
    if len(grades) == 2:
        share = share_of_higher(prediction.mean, grades[0], grades[1])
        return np.stack([1.0 - share, share], axis=1)
    middles = (grades[1:] + grades[:-1]) / 2
    below = share_below((middles - prediction.mean[:, None]) / np.maximum(prediction.std, 1e-9)[:, None])
    n = len(prediction.mean)
    return np.diff(np.hstack([np.zeros((n, 1)), below, np.ones((n, 1))]), axis=1)


def share_of_higher(mean: Float64s, low: float, high: float) -> Float64s:
    """Probability (n,) of the higher of two grades, by predicted means (n,)."""
    return np.asarray(np.clip((mean - low) / (high - low), 0.0, 1.0))


def grades_of(prediction: Prediction, classes: Sequence[float]) -> Float64s:
    """The most probable grade of each segment, the lowest of equally probable ones; shape (n,)."""
    return np.asarray(np.array(classes, np.float64)[grade_probabilities(prediction, classes).argmax(1)])


def share_below(deviations: Float64s | float) -> Float64s:
    """Share of a standard normal distribution below each number of standard deviations; the shape stays."""
    # Commands that score against references start without scipy.
    from scipy.special import ndtr

    return np.asarray(ndtr(deviations), np.float64)
