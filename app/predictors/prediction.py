"""What a predictor answers for a batch."""

from dataclasses import dataclass

from app.text.arrays import Float64s

__all__ = ["Prediction"]


@dataclass(frozen=True)
class Prediction:
    """Scores of n segments: mean, standard deviation and interval bounds, all of shape (n,), in the label's unit.

    `coverage` is the share of segments whose true label the interval is meant to hold.
    """

    mean: Float64s
    std: Float64s
    low: Float64s
    high: Float64s
    coverage: float
