"""Scale-free penalties for exact line search in MERT, after Galley et al. 2013.

L2 is the angle between the weights and the start weights; L0 is the share of weights that are not 0.
"""

from dataclasses import dataclass

import numpy as np

from app.arrays import Float64s
from app.smt.tuning.mert.line_search import LinePenalty

__all__ = ["Penalty"]


@dataclass(frozen=True, eq=False)
class Penalty:
    """``l2 · sin²(w, origin) + l0 · share of weights that are not 0``, in fractions of the metric, of which `points` make 1."""

    l2: float
    l0: float
    origin: Float64s
    points: float

    def cost(self, weights: Float64s) -> float:
        """Return the penalty of weights (width,), in the metric's unit."""
        along = float(weights @ self.origin) ** 2 / (float(weights @ weights) * float(self.origin @ self.origin))
        return self.points * (self.l2 * (1.0 - along) + self.l0 * float(np.mean(weights != 0)))

    def along(self, weights: Float64s, direction: Float64s) -> LinePenalty | None:
        """Return the penalty along a direction; None if both factors are 0."""
        return _Along(self, weights, direction) if self.l2 or self.l0 else None


@dataclass(frozen=True, eq=False)
class _Along:
    penalty: Penalty
    weights: Float64s
    direction: Float64s

    @property
    def favourites(self) -> Float64s:
        """Return the step that sets a weight to 0, for a direction along one coordinate."""
        indices = np.flatnonzero(self.direction)
        if len(indices) != 1 or not self.penalty.l0:
            return np.empty(0)
        return np.asarray(-self.weights[indices] / self.direction[indices])

    def __call__(self, steps: Float64s) -> Float64s:
        """Return the penalty at steps; (m,) to (m,)."""
        weights, direction, origin = self.weights, self.direction, self.penalty.origin
        projection = weights @ origin + steps * (direction @ origin)
        squares = weights @ weights + 2 * steps * (weights @ direction) + steps**2 * (direction @ direction)
        with np.errstate(divide="ignore", invalid="ignore"):
            along = np.where(squares > 0, projection**2 / (squares * (origin @ origin)), 0.0)
        zeros = np.zeros(len(steps))
        if self.penalty.l0:
            indices = np.flatnonzero(direction)
            nonzero_count = int(np.count_nonzero(np.delete(weights, indices)))
            zeros = (nonzero_count + np.count_nonzero(weights[indices] + steps[:, None] * direction[indices], axis=1)) / len(
                weights
            )
        # Weights of 0 only choose nothing.
        return np.where(squares > 0, self.penalty.points * (self.penalty.l2 * (1.0 - along) + self.penalty.l0 * zeros), np.inf)
