"""Scores of any label on one scale for files and editors: 0 (worst) to 1 (best)."""

from collections.abc import Callable, Mapping
from typing import Final

import numpy as np

from app.arrays import Float64s
from app.predictors.labels import Label
from app.predictors.normal import share_below

__all__ = ["CONFIDENCES", "confidence_of"]

# What each label's score becomes, and how that is said.
CONFIDENCES: Final[Mapping[str, tuple[str, Callable[[Float64s], Float64s]]]] = {
    "hter": ("1 - HTER", lambda score: 1.0 - score),
    "da": ("share of a normal distribution below the z-score", share_below),
    "effort": ("(points - 1) / 4", lambda score: (score - 1.0) / 4.0),
    "likert": ("(points - 1) / 4", lambda score: (score - 1.0) / 4.0),
    "time": ("1 / (1 + seconds per word)", lambda score: 1.0 / (1.0 + score)),
}


def confidence_of(label: Label, scores: Float64s) -> Float64s:
    """Scores (n,) of a label as confidences (n,), cut to [0, 1]; always higher for better."""
    return np.asarray(np.clip(CONFIDENCES[label.name][1](np.asarray(scores, np.float64)), 0.0, 1.0))
