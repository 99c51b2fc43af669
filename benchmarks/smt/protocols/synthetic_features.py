"""Synthetic sparse features, to test how tuning methods scale.

Hopkins and May 2011 used synthetic features to show where MERT fails to scale. These are sparse indicators, noise or with a signal.
"""

from typing import Final

import numpy as np
from scipy.sparse import csr_matrix, hstack

from app.arrays import Float64s
from app.errors import InputError
from app.smt.tuning.matrix import HypothesisFeatures
from benchmarks.smt.protocols.measured_lists import MeasuredLists

__all__ = ["SHARE", "with_synthetic_features"]

# The share of the hypotheses that have a feature.
SHARE: Final = 0.02
LARGEST_COUNT: Final = 100_000


def with_synthetic_features(
    lists: MeasuredLists, count: int, seed: int, role: int = 0, signal: float = 0.0, share: float = SHARE
) -> MeasuredLists:
    """Add `count` sparse indicator features, as last columns.

    A hypothesis has a feature with probability ``share · (1 + signal · sign · gain)``. The sign, +1 or -1, depends on `seed` and the
    feature's number, so it is equal in all sets; `role` seeds the draw within a set. The gain is by the pool's metric, from -1 (the
    worst of the list) to 1. A signal of 0 makes noise. A larger `count` keeps the first features.
    """
    if not 0 <= count <= LARGEST_COUNT or not 0.0 <= signal <= 1.0 or not 0.0 < share <= 0.5:
        detail = (
            f"synthetic features are at most {LARGEST_COUNT}, their signal is from 0 to 1 and their share above 0 and at most 0.5"
        )
        raise InputError("invalid-request", detail, ("features",))
    pool, h = lists.pool, len(lists.pool.features)
    gains = _within_lists(lists) if signal else np.zeros(h)
    columns, rows = [], []
    for number in range(count):
        sign = 1.0 if np.random.default_rng([seed, number]).random() < 0.5 else -1.0
        sample = np.random.default_rng([seed, number, role + 1]).random(h)
        places = np.flatnonzero(sample < share * (1.0 + signal * sign * gains))
        rows.append(places)
        columns.append(np.full(len(places), number))
    if not count:
        return lists
    entries = np.concatenate(rows), np.concatenate(columns)
    matrix = csr_matrix((np.ones(len(entries[0])), entries), shape=(h, count))
    before = pool.features.sparse
    sparse = matrix if before is None else hstack([before, matrix], format="csr")
    names = (*pool.names, *(f"synthetic{number}" for number in range(1, count + 1)))
    return lists.with_features(names, HypothesisFeatures(pool.features.dense, sparse))


def _within_lists(lists: MeasuredLists) -> Float64s:
    """Return gains scaled to -1..1 in each list; 0 if all are equal."""
    gains, offsets, lengths = lists.pool.gains, lists.pool.offsets, lists.pool.lengths
    low = np.repeat(np.minimum.reduceat(gains, offsets[:-1]), lengths)
    span = np.repeat(np.maximum.reduceat(gains, offsets[:-1]), lengths) - low
    shares = np.divide(gains - low, span, out=np.full(len(gains), 0.5), where=span > 0)
    return np.asarray(2.0 * shares - 1.0)
