"""Weighted logistic and linear regression without a bias on differences of features: exact, deterministic, fast to do again.

Many regressions on the same rows differ only in the rows' weights (WRO-Local has one for each sentence), so what depends on the
rows alone is done once. Columns are divided by their root mean square inside, which changes no result.
"""

from collections.abc import Callable
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import Final

import numpy as np
from scipy.optimize import minimize

from app.arrays import Float64s, Int64s
from app.smt.tuning.matrix import FeatureMatrix
from app.smt.tuning.pairs.logistic_kernels import logistic_curvature

__all__ = ["Fit", "Regression"]

# Up to so many columns second derivatives are cheaper than more iterations.
NARROW: Final = 32
MOST_STEPS: Final = 100
MOST_HALVINGS: Final = 40
# The loss per unit of weight below which rows count as separated: their best weights are infinite.
SEPARATED: Final = 1e-8
# How much of the loss the last Newton step may still promise; what is left after it is of the square of that.
PROMISE: Final = 1e-10
# Beside the mean second derivative: what keeps collinear columns from dividing by nothing.
RIDGE: Final = 1e-13
# The share of what a step promises that it has to bring.
LEAST_KEPT: Final = 1e-4


@dataclass(frozen=True, eq=False)
class Fit:
    """Weights (width,) where the loss is least, and the steps that it took. `separated`: no row is on the wrong side, and no prior
    holds the weights back, so that their direction alone means something."""

    weights: Float64s
    steps: int
    separated: bool = False


class Regression:
    """Rows of differences, better less worse, that regressions of any row weights share."""

    def __init__(self, rows: FeatureMatrix, prior: float = 0.0, unit: str = "none") -> None:
        """`prior` is the precision of a Gaussian prior on the weights as they are.

        Where `unit` is ``spread``, on the weights times the root mean square of their column: features of any unit are held back
        alike, and of two that say the same but for a last digit neither grows against the other.
        """
        scale = np.sqrt(rows.mean_squares())
        self._scale = np.where(scale > 0, scale, 1.0)
        self._precision = np.full(rows.width, prior) if unit == "spread" else prior / self._scale**2
        self._rows = rows.scaled(1.0 / self._scale)
        narrow = rows.width <= NARROW
        self._narrow = np.ascontiguousarray(self._rows.array()) if narrow else None

    def logistic(self, shares: Float64s, start: Float64s | None = None) -> Fit:
        """Least Σ shares[i] · log(1 + exp(-Λ·x[i])) + ½ prior ‖Λ‖².

        `shares` (p,) are not negative and not all 0; `start` makes it faster, and changes nothing where the least is one place.
        """
        begin = np.zeros(len(self._scale)) if start is None else start * self._scale
        if self._narrow is not None:
            return self._newton(self._narrow, shares, begin)

        def loss(weights: Float64s) -> tuple[float, Float64s]:
            margins = self._rows @ weights
            small = np.exp(-np.abs(margins))
            value = float(shares @ (np.log1p(small) + np.maximum(-margins, 0.0)))
            wrong = np.where(margins < 0, 1.0, small) / (1.0 + small)
            return value, -self._rows.gathered(shares * wrong)

        fit = self._descend(loss, shares, begin)
        separated = not self._precision.any() and loss(fit.weights * self._scale)[0] <= SEPARATED * float(shares.sum())
        return replace(fit, separated=separated)

    def near(self, offsets: Int64s, weights: Float64s, start: Float64s) -> Float64s:
        """For each of t logistic regressions where to begin: one Newton step from `start` (width,); (t, width).

        Regression t weighs rows ``offsets[i]:offsets[i + 1]`` by ``weights[t, i]``. What they have in common at `start` is summed
        once, so that the steps of all are products of matrices. Wide rows begin at `start`.
        """
        if self._narrow is None:
            return np.tile(start, (len(weights), 1))
        begin, precision = start * self._scale, self._precision
        parts = [
            logistic_curvature(self._narrow[first:last], np.ones(last - first), begin)[1:]
            for first, last in pairwise(offsets.tolist())
        ]
        gradients = weights @ np.array([gradient for gradient, _ in parts]) + precision * begin
        curvatures = np.tensordot(weights, np.array([curvature for _, curvature in parts]), 1) + np.diag(precision)
        traces = np.trace(curvatures, axis1=1, axis2=2)
        curvatures += (RIDGE * np.maximum(traces, np.finfo(float).tiny))[:, None, None] * np.eye(len(begin))
        steps = np.linalg.solve(curvatures, gradients[:, :, None])[:, :, 0]
        return np.asarray((begin - steps) / self._scale)

    def linear(self, shares: Float64s, targets: Float64s) -> Fit:
        """Least ½ Σ shares[i] · (Λ·x[i] - targets[i])² + ½ prior ‖Λ‖²; of several the shortest, in units of the columns."""
        if self._narrow is not None:
            weighted = self._narrow * shares[:, None]
            square = weighted.T @ self._narrow + np.diag(self._precision)
            weights = np.linalg.lstsq(square, weighted.T @ targets, rcond=1e-12)[0]
            return Fit(weights / self._scale, 1)

        def loss(weights: Float64s) -> tuple[float, Float64s]:
            misses = self._rows @ weights - targets
            return float(shares @ misses**2) / 2, self._rows.gathered(shares * misses)

        return self._descend(loss, shares, np.zeros(len(self._scale)))

    def _newton(self, rows: Float64s, shares: Float64s, weights: Float64s) -> Fit:
        precision = self._precision

        def sums(there: Float64s) -> tuple[float, Float64s, Float64s]:
            loss, gradient, curvature = logistic_curvature(rows, shares, there)
            ridge = RIDGE * max(float(np.trace(curvature)), np.finfo(float).tiny)
            held = float(precision @ there**2) / 2
            return loss + held, gradient + precision * there, curvature + np.diag(precision + ridge)

        enough = 0.0 if precision.any() else SEPARATED * float(shares.sum())
        loss, gradient, curvature = sums(weights)
        for step in range(1, MOST_STEPS + 1):
            if loss <= enough:
                return Fit(weights / self._scale, step, separated=True)
            direction = np.linalg.solve(curvature, -gradient)
            promise = -float(gradient @ direction)
            if promise <= PROMISE * loss:
                return Fit((weights + direction) / self._scale, step)
            # The whole step, or the first half, quarter … of it that brings some of what it promises.
            for halved in range(MOST_HALVINGS):
                there = weights + direction / 2**halved
                reached = sums(there)
                if reached[0] <= loss - LEAST_KEPT * promise / 2**halved:
                    break
            else:
                break
            weights, (loss, gradient, curvature) = there, reached
        return Fit(weights / self._scale, MOST_STEPS)

    def _descend(self, loss: Callable[[Float64s], tuple[float, Float64s]], shares: Float64s, begin: Float64s) -> Fit:
        """L-BFGS: what many columns, which are sparse, are fitted by."""
        total, precision = float(shares.sum()), self._precision

        def held(weights: Float64s) -> tuple[float, Float64s]:
            value, gradient = loss(weights)
            value += float(precision @ weights**2) / 2
            return value / total, (gradient + precision * weights) / total

        options = {"maxiter": 2000, "maxfun": 4000, "ftol": 1e-15, "gtol": 1e-9, "maxcor": 30}
        result = minimize(held, begin, jac=True, method="L-BFGS-B", options=options)
        return Fit(result.x / self._scale, int(result.nit))
