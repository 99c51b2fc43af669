"""What each entry of a list counts for: as much as every other, or as likely as the model holds it to be."""

import numpy as np

from app.arrays import Float64s, Int64s
from app.errors import InputError

__all__ = ["model_probabilities", "uniform_probabilities"]


def uniform_probabilities(offsets: Int64s) -> Float64s:
    """The same for all entries of a list, as for samples; shape (h,)."""
    lengths = np.diff(offsets)
    return np.repeat(1.0 / np.maximum(lengths, 1), lengths)


def model_probabilities(scores: Float64s, offsets: Int64s, scale: float = 1.0) -> Float64s:
    """The softmax over each list of ``scale × score``; shape (h,).

    A temperature is the inverse of the scale. What all hypotheses of a list share, as Moses' penalty for unknown words,
    changes nothing. InputError (``invalid-table``) where a score is no finite number.
    """
    if not np.isfinite(scores).all():
        raise InputError("invalid-table", "probabilities need a finite score of every hypothesis", ("n_best",))
    lengths = np.diff(offsets)
    filled = offsets[:-1][lengths > 0]
    if not len(filled):
        return np.empty(0)
    spread = np.repeat(np.arange(len(filled)), lengths[lengths > 0])
    with np.errstate(over="ignore"):
        # Differences first: a difference that is infinite has no probability, but two infinite scores would have no difference.
        distance = np.minimum(scale * (scores - np.maximum.reduceat(scores, filled)[spread]), 0.0)
    shares = np.exp(distance)
    return np.asarray(shares / np.add.reduceat(shares, filled)[spread])
