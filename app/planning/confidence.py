"""Scores of any label on one scale for files and editors: 0 (worst) to 1 (best)."""

from collections.abc import Callable, Mapping
from typing import Final

import numpy as np

from app.arrays import Float64s
from app.predictors.labels import Label
from app.predictors.normal import share_below

__all__ = ["CONFIDENCES", "DIGITS", "confidence_of"]

# Digits behind the point of scores and confidences in answers.
DIGITS: Final = 6

# What each label's score becomes, and how that is said.
CONFIDENCES: Final[Mapping[str, tuple[str, Callable[[Float64s], Float64s]]]] = {
    "hter": ("1 - HTER", lambda score: 1.0 - score),
    "da": ("share of a normal distribution below the z-score", share_below),
    "effort": ("(points - 1) / 4", lambda score: (score - 1.0) / 4.0),
    "likert": ("(points - 1) / 4", lambda score: (score - 1.0) / 4.0),
    "time": ("1 / (1 + seconds per word)", lambda score: 1.0 / (1.0 + np.maximum(score, 0.0))),
}


def confidence_of(label: Label, scores: Float64s) -> Float64s:
    """Scores (n,) of a label as confidences (n,), cut to [0, 1]; always higher for better.

    What a label has as usual is what a declared scale gives: the place in the range; where one end is open 1 / (1 + distance) from
    the end that there is, or the rest of that; and without ends the share of a normal distribution, of z-scores.
    """
    values = np.asarray(scores, np.float64)
    confidence = CONFIDENCES[label.name][1](values) if label.scale is None else _of_scale(label, values)
    return np.asarray(np.clip(confidence, 0.0, 1.0))


def _of_scale(label: Label, scores: Float64s) -> Float64s:
    low, high = label.lowest, label.highest
    if low is None and high is None:
        return share_below(scores if label.higher_is_better else -scores)
    if low is not None and high is not None:
        return (scores - low) / (high - low) if label.higher_is_better else (high - scores) / (high - low)
    distance = np.maximum(scores - low if low is not None else (high or 0.0) - scores, 0.0)
    near = 1.0 / (1.0 + distance)
    # The end that there is is the best one, or the worst.
    return near if (low is None) == label.higher_is_better else 1.0 - near
