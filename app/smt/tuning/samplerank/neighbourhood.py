"""The neighbourhood of a chain's hypothesis; `app.smt.decoder.sampling` has that of a decoder's operators."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np

from app.arrays import Float64s
from app.smt.tuning.matrix import HypothesisFeatures

__all__ = ["Neighbourhood", "Neighbours"]


@dataclass(frozen=True, eq=False)
class Neighbours:
    """The m hypotheses of a step; `current` is the index of the chain's present hypothesis.

    `features` (m, width) and `statistics` (m, s) have a row for each of `hypotheses`; only the neighbourhood interprets these.
    Sparse features can grow: there are at least as many columns as weights.
    """

    hypotheses: Sequence[Any]
    features: Float64s | HypothesisFeatures
    statistics: Float64s
    current: int


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
