"""Standardised scores of annotators."""

from collections.abc import Sequence
from typing import Final

import numpy as np

from app.arrays import Float64s

__all__ = ["standardised_scores"]

ROUNDING: Final = 1e-12


def standardised_scores(annotators: Sequence[str], scores: Sequence[float]) -> Float64s:
    """Scores less the mean of their annotator, in standard deviations of the annotator (n - 1); shape (n,).

    An annotator with a single score, or with equal ones, has 0.
    """
    values = np.asarray(scores, np.float64)
    names, rows = np.unique(np.asarray(annotators, object).astype(str), return_inverse=True)
    counts = np.bincount(rows, minlength=len(names))
    means = np.bincount(rows, values, len(names)) / counts
    deviations = values - means[rows]
    variances = np.bincount(rows, deviations**2, len(names)) / np.maximum(counts - 1, 1)
    stds = np.sqrt(variances)[rows]
    # Deviations of equal scores are errors of rounding.
    is_spread = stds > ROUNDING * (1 + np.abs(means[rows]))
    return np.divide(deviations, stds, out=np.zeros_like(deviations), where=is_spread)
