"""Features on one scale for tuners that are not scale-free, and what was tuned on it as weights of the features as they are."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Final

import numpy as np

from app.arrays import Float64s
from app.errors import InputError
from app.smt.tuning.pool import TuningPool
from app.smt.tuning.scaling import spreads

__all__ = ["SCALINGS", "Scaling", "scaling_of"]

# Divided by the deviation inside lists; centred as well, which moves no hypothesis past another; as they are.
SCALINGS: Final = ("deviation", "standard", "none")


@dataclass(frozen=True, eq=False)
class Scaling:
    """What columns are divided by, and what is taken from them before; both of shape (width,), measured where weights are tuned."""

    kind: str
    names: tuple[str, ...]
    centres: Float64s
    deviations: Float64s

    def scaled(self, pool: TuningPool) -> TuningPool:
        """The pool with its features on this scale."""
        features = pool.features.scaled(1.0 / self.deviations)
        if self.kind != "standard":
            return replace(pool, features=features)
        if features.sparse is not None:
            raise InputError("invalid-tuning", "sparse features are divided by their deviation only, never centred", ("scaling",))
        return replace(pool, features=replace(features, dense=features.dense - self.centres / self.deviations))

    def onto(self, weights: Float64s) -> Float64s:
        """Weights of raw features as weights of scaled ones."""
        return weights * self.deviations

    def back(self, weights: Float64s) -> Float64s:
        """Weights of scaled features as weights of raw ones, which choose the same."""
        return weights / self.deviations

    def as_json(self) -> Mapping[str, list[float]]:
        """What is kept beside weights: the deviations of each feature's components."""
        kept: dict[str, list[float]] = {}
        for name, value in zip(self.names, self.deviations.tolist(), strict=True):
            kept.setdefault(name, []).append(value)
        return kept


def scaling_of(pool: TuningPool, kind: str = "deviation") -> Scaling:
    """By the pool that is tuned on: deviations inside lists, 1 where a column is constant; means over all hypotheses."""
    if kind not in SCALINGS:
        raise InputError("invalid-tuning", f"scalings are {', '.join(SCALINGS)}", ("scaling",))
    width = pool.features.width
    if kind == "none":
        return Scaling(kind, pool.names, np.zeros(width), np.ones(width))
    deviations = spreads(pool)
    means = pool.features.gathered(np.full(len(pool.features), 1.0 / len(pool.features)))
    return Scaling(kind, pool.names, means, np.where(deviations > 0, deviations, 1.0))
