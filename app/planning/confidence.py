"""Scores of any label on one scale for files and editors, from 0 (worst) to 1 (best)."""

from collections.abc import Callable, Mapping, Sequence
from typing import Final

import numpy as np

from app.arrays import Float64s
from app.checks import UNUSABLE, SegmentWarning
from app.predictors.labels import Label
from app.predictors.prediction import share_below

__all__ = ["CONFIDENCES", "DIGITS", "capped", "confidence_of"]

# Decimal places of scores and confidences in answers.
DIGITS: Final = 6

# Highest confidence in a translation that misleads its reader.
MISLEADING_LIMIT: Final = 0.3
# The confidence of each label, with its formula as text.
CONFIDENCES: Final[Mapping[str, tuple[str, Callable[[Float64s], Float64s]]]] = {
    "hter": ("1 - HTER", lambda score: 1.0 - score),
    "da": ("share of a normal distribution below the z-score", share_below),
    "effort": ("(points - 1) / 4", lambda score: (score - 1.0) / 4.0),
    "likert": ("(points - 1) / 4", lambda score: (score - 1.0) / 4.0),
    "time": ("1 / (1 + seconds per word)", lambda score: 1.0 / (1.0 + np.maximum(score, 0.0))),
    "origin": ("probability of a person", lambda score: score),
}


def confidence_of(label: Label, scores: Float64s) -> Float64s:
    """Map scores (n,) of a label to confidences (n,) in [0, 1]; higher is better.

    With two bounds the confidence is the position in the range. With one bound it is 1 / (1 + distance from the bound), or one
    minus that. Without bounds it is the share of a normal distribution below the score, a z-score.
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
    # The only bound is the best label, or the worst.
    return near if (low is None) == label.higher_is_better else 1.0 - near


def capped(confidence: Float64s, warnings: Sequence[Sequence[SegmentWarning]]) -> Float64s:
    """Confidences (n,) of checked segments: 0 for an unusable translation, at most 0.3 for another error."""
    return np.minimum(confidence, np.array([_cap(row) for row in warnings], np.float64))


def _cap(warnings: Sequence[SegmentWarning]) -> float:
    if any(warning.code in UNUSABLE for warning in warnings):
        return 0.0
    return MISLEADING_LIMIT if any(warning.severity == "error" for warning in warnings) else 1.0
