"""Climbing a function with its gradient by L-BFGS (Liu and Nocedal 1989), in units in which all features spread alike."""

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import TypeAlias

import numpy as np
from scipy.optimize import minimize

from app.arrays import Float64s
from app.running.journal import Journal
from app.smt.tuning.method import TuningData
from app.smt.tuning.pool import Pool
from app.smt.tuning.scaling import spreads

__all__ = ["Objective", "Scaled", "climb", "scaled"]

# Weights (width,) to a value, more is better, and its gradient (width,).
Objective: TypeAlias = Callable[[Float64s], tuple[float, Float64s]]


@dataclass(frozen=True, eq=False)
class Scaled:
    """A pool whose columns have a standard deviation of 1 within lists, and the start weights for them.

    What is found does not depend on the features' units then, nor on the start weights' scale: the start's weighted sums have a
    standard deviation of about 1 within lists too. `unit` (width,) is what the columns were divided by.
    """

    pool: Pool
    start: Float64s
    unit: Float64s

    def given(self, weights: Float64s) -> Float64s:
        """Weights for the columns as they were given."""
        return weights / self.unit


def scaled(data: TuningData) -> Scaled:
    """The pool and start of `data` in units of their own."""
    unit = spreads(data.pool)
    unit = np.where(unit > 0, unit, 1.0)
    pool = replace(data.pool, features=data.pool.features.scaled(1.0 / unit))
    start = data.start * unit
    start = start / np.abs(start).max()
    totals = pool.features @ start
    means = np.add.reduceat(totals, pool.offsets[:-1]) / pool.lengths
    spread = float((totals - means[pool.segment_of]).std())
    return Scaled(pool, start / spread if spread > 0 else start, unit)


def climb(objective: Objective, start: Float64s, steps: int, journal: Journal, share: float) -> Float64s:
    """Where the objective is highest, as far as so many steps of L-BFGS come; `share` is the share of the work that is done."""

    def turned(weights: Float64s) -> tuple[float, Float64s]:
        journal.report("climbing", share)
        value, gradient = objective(weights)
        return -value, -gradient

    return np.asarray(minimize(turned, start, jac=True, method="L-BFGS-B", options={"maxiter": steps}).x, np.float64)
