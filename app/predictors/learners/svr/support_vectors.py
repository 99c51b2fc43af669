"""Serving of support vector regression from its arrays, with numpy alone."""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Final

import numpy as np

from app.arrays import Float64s
from app.predictors.learners.gp.kernels import squared_distances
from app.predictors.regressor import Regressor

__all__ = ["SupportVectors"]

# Rows predicted at once: bounds the kernel matrix to a few tens of megabytes.
ROWS: Final = 512


@dataclass(frozen=True)
class SupportVectors(Regressor):
    """ε-support-vector regression with an RBF kernel: ``mean = Σ a_i exp(-γ |x - s_i|²) + b``.

    Support vectors are exact single-precision numbers (training saw them rounded). The variance is
    that of the residuals on held-out data, the same for every segment.
    """

    vectors: Float64s
    coefficients: Float64s
    intercept: float
    gamma: float
    residual_variance: float

    @classmethod
    def from_arrays(cls, arrays: Mapping[str, Float64s]) -> "SupportVectors":
        """Read the stored arrays."""
        intercept, gamma, variance = arrays["parameters"]
        return cls(arrays["vectors"].astype(np.float64), arrays["coefficients"], float(intercept), float(gamma), float(variance))

    def arrays(self) -> dict[str, Float64s]:
        """Arrays to store, by name."""
        return {
            "vectors": self.vectors.astype(np.float32),
            "coefficients": self.coefficients,
            "parameters": np.array([self.intercept, self.gamma, self.residual_variance]),
        }

    def predict(self, x: Float64s) -> tuple[Float64s, Float64s]:
        """Mean and (constant) variance."""
        return self.means(x), np.full(len(x), self.residual_variance)

    @cached_property
    def _squares(self) -> Float64s:
        return np.asarray((self.vectors * self.vectors).sum(1))

    def means(self, x: Float64s) -> Float64s:
        """Means alone."""
        mean = np.empty(len(x))
        for begin in range(0, len(x), ROWS):
            part = slice(begin, begin + ROWS)
            kernel = squared_distances(x[part], self.vectors, self._squares)
            kernel *= -self.gamma
            mean[part] = np.exp(kernel, out=kernel) @ self.coefficients
        return mean + self.intercept
