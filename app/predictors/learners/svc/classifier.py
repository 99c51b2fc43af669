"""Serving of a support vector classifier from its arrays, with numpy alone."""

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from app.arrays import Float64s
from app.predictors.learners.svr.support_vectors import SupportVectors
from app.predictors.regressor import Regressor

__all__ = ["SupportVectorClassifier"]


@dataclass(frozen=True)
class SupportVectorClassifier(Regressor):
    """Mean and variance of a label with two values: ``P(high) = 1 / (1 + exp(slope · f + offset))`` (Platt 1999).

    `decision` is f, positive for the class `high` of a plain support vector machine. `low` and `high` are the standardised
    labels of both classes.
    """

    decision: SupportVectors
    slope: float
    offset: float
    low: float
    high: float

    @classmethod
    def from_arrays(cls, arrays: Mapping[str, Float64s]) -> "SupportVectorClassifier":
        """Read the stored arrays."""
        (slope, offset), (low, high) = (map(float, arrays[name]) for name in ("sigmoid", "classes"))
        if not low < high:
            raise ValueError(f"classes are two ascending labels, not {low:g} and {high:g}")
        return cls(SupportVectors.from_arrays(arrays), slope, offset, low, high)

    def arrays(self) -> dict[str, Float64s]:
        """Arrays to store, by name."""
        sigmoid, classes = np.array([self.slope, self.offset]), np.array([self.low, self.high])
        return {**self.decision.arrays(), "sigmoid": sigmoid, "classes": classes}

    def probabilities(self, x: Float64s) -> Float64s:
        """Probability of the class `high` for each row; shape (n,)."""
        # The hyperbolic tangent has no overflow.
        return np.asarray(0.5 - 0.5 * np.tanh(0.5 * (self.slope * self.decision.means(x) + self.offset)))

    def predict(self, x: Float64s) -> tuple[Float64s, Float64s]:
        """Mean and variance of a label that has one of two values."""
        p, distance = self.probabilities(x), self.high - self.low
        return self.low + distance * p, np.maximum(distance**2 * p * (1.0 - p), 1e-12)

    def means(self, x: Float64s) -> Float64s:
        """Means alone."""
        return self.low + (self.high - self.low) * self.probabilities(x)
