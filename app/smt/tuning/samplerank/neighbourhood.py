"""Neighbourhoods of a chain: the interface, and n-best lists; a decoder's operators have their own."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np

from app.arrays import Float64s, Int64s
from app.smt.tuning.matrix import HypothesisFeatures
from app.smt.tuning.pool import TuningPool

__all__ = ["ListNeighbourhood", "Neighbourhood", "Neighbours"]


@dataclass(frozen=True, eq=False)
class Neighbours:
    """The m hypotheses of a step; `here` is the index of the chain's present hypothesis.

    `features` (m, width) and `statistics` (m, s) have a row for each of `hypotheses`; only the neighbourhood interprets these.
    Sparse features can grow: there are at least as many columns as weights.
    """

    hypotheses: Sequence[Any]
    features: Float64s | HypothesisFeatures
    statistics: Float64s
    here: int


class Neighbourhood(Protocol):
    """Hypotheses of n segments and their neighbours (Haddow et al. 2011, §2.2.2).

    A neighbourhood may draw an operator and its position by `rng`. If it contains the present hypothesis only, the chain stays.
    """

    def __len__(self) -> int:
        """Number of segments."""
        ...

    def first(self, segment: int) -> Neighbours:
        """Return the initial hypothesis of a chain."""
        ...

    def around(self, segment: int, hypothesis: Any, rng: np.random.Generator) -> Neighbours:
        """Return the neighbours of `hypothesis`, itself included."""
        ...


@dataclass(frozen=True, eq=False)
class ListNeighbourhood:
    """N-best lists as neighbourhoods: the whole list, or `size` - 1 drawn hypotheses.

    Chains begin with the first hypothesis. Hypotheses are row indices of the pool, in its order.
    """

    pool: TuningPool
    size: int = 0

    def __len__(self) -> int:
        return len(self.pool)

    def first(self, segment: int) -> Neighbours:
        """Return the decoder's first hypothesis."""
        return self._of(self.pool.offsets[segment : segment + 1], 0)

    def around(self, segment: int, hypothesis: Any, rng: np.random.Generator) -> Neighbours:
        """Return the list, or a random part with `hypothesis`."""
        first, last = self.pool.offsets[segment : segment + 2].tolist()
        if not 1 < self.size < last - first:
            return self._of(np.arange(first, last), hypothesis - first)
        places = drawn_places(last - first, hypothesis - first, rng.random(self.size - 1)) + first
        return self._of(places, int(np.searchsorted(places, hypothesis)))

    def _of(self, places: Int64s, here: int) -> Neighbours:
        features = self.pool.features.rows(places).array()
        return Neighbours(places.tolist(), features, self.pool.statistics[places], here)


def drawn_places(length: int, here: int, uniforms: Float64s) -> Int64s:
    """Draw ``len(uniforms)`` other indices below `length`; return them with `here`, ascending (Floyd's algorithm)."""
    rest = length - 1
    selection: set[int] = set()
    for k, uniform in enumerate(uniforms.tolist()):
        top = rest - len(uniforms) + k
        place = min(int(uniform * (top + 1)), top)
        selection.add(top if place in selection else place)
    return np.array(sorted({here, *(place + (place >= here) for place in selection)}), np.int64)
