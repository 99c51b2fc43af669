"""Serving of linear learners from their arrays, with numpy alone."""

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from app.arrays import Float64s
from app.predictors.regressor import Regressor
from app.predictors.triangle import symmetric, upper_triangle

__all__ = ["LinearPredictor"]


@dataclass(frozen=True)
class LinearPredictor(Regressor):
    """``mean = w · x + b``, ``variance = (x - c)ᵀ Σ (x - c) + σ²``.

    Bayesian ridge regression (MacKay 1992), or lasso (Tibshirani 1996) with Σ = 0.

    Shapes: w and c, the mean of the training rows, (k,), Σ (k, k) symmetric, stored as its upper triangle.
    """

    weights: Float64s
    intercept: float
    centre: Float64s
    covariance: Float64s
    noise_variance: float

    @classmethod
    def from_arrays(cls, arrays: Mapping[str, Float64s]) -> "LinearPredictor":
        """Read the stored arrays."""
        covariance = symmetric(arrays["covariance"], len(arrays["weights"]))
        intercept, noise = arrays["parameters"]
        return cls(arrays["weights"], float(intercept), arrays["centre"], covariance, float(noise))

    def arrays(self) -> dict[str, Float64s]:
        """Arrays to store, by name."""
        return {
            "weights": self.weights,
            "centre": self.centre,
            "covariance": upper_triangle(self.covariance),
            "parameters": np.array([self.intercept, self.noise_variance]),
        }

    def predict(self, x: Float64s) -> tuple[Float64s, Float64s]:
        """Mean and variance (noise included)."""
        around = x - self.centre
        variance = ((around @ self.covariance) * around).sum(1) + self.noise_variance
        return self.means(x), np.maximum(variance, 1e-12)

    def means(self, x: Float64s) -> Float64s:
        """Means alone."""
        return np.asarray(x @ self.weights + self.intercept)

    def relevance(self) -> Float64s:
        """Squared weights."""
        return np.asarray(self.weights**2)

    def slopes(self) -> Float64s:
        """The weights."""
        return self.weights
