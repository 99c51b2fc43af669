"""Probabilities of the entries of lists: uniform, or by model scores."""

import numpy as np

from app.arrays import Float64s, Int64s
from app.errors import InputError

__all__ = ["model_probabilities", "uniform_probabilities"]


def uniform_probabilities(offsets: Int64s) -> Float64s:
    """Return uniform probabilities in each list, for samples; shape (h,)."""
    lengths = np.diff(offsets)
    return np.repeat(1.0 / np.maximum(lengths, 1), lengths)


def model_probabilities(scores: Float64s, offsets: Int64s, scale: float = 1.0) -> Float64s:
    """Return the softmax of ``scale × score`` in each list; shape (h,).

    The scale is an inverse temperature. Terms common to a list, such as Moses' penalty for unknown words, cancel. InputError
    (``invalid-table``) for a score that is not finite.
    """
    if not np.isfinite(scores).all():
        raise InputError("invalid-table", "probabilities need a finite score of every hypothesis", ("n_best",))
    lengths = np.diff(offsets)
    begins = offsets[:-1][lengths > 0]
    if not len(begins):
        return np.empty(0)
    spread = np.repeat(np.arange(len(begins)), lengths[lengths > 0])
    with np.errstate(over="ignore"):
        # Subtract before scaling: scaled scores could be infinite, and infinite scores have no difference.
        distance = np.minimum(scale * (scores - np.maximum.reduceat(scores, begins)[spread]), 0.0)
    shares = np.exp(distance)
    return np.asarray(shares / np.add.reduceat(shares, begins)[spread])
