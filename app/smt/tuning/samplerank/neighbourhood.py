"""Where a chain may go next: the interface that lists, and the operators of a decoder, fulfil."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np

from app.arrays import Float64s, Int64s
from app.smt.tuning.matrix import FeatureMatrix
from app.smt.tuning.pool import Pool

__all__ = ["ListNeighbourhood", "Neighbourhood", "Neighbours"]


@dataclass(frozen=True, eq=False)
class Neighbours:
    """The m hypotheses of one segment that a step chooses among: the chain's own, at the place `here`, is one of them.

    `features` (m, width) and `statistics` (m, s) have a row for each of `hypotheses`, which mean something to the neighbourhood
    alone. Where features are sparse, their number may grow: there are never fewer than there are weights.
    """

    hypotheses: Sequence[Any]
    features: Float64s | FeatureMatrix
    statistics: Float64s
    here: int


class Neighbourhood(Protocol):
    """Hypotheses of n segments, and which of them lie beside one another (Haddow et al. 2011, §2.2.2).

    A neighbourhood may choose an operator and where it is applied by `rng`; one that nothing lies in but the hypothesis itself is
    possible, and then the chain stays.
    """

    def __len__(self) -> int:
        """How many segments there are."""
        ...

    def first(self, segment: int) -> Neighbours:
        """The hypothesis that a chain begins with, alone."""
        ...

    def around(self, segment: int, hypothesis: Any, rng: np.random.Generator) -> Neighbours:
        """What lies around `hypothesis`, and it itself."""
        ...


@dataclass(frozen=True, eq=False)
class ListNeighbourhood:
    """N-best lists: every hypothesis is beside all others of its list, or beside `size` - 1 that are drawn.

    Chains begin with the first of the list. Hypotheses are places in the pool, and in the pool's order.
    """

    pool: Pool
    size: int = 0

    def __len__(self) -> int:
        return len(self.pool)

    def first(self, segment: int) -> Neighbours:
        """The decoder's first hypothesis."""
        return self._of(self.pool.offsets[segment : segment + 1], 0)

    def around(self, segment: int, hypothesis: Any, rng: np.random.Generator) -> Neighbours:
        """The list, or a part of it."""
        first, last = self.pool.offsets[segment : segment + 2].tolist()
        if not 1 < self.size < last - first:
            return self._of(np.arange(first, last), hypothesis - first)
        drawn = drawn_places(last - first, hypothesis - first, rng.random(self.size - 1)) + first
        return self._of(drawn, int(np.searchsorted(drawn, hypothesis)))

    def _of(self, places: Int64s, here: int) -> Neighbours:
        features = self.pool.features.rows(places).array()
        return Neighbours(places.tolist(), features, self.pool.statistics[places], here)


def drawn_places(length: int, here: int, uniforms: Float64s) -> Int64s:
    """`here`, and as many of the other places below `length` as there are `uniforms`, in ascending order (Floyd's algorithm)."""
    others = length - 1
    chosen: set[int] = set()
    for k, uniform in enumerate(uniforms.tolist()):
        top = others - len(uniforms) + k
        place = min(int(uniform * (top + 1)), top)
        chosen.add(top if place in chosen else place)
    return np.array(sorted({here, *(place + (place >= here) for place in chosen)}), np.int64)
