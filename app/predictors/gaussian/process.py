"""Serving of Gaussian processes from their arrays: with numpy alone, unless the kernel is one of GPy's."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

import numpy as np

from app.arrays import Float64s
from app.predictors.gaussian.gpy_kernels import stored_kernel
from app.predictors.gaussian.kernels import Covariance

__all__ = ["GaussianProcess", "symmetric"]

# Rows predicted at once: bounds the covariances to a few tens of megabytes.
ROWS: Final = 512


def symmetric(upper: Float64s, size: int) -> Float64s:
    """The symmetric matrix with this upper triangle, row after row."""
    out = np.zeros((size, size))
    out[np.triu_indices(size)] = upper
    return np.asarray(out + np.triu(out, 1).T)


@dataclass(frozen=True)
class GaussianProcess:
    """``mean = k*ᵀ w``, ``variance = k(x*, x*) - k*ᵀ W k* + σ²`` with ``k* = k(x*, Z)``.

    Z (m, k) are the training rows of an exact process or the inducing inputs of a sparse one (Rasmussen and Williams 2006,
    chapter 2; Titsias 2009); w (m,), and W (m, m) symmetric, stored as its upper triangle.
    """

    kernel: Covariance
    inducing: Float64s
    weights: Float64s
    precision: Float64s
    noise_variance: float

    @classmethod
    def from_arrays(cls, arrays: Mapping[str, Float64s]) -> "GaussianProcess":
        """Read what `arrays` stores."""
        precision = symmetric(arrays["precision"], len(arrays["weights"]))
        kernel = stored_kernel(arrays)
        return cls(kernel, arrays["inducing"].astype(np.float64), arrays["weights"], precision, float(arrays["noise"][0]))

    def arrays(self) -> dict[str, Float64s]:
        """What is stored."""
        # Training rows are rounded to single precision before learning, so nothing is lost; learned inputs are not.
        short = self.inducing.astype(np.float32)
        return {
            **self.kernel.arrays(),
            "inducing": np.asarray(short if (short == self.inducing).all() else self.inducing),
            "weights": self.weights,
            "precision": self.precision[np.triu_indices(len(self.weights))],
            "noise": np.array([self.noise_variance]),
        }

    def predict(self, x: Float64s) -> tuple[Float64s, Float64s]:
        """Mean and variance (noise included)."""
        mean, variance = np.empty(len(x)), self.kernel.diagonal(x)
        for begin in range(0, len(x), ROWS):
            part = slice(begin, begin + ROWS)
            k = self.kernel.covariance(x[part], self.inducing)
            mean[part] = k @ self.weights
            variance[part] -= ((k @ self.precision) * k).sum(1)
        variance += self.noise_variance
        return mean, np.maximum(variance, 1e-12)

    def means(self, x: Float64s) -> Float64s:
        """Means alone."""
        parts = [slice(begin, begin + ROWS) for begin in range(0, len(x), ROWS)]
        return np.concatenate([self.kernel.covariance(x[part], self.inducing) @ self.weights for part in parts] or [np.zeros(0)])

    def relevance(self) -> Float64s:
        """How much each feature counts for the covariance; shape (k,)."""
        return self.kernel.relevance()
