"""Weighted logistic and linear regression on feature differences, without bias: exact and deterministic.

Many regressions share their rows and differ in row weights only (WRO-Local: one per sentence). Work on the rows alone is done once.
Columns are divided by their root mean square internally; results do not change.
"""

from collections.abc import Callable
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import Final

import numpy as np

from app.arrays import Float64s, Int64s
from app.smt.tuning.matrix import HypothesisFeatures
from app.smt.tuning.pairs.logistic_kernels import logistic_curvature

__all__ = ["Fit", "Regression"]

# Up to this width, second derivatives cost less than more iterations.
NARROW: Final = 32
MOST_STEPS: Final = 100
MOST_HALVINGS: Final = 40
# Rows count as separated below this loss per unit of weight: their best weights are infinite.
SEPARATION: Final = 1e-8
# Newton steps end if the expected gain is below this share of the loss; the remaining error is its square.
PROMISE: Final = 1e-10
# Ridge relative to the mean second derivative, for collinear columns.
RIDGE: Final = 1e-13
# A step must bring this share of its expected gain.
GAIN_SHARE: Final = 1e-4


@dataclass(frozen=True, eq=False)
class Fit:
    """Weights (width,) of least loss, and the number of steps. `separated`: every row is on the right side and there is no prior,
    so only the direction of the weights matters."""

    weights: Float64s
    steps: int
    separated: bool = False


class Regression:
    """Rows of feature differences (better minus worse), for regressions with any row weights."""

    def __init__(self, rows: HypothesisFeatures, prior: float = 0.0, unit: str = "none") -> None:
        """Prepare rows; `prior` is the precision of a Gaussian prior on the weights.

        With `unit` ``spread``, the prior is on weights times the root mean square of their column. It then treats features of all
        units alike, and two nearly equal features do not grow against each other.
        """
        scale = np.sqrt(rows.mean_squares())
        self._scale = np.where(scale > 0, scale, 1.0)
        self._precision = np.full(rows.width, prior) if unit == "spread" else prior / self._scale**2
        self._rows = rows.scaled(1.0 / self._scale)
        narrow = rows.width <= NARROW
        self._narrow = np.ascontiguousarray(self._rows.array()) if narrow else None

    def logistic(self, shares: Float64s, start: Float64s | None = None) -> Fit:
        """Minimise Σ shares[i] · log(1 + exp(-Λ·x[i])) + ½ prior ‖Λ‖².

        `shares` (p,) are not negative and not all 0. `start` only saves time if the minimum is unique.
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
        is_separated = not self._precision.any() and loss(fit.weights * self._scale)[0] <= SEPARATION * float(shares.sum())
        return replace(fit, separated=is_separated)

    def near(self, offsets: Int64s, weights: Float64s, start: Float64s) -> Float64s:
        """Return start points of t logistic regressions: one Newton step from `start` (width,); (t, width).

        Regression t weighs rows ``offsets[i]:offsets[i + 1]`` by ``weights[t, i]``. Common sums at `start` are computed once, so
        all steps are matrix products. Wide rows begin at `start`.
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
        """Minimise ½ Σ shares[i] · (Λ·x[i] - targets[i])² + ½ prior ‖Λ‖²; of several minima, the shortest (scaled columns)."""
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

        def sums(point: Float64s) -> tuple[float, Float64s, Float64s]:
            loss, gradient, curvature = logistic_curvature(rows, shares, point)
            ridge = RIDGE * max(float(np.trace(curvature)), np.finfo(float).tiny)
            penalty = float(precision @ point**2) / 2
            return loss + penalty, gradient + precision * point, curvature + np.diag(precision + ridge)

        separation_loss = 0.0 if precision.any() else SEPARATION * float(shares.sum())
        loss, gradient, curvature = sums(weights)
        for step in range(1, MOST_STEPS + 1):
            if loss <= separation_loss:
                return Fit(weights / self._scale, step, separated=True)
            direction = np.linalg.solve(curvature, -gradient)
            promise = -float(gradient @ direction)
            if promise <= PROMISE * loss:
                return Fit((weights + direction) / self._scale, step)
            # Halve the step until it brings enough of its expected gain.
            for exponent in range(MOST_HALVINGS):
                point = weights + direction / 2**exponent
                trial = sums(point)
                if trial[0] <= loss - GAIN_SHARE * promise / 2**exponent:
                    break
            else:
                break
            weights, (loss, gradient, curvature) = point, trial
        return Fit(weights / self._scale, MOST_STEPS)

    def _descend(self, loss: Callable[[Float64s], tuple[float, Float64s]], shares: Float64s, begin: Float64s) -> Fit:
        """Minimise by L-BFGS, for many sparse columns."""
        # Servers import all tuners, and this import takes a fifth of a second.
        from scipy.optimize import minimize

        total, precision = float(shares.sum()), self._precision

        def objective(weights: Float64s) -> tuple[float, Float64s]:
            value, gradient = loss(weights)
            value += float(precision @ weights**2) / 2
            return value / total, (gradient + precision * weights) / total

        options = {"maxiter": 2000, "maxfun": 4000, "ftol": 1e-15, "gtol": 1e-9, "maxcor": 30}
        result = minimize(objective, begin, jac=True, method="L-BFGS-B", options=options)
        return Fit(result.x / self._scale, int(result.nit))
