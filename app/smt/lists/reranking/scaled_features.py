"""Scaling of features for tuners that depend on scale, and conversion of tuned weights back."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Final

import numpy as np

from app.arrays import Float64s
from app.errors import InputError
from app.smt.tuning.pool import TuningPool
from app.smt.tuning.spreads import spreads

__all__ = ["SCALINGS", "Scaling", "scaling_of"]

# Division by the deviation within lists; also centred, which changes no order; unchanged.
SCALINGS: Final = ("deviation", "standard", "none")


@dataclass(frozen=True, eq=False)
class Scaling:
    """Offsets and divisors of columns; both (width,), measured on the tuning lists."""

    kind: str
    names: tuple[str, ...]
    centres: Float64s
    deviations: Float64s

    def scaled(self, pool: TuningPool) -> TuningPool:
        """Return the pool with scaled features."""
        features = pool.features.scaled(1.0 / self.deviations)
        if self.kind != "standard":
            return replace(pool, features=features)
        if features.sparse is not None:
            raise InputError("invalid-tuning", "sparse features cannot be centred; use a scaling by deviation only", ("scaling",))
        return replace(pool, features=replace(features, dense=features.dense - self.centres / self.deviations))

    def onto(self, weights: Float64s) -> Float64s:
        """Convert weights of raw features to weights of scaled ones."""
        return weights * self.deviations

    def back(self, weights: Float64s) -> Float64s:
        """Convert weights of scaled features to weights of raw ones with equal choices."""
        return weights / self.deviations

    def as_json(self) -> Mapping[str, list[float]]:
        """Return the deviations of each feature's components, for the card of weights."""
        deviations: dict[str, list[float]] = {}
        for name, value in zip(self.names, self.deviations.tolist(), strict=True):
            deviations.setdefault(name, []).append(value)
        return deviations


def scaling_of(pool: TuningPool, kind: str = "deviation") -> Scaling:
    """Measure a scaling on the tuning pool: deviations within lists (1 for constant columns), means over all hypotheses."""
    if kind not in SCALINGS:
        raise InputError("invalid-tuning", f"scalings are {', '.join(SCALINGS)}", ("scaling",))
    width = pool.features.width
    if kind == "none":
        return Scaling(kind, pool.names, np.zeros(width), np.ones(width))
    deviations = spreads(pool)
    means = pool.features.gathered(np.full(len(pool.features), 1.0 / len(pool.features)))
    return Scaling(kind, pool.names, means, np.where(deviations > 0, deviations, 1.0))
