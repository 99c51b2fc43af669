"""Serving of Gaussian processes from their arrays: with numpy alone, unless the kernel is GPy's."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Final

import numpy as np

from app.arrays import Float64s
from app.predictors.learners.gp.gpy_kernels import stored_kernel
from app.predictors.learners.gp.kernels import Covariance
from app.predictors.regressor import Regressor
from app.predictors.triangle import symmetric, upper_triangle

__all__ = ["GaussianProcess"]

# Rows predicted at once: bounds the covariances to a few tens of megabytes.
ROWS: Final = 512


@dataclass(frozen=True)
class GaussianProcess(Regressor):
    """``mean = k*ᵀ w``, ``variance = k(x*, x*) - k*ᵀ W k* + σ²`` with ``k* = k(x*, Z)``.

    Z (m, k) are the training rows of an exact process (Rasmussen and Williams 2006, chapter 2) or the inducing inputs of a sparse
    one (Titsias 2009). w has shape (m,). W (m, m) is symmetric and stored as its upper triangle.
    """

    kernel: Covariance
    inducing: Float64s
    weights: Float64s
    precision: Float64s
    noise_variance: float

    @classmethod
    def from_arrays(cls, arrays: Mapping[str, Float64s]) -> "GaussianProcess":
        """Read the stored arrays."""
        precision = symmetric(arrays["precision"], len(arrays["weights"]))
        kernel = stored_kernel(arrays)
        # Inputs stay in single precision if they are stored so: the kernel holds them scaled, in double precision.
        return cls(kernel, arrays["inducing"], arrays["weights"], precision, float(arrays["noise"][0]))

    def arrays(self) -> dict[str, Float64s]:
        """Arrays to store, by name."""
        # Training rows are rounded to single precision before learning, so nothing is lost; learned inputs are not.
        short = self.inducing.astype(np.float32)
        return {
            **self.kernel.arrays(),
            "inducing": np.asarray(short if (short == self.inducing).all() else self.inducing),
            "weights": self.weights,
            "precision": upper_triangle(self.precision),
            "noise": np.array([self.noise_variance]),
        }

    @cached_property
    def _covariance(self) -> Callable[[Float64s], Float64s]:
        return self.kernel.towards(self.inducing)

    def predict(self, x: Float64s) -> tuple[Float64s, Float64s]:
        """Mean and variance (noise included)."""
        mean, variance = np.empty(len(x)), self.kernel.diagonal(x)
        for begin in range(0, len(x), ROWS):
            part = slice(begin, begin + ROWS)
            k = self._covariance(x[part])
            mean[part] = k @ self.weights
            variance[part] -= ((k @ self.precision) * k).sum(1)
        variance += self.noise_variance
        return mean, np.maximum(variance, 1e-12)

    def means(self, x: Float64s) -> Float64s:
        """Means alone."""
        parts = [slice(begin, begin + ROWS) for begin in range(0, len(x), ROWS)]
        return np.concatenate([self._covariance(x[part]) @ self.weights for part in parts] or [np.zeros(0)])

    def relevance(self) -> Float64s:
        """Relevance of each feature for the covariance; shape (k,)."""
        return self.kernel.relevance()
