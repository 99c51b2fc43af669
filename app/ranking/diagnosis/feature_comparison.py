"""Which features tell an oracle from what the decoder put first (Srivastava's thesis §3.7, §4.6)."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from app.arrays import Int64s
from app.tuning.matrix import FeatureMatrix

__all__ = ["FeatureShare", "compare_features"]


@dataclass(frozen=True)
class FeatureShare:
    """One component of a feature: the shares of segments where it is larger for the oracle, for the first hypothesis, or equal.

    The means are over segments.
    """

    feature: str
    component: int
    oracle: float
    first: float
    equal: float
    mean_oracle: float
    mean_first: float


def compare_features(names: Sequence[str], features: FeatureMatrix, oracle: Int64s, first: Int64s) -> list[FeatureShare]:
    """All columns of hypotheses `oracle` (n,) beside those of `first` (n,)."""
    counts: dict[str, int] = {}
    shares = []
    for k, name in enumerate(names):
        component = counts.get(name, 0)
        counts[name] = component + 1
        column = features.column(k)
        best, leading = column[oracle], column[first]
        shares.append(
            FeatureShare(
                name,
                component,
                float((best > leading).mean()),
                float((best < leading).mean()),
                float((best == leading).mean()),
                float(np.mean(best)),
                float(np.mean(leading)),
            )
        )
    return shares
