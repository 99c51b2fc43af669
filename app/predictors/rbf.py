"""Serving of the two RBF-kernel learners from their arrays, with numpy alone."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Protocol

import numpy as np

from app.text.arrays import Float64s

__all__ = ["GaussianProcess", "Regressor", "SupportVectors", "squared_distances", "symmetric"]

# Rows predicted at once: bounds the kernel matrix to a few tens of megabytes.
ROWS = 512


def squared_distances(x: Float64s, z: Float64s) -> Float64s:
    """``|x_i - z_j|²``; shape (rows of x, rows of z)."""
    squares = (x * x).sum(1)[:, None] + (z * z).sum(1)[None, :] - 2.0 * (x @ z.T)
    return np.asarray(np.maximum(squares, 0.0))


def symmetric(upper: Float64s, size: int) -> Float64s:
    """The symmetric matrix with this upper triangle, row after row."""
    out = np.zeros((size, size))
    out[np.triu_indices(size)] = upper
    return np.asarray(out + np.triu(out, 1).T)


class Regressor(Protocol):
    """What serves a learner: standardised features (n, k) to standardised mean and variance (n,)."""

    def predict(self, x: Float64s) -> tuple[Float64s, Float64s]:
        """Mean and variance of a new label."""
        ...

    def arrays(self) -> dict[str, Float64s]:
        """What is stored."""
        ...


@dataclass(frozen=True)
class GaussianProcess:
    """A sparse GP with an ARD squared-exponential kernel (Titsias 2009; Rasmussen and Williams 2006, ch. 2).

    ``mean = k*ᵀ w``, ``variance = σ_f² - k*ᵀ W k* + σ_n²`` with ``k* = k(x*, Z)`` over m inducing inputs Z.
    Shapes: Z (m, k), lengths (k,), w (m,), W (m, m) symmetric, stored as its upper triangle.
    """

    inducing: Float64s
    lengths: Float64s
    weights: Float64s
    precision: Float64s
    signal_variance: float
    noise_variance: float

    @classmethod
    def from_arrays(cls, arrays: Mapping[str, Float64s]) -> "GaussianProcess":
        """Read what `arrays` stores."""
        precision = symmetric(arrays["precision"], len(arrays["weights"]))
        return cls(
            arrays["inducing"],
            arrays["lengths"],
            arrays["weights"],
            precision,
            float(arrays["variances"][0]),
            float(arrays["variances"][1]),
        )

    def arrays(self) -> dict[str, Float64s]:
        """What is stored."""
        return {
            "inducing": self.inducing,
            "lengths": self.lengths,
            "weights": self.weights,
            "precision": self.precision[np.triu_indices(len(self.weights))],
            "variances": np.array([self.signal_variance, self.noise_variance]),
        }

    def predict(self, x: Float64s) -> tuple[Float64s, Float64s]:
        """Mean and variance (noise included)."""
        mean, variance = np.empty(len(x)), np.empty(len(x))
        for begin in range(0, len(x), ROWS):
            part = slice(begin, begin + ROWS)
            k = self.signal_variance * np.exp(-0.5 * squared_distances(x[part] / self.lengths, self.inducing / self.lengths))
            mean[part] = k @ self.weights
            variance[part] = self.signal_variance - ((k @ self.precision) * k).sum(1) + self.noise_variance
        return mean, np.maximum(variance, 1e-12)


@dataclass(frozen=True)
class SupportVectors:
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
        """Read what `arrays` stores."""
        intercept, gamma, variance = arrays["parameters"]
        return cls(arrays["vectors"].astype(np.float64), arrays["coefficients"], float(intercept), float(gamma), float(variance))

    def arrays(self) -> dict[str, Float64s]:
        """What is stored."""
        return {
            "vectors": self.vectors.astype(np.float32),
            "coefficients": self.coefficients,
            "parameters": np.array([self.intercept, self.gamma, self.residual_variance]),
        }

    def predict(self, x: Float64s) -> tuple[Float64s, Float64s]:
        """Mean and (constant) variance."""
        mean = np.empty(len(x))
        for begin in range(0, len(x), ROWS):
            part = slice(begin, begin + ROWS)
            mean[part] = np.exp(-self.gamma * squared_distances(x[part], self.vectors)) @ self.coefficients
        return mean + self.intercept, np.full(len(x), self.residual_variance)
