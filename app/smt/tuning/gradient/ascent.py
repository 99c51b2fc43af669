"""Maximisation by L-BFGS (Liu and Nocedal 1989), on features with equal spread."""

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import TypeAlias

import numpy as np

from app.arrays import Float64s
from app.running.journal import Journal
from app.smt.tuning.method import TuningData
from app.smt.tuning.pool import TuningPool
from app.smt.tuning.spreads import spreads

__all__ = ["Objective", "ScaledPool", "climb", "scaled"]

# A function from weights (width,) to the value to maximise and its gradient (width,).
Objective: TypeAlias = Callable[[Float64s], tuple[float, Float64s]]


@dataclass(frozen=True, eq=False)
class ScaledPool:
    """A pool with a standard deviation of 1 in each column within lists, and start weights for it.

    Weighted sums by the start weights also have a standard deviation of about 1 within lists. Results then do not depend on the
    features' units or on the scale of the start weights. `unit` (width,) are the divisors of the columns.
    """

    pool: TuningPool
    start: Float64s
    unit: Float64s

    def unscaled(self, weights: Float64s) -> Float64s:
        """Convert weights to the original columns."""
        return weights / self.unit


def scaled(data: TuningData) -> ScaledPool:
    """Scale the pool and start weights of `data`."""
    unit = spreads(data.pool)
    unit = np.where(unit > 0, unit, 1.0)
    pool = replace(data.pool, features=data.pool.features.scaled(1.0 / unit))
    start = data.start * unit
    start = start / np.abs(start).max()
    totals = pool.features @ start
    means = np.add.reduceat(totals, pool.offsets[:-1]) / pool.lengths
    spread = float((totals - means[pool.segment_of]).std())
    return ScaledPool(pool, start / spread if spread > 0 else start, unit)


def climb(objective: Objective, start: Float64s, steps: int, journal: Journal, share: float) -> Float64s:
    """Return the weights after at most `steps` steps of L-BFGS; `share` is the share of the whole work done before."""
    # Servers import all tuners, and this import takes a fifth of a second.
    from scipy.optimize import minimize

    def turned(weights: Float64s) -> tuple[float, Float64s]:
        journal.report("climbing", share)
        value, gradient = objective(weights)
        return -value, -gradient

    return np.asarray(minimize(turned, start, jac=True, method="L-BFGS-B", options={"maxiter": steps}).x, np.float64)
