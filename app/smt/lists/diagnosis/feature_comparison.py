"""Features of oracles beside those of first hypotheses (Srivastava's thesis §3.7, §4.6)."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from app.arrays import Int64s
from app.smt.tuning.matrix import HypothesisFeatures
from app.text.feature_columns.columns import components

__all__ = ["FeatureShare", "compare_features"]


@dataclass(frozen=True)
class FeatureShare:
    """A component of a feature: the shares of segments with the larger value for the oracle, for the first hypothesis, or equal.

    Means are over segments.
    """

    feature: str
    component: int
    oracle: float
    first: float
    equal: float
    mean_oracle: float
    mean_first: float


def compare_features(
    names: Sequence[str], features: HypothesisFeatures, oracle: Int64s, first: Int64s, limit: int | None = None
) -> list[FeatureShare]:
    """Compare all columns, dense and sparse, of hypotheses `oracle` (n,) and `first` (n,); return them in column order.

    At most `limit` columns are returned: those with the largest difference between both shares.
    """
    n = len(oracle)
    higher, lower = _signs(features, oracle, first)
    sums = [features.rows(places).gathered(np.ones(n)) / n for places in (oracle, first)]
    order = np.argsort(-np.abs(higher - lower), kind="stable")[:limit]
    keys = components(names)
    return [
        FeatureShare(
            keys[k][0],
            keys[k][1],
            float(higher[k] / n),
            float(lower[k] / n),
            float((n - higher[k] - lower[k]) / n),
            float(sums[0][k]),
            float(sums[1][k]),
        )
        for k in np.sort(order).tolist()
    ]


def _signs(features: HypothesisFeatures, oracle: Int64s, first: Int64s) -> tuple[Int64s, Int64s]:
    """Count segments with a larger value for the oracle, and for the first hypothesis, per column; two of (width,)."""
    best, leading = features.dense[oracle], features.dense[first]
    higher, lower = (best > leading).sum(0), (best < leading).sum(0)
    if features.sparse is not None:
        differences = features.sparse[oracle] - features.sparse[first]
        columns = differences.shape[1]
        higher, lower = (
            np.concatenate([dense, np.bincount(differences.indices[mask], minlength=columns)])
            for dense, mask in ((higher, differences.data > 0), (lower, differences.data < 0))
        )
    return higher, lower
