"""Deciles of features in training, and the stability of live features beside them."""

from dataclasses import dataclass, replace
from typing import Final

import numpy as np

from app.arrays import Float32s, Float64s, Int64s
from app.predictors.distribution.bin_kernel import bin_counts

__all__ = ["DRIFT_LIMIT", "FEWEST_SEGMENTS", "Distribution", "stability"]

BINS: Final = 10
# Population stability index of a changed distribution (the usual rule of thumb).
DRIFT_LIMIT: Final = 0.25
# With fewer segments chance alone looks like drift.
FEWEST_SEGMENTS: Final = 100


@dataclass(frozen=True)
class Distribution:
    """Deciles of each feature over the training rows (k, 9), and the share of rows in each of the ten bins (k, 10).

    A bin holds values above its lower edge and up to its upper one. Repeated values can make edges equal and bins empty.
    """

    edges: Float64s
    shares: Float32s

    @classmethod
    def of(cls, values: Float64s) -> "Distribution":
        """The distribution of training rows (n, k)."""
        edges = np.quantile(values, np.arange(1, BINS) / BINS, axis=0, method="inverted_cdf").T
        distribution = cls(np.ascontiguousarray(edges, np.float64), np.empty(0, np.float32))
        return replace(distribution, shares=(distribution.counts(values) / len(values)).astype(np.float32))

    def within(self, slack: Float64s) -> "Distribution":
        """A copy that moves values within `slack` (k,) of an edge onto it, and joins edges within twice the slack."""
        edges, shares = self.edges.copy(), self.shares.copy()
        for place in range(BINS - 3, -1, -1):
            narrow = self.edges[:, place + 1] - self.edges[:, place] <= 2 * slack
            edges[narrow, place] = edges[narrow, place + 1]
            shares[narrow, place] += shares[narrow, place + 1]
            shares[narrow, place + 1] = 0.0
        return Distribution(edges + slack[:, None], shares)

    def counts(self, values: Float64s) -> Int64s:
        """Number of rows (n, k) in each bin; shape (k, 10)."""
        counts: Int64s = bin_counts(np.ascontiguousarray(values, np.float64), np.ascontiguousarray(self.edges))
        return counts


def stability(distribution: Distribution, counts: Int64s) -> Float64s:
    """The population stability index of each feature, ``Σ (q - p) ln(q / p)`` over the bins; shape (k,).

    Half a row is added to each bin in use, so that an empty one is not infinitely far.
    """
    total = max(1, int(counts[0].sum())) if len(counts) else 1
    bin_mask = (distribution.shares > 0) | (counts > 0)
    bins = bin_mask.sum(1, keepdims=True)
    p = (distribution.shares * total + 0.5 * bin_mask) / (total + 0.5 * bins)
    q = (counts + 0.5 * bin_mask) / (total + 0.5 * bins)
    ratio = np.divide(q, p, out=np.ones_like(q), where=bin_mask)
    return np.asarray(((q - p) * np.log(ratio)).sum(1))
