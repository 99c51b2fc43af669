"""Accepting translations without review: the probability that one is bad, and the threshold for a stated share of errors."""

from typing import Final

import numpy as np

from app.arrays import Float64s
from app.predictors import Model
from app.predictors.labels import LABELS, Label
from app.predictors.prediction import share_of_higher

__all__ = ["acceptance_threshold", "bad_probability", "error_limit", "usual_worst"]

# Defaults for the worst label that is no error: three words in ten to edit, an average translation, the second grade.
USUAL: Final = {"hter": 0.3, "da": 0.0, "effort": 4.0, "likert": 4.0}
# Precision of sums of a million probabilities.
SLACK: Final = 1e-12


def usual_worst(label: Label) -> float | None:
    """The default for the worst label that is no error, in the label's unit; None for a label without a default.

    For declared grades it is the second best; of two grades the best, since the other one is the error.
    """
    usual = LABELS.get(label.name)
    if usual is not None and (usual.higher_is_better, usual.lowest, usual.highest, usual.unit) == (
        label.higher_is_better,
        label.lowest,
        label.highest,
        label.unit,
    ):
        return USUAL.get(label.name)
    grades = sorted(label.classes, reverse=label.higher_is_better)
    return grades[0 if len(grades) == 2 else 1] if len(grades) > 1 else None


def bad_probability(model: Model, mean: Float64s, std: Float64s, at_worst: float) -> Float64s:
    """Return for each segment (n,) the probability that its true label is worse than `at_worst`, in the label's unit.

    The distribution is that of the signed residuals, in standard deviations, of the segments that calibrated the intervals. A
    normal distribution would hide a predictor's bias. A model that stores magnitudes alone has symmetric residuals. For labels
    that are grades, a prediction counts as its nearest grade. Of two grades, the prediction itself is the probability.
    """
    if len(model.label.classes) == 2:
        return _worse_of_two(model.label, mean, at_worst)
    sign = 1.0 if model.label.higher_is_better else -1.0
    distance = sign * (mean - error_limit(model.label, at_worst)) / np.maximum(std, 1e-9)
    if model.residuals is not None:
        residuals = np.sort(-sign * model.residuals)
        beyond = len(residuals) - np.searchsorted(residuals, distance, side="right")
        return np.asarray((beyond + 1.0) / (len(residuals) + 1.0))
    n = len(model.calibration)
    beyond = n - np.searchsorted(model.calibration, np.abs(distance), side="left")
    tail = 0.5 * (beyond + 1.0) / (n + 1.0)
    return np.where(distance >= 0, tail, 1.0 - tail)


def _worse_of_two(label: Label, mean: Float64s, at_worst: float) -> Float64s:
    """Probability of the worse of two grades; 0 and 1 where no grade and each is an error."""
    limit = error_limit(label, at_worst)
    if np.isinf(limit):
        is_free = (limit > 0) != label.higher_is_better
        return np.full(len(mean), 0.0 if is_free else 1.0)
    share = share_of_higher(mean, min(label.classes), max(label.classes))
    return 1.0 - share if label.higher_is_better else share


def error_limit(label: Label, at_worst: float) -> float:
    """The prediction from which on a segment is an error: `at_worst`, or midway between that grade and the next worse one."""
    if not label.classes:
        return at_worst
    sign = 1.0 if label.higher_is_better else -1.0
    errors = [sign * grade for grade in label.classes if sign * grade < sign * at_worst]
    good = [sign * grade for grade in label.classes if sign * grade >= sign * at_worst]
    if not errors:
        return -sign * np.inf
    return sign * (max(errors) + min(good)) / 2 if good else sign * np.inf


def acceptance_threshold(bad: Float64s, error_rate: float) -> float | None:
    """The highest probability of an error that may pass, so that at most `error_rate` of the passing segments are expected errors.

    Segments of equal probability pass together or not at all. None if even the best segment may not pass.
    """
    sorted_bad = np.sort(bad)
    expected = np.cumsum(sorted_bad) / np.arange(1, len(sorted_bad) + 1)
    last = np.append(sorted_bad[1:] > sorted_bad[:-1], True) if len(sorted_bad) else np.zeros(0, bool)
    passing = np.flatnonzero(last & (expected <= error_rate + SLACK))
    return float(sorted_bad[passing[-1]]) if len(passing) else None
