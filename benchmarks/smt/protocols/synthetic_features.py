"""Sparse features that somebody made up, to see how many of them a method of tuning bears.

Hopkins and May 2011 made features up to see where MERT fails to scale; these are sparse indicators, which mean nothing, or as much
as is asked for.
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
MOST: Final = 100_000


def with_synthetic_features(
    lists: MeasuredLists, count: int, seed: int, role: int = 0, signal: float = 0.0, share: float = SHARE
) -> MeasuredLists:
    """Lists with `count` features more, of value 1 where a hypothesis has them, as sparse columns behind the others.

    Each hypothesis has a feature with probability ``share · (1 + signal · sign · gain)``: a feature's sign, +1 or -1, depends on
    `seed` and its number alone, so that it means the same in all sets of lists, while `role` draws which hypotheses of a set have
    it. The gain is that of the pool's metric, from -1 (the worst of the list) to 1; a signal of 0 makes noise. The first features
    are the same whatever `count` is.
    """
    if not 0 <= count <= MOST or not 0.0 <= signal <= 1.0 or not 0.0 < share <= 0.5:
        detail = f"synthetic features are at most {MOST}, their signal is from 0 to 1 and their share above 0 and at most 0.5"
        raise InputError("invalid-request", detail, ("features",))
    pool, h = lists.pool, len(lists.pool.features)
    gains = _within_lists(lists) if signal else np.zeros(h)
    columns, rows = [], []
    for number in range(count):
        sign = 1.0 if np.random.default_rng([seed, number]).random() < 0.5 else -1.0
        drawn = np.random.default_rng([seed, number, role + 1]).random(h)
        places = np.flatnonzero(drawn < share * (1.0 + signal * sign * gains))
        rows.append(places)
        columns.append(np.full(len(places), number))
    if not count:
        return lists
    entries = np.concatenate(rows), np.concatenate(columns)
    made = csr_matrix((np.ones(len(entries[0])), entries), shape=(h, count))
    before = pool.features.sparse
    sparse = made if before is None else hstack([before, made], format="csr")
    names = (*pool.names, *(f"synthetic{number}" for number in range(1, count + 1)))
    return lists.with_features(names, HypothesisFeatures(pool.features.dense, sparse))


def _within_lists(lists: MeasuredLists) -> Float64s:
    """Gains from -1 to 1 in each list; 0 where all are equal."""
    gains, offsets, lengths = lists.pool.gains, lists.pool.offsets, lists.pool.lengths
    low = np.repeat(np.minimum.reduceat(gains, offsets[:-1]), lengths)
    span = np.repeat(np.maximum.reduceat(gains, offsets[:-1]), lengths) - low
    scaled = np.divide(gains - low, span, out=np.full(len(gains), 0.5), where=span > 0)
    return np.asarray(2.0 * scaled - 1.0)
