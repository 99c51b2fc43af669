"""Accepting translations unseen: how probable it is that one is bad, and which may pass for a stated share of errors."""

from typing import Final

import numpy as np

from app.arrays import Float64s
from app.predictors import Model
from app.predictors.labels import LABELS, Label

__all__ = ["acceptance_threshold", "bad_probability", "error_limit", "usual_worst"]

# What is no error yet unless a caller says it: three words in ten to edit, an average translation, the second grade.
USUAL: Final = {"hter": 0.3, "da": 0.0, "effort": 4.0, "likert": 4.0}
# Sums of a million probabilities are as exact as this.
SLACK: Final = 1e-12


def usual_worst(label: Label) -> float | None:
    """The worst label that is no error where nobody says it, in the label's unit; None where there is no usual one.

    Of declared grades it is the second best.
    """
    ours = LABELS.get(label.name)
    if ours is not None and (ours.higher_is_better, ours.lowest, ours.highest, ours.unit) == (
        label.higher_is_better,
        label.lowest,
        label.highest,
        label.unit,
    ):
        return USUAL.get(label.name)
    grades = sorted(label.classes, reverse=label.higher_is_better)
    return grades[1] if len(grades) > 1 else None


def bad_probability(model: Model, mean: Float64s, std: Float64s, at_worst: float) -> Float64s:
    """Of each segment (n,) the probability that its true label is worse than `at_worst`, which is in the label's unit.

    Residuals of the segments that calibrated the model's intervals, in standard deviations and with their signs, take the place
    of a normal distribution, so that a predictor that is too strict on the whole is not taken to be as often too kind. Where
    only their magnitudes were kept, both signs count alike. Where people gave grades, predictions lie between them, and one is
    on the side of the grade that it is nearer to.
    """
    sign = 1.0 if model.label.higher_is_better else -1.0
    distance = sign * (mean - error_limit(model.label, at_worst)) / np.maximum(std, 1e-9)
    if model.residuals is not None:
        ours = np.sort(-sign * model.residuals)
        beyond = len(ours) - np.searchsorted(ours, distance, side="right")
        return np.asarray((beyond + 1.0) / (len(ours) + 1.0))
    n = len(model.calibration)
    beyond = n - np.searchsorted(model.calibration, np.abs(distance), side="left")
    tail = 0.5 * (beyond + 1.0) / (n + 1.0)
    return np.where(distance >= 0, tail, 1.0 - tail)


def error_limit(label: Label, at_worst: float) -> float:
    """Where predictions begin to be worse: midway between the worst grade that is no error and the best that is one."""
    if not label.classes:
        return at_worst
    sign = 1.0 if label.higher_is_better else -1.0
    errors = [sign * grade for grade in label.classes if sign * grade < sign * at_worst]
    others = [sign * grade for grade in label.classes if sign * grade >= sign * at_worst]
    if not errors:
        return -sign * np.inf
    return sign * (max(errors) + min(others)) / 2 if others else sign * np.inf


def acceptance_threshold(bad: Float64s, error_rate: float) -> float | None:
    """The highest probability of being bad that may pass, so that at most `error_rate` of what passes is expected to be bad.

    Segments of one probability pass together or not at all. None where not even the best may pass.
    """
    ordered = np.sort(bad)
    expected = np.cumsum(ordered) / np.arange(1, len(ordered) + 1)
    last = np.append(ordered[1:] > ordered[:-1], True) if len(ordered) else np.zeros(0, bool)
    passing = np.flatnonzero(last & (expected <= error_rate + SLACK))
    return float(ordered[passing[-1]]) if len(passing) else None
