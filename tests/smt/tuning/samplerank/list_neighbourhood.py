"""N-best lists as neighbourhoods of `chain.walk`, which the compiled chains of lists must equal."""

from dataclasses import dataclass
from typing import Any

import numpy as np

from app.arrays import Float64s, Int64s
from app.smt.tuning.pool import TuningPool
from app.smt.tuning.samplerank.neighbourhood import Neighbours


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
