"""Intrinsic evaluation of word orders against gold places with ties: Kendall, fuzzy reordering score, complete match.

Measures follow Nakagawa 2015 and the evaluation of google/topdown-btg-preordering: ties are never wrong, and unplaced words do not
count. The fuzzy score is that of Talbot et al. 2011.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from app.arrays import Float64s, Int64s
from app.smt.preordering.gold import NO_PLACE

__all__ = ["OrderScores", "evaluate_orders"]


@dataclass(frozen=True, eq=False)
class OrderScores:
    """Counts of each sentence; shape (sentences,) each.

    - `inversions` among all `pairs` of placed words
    - `breaks` among all `joints`: neighbours, with both ends of the sentence, that are neither ties nor successors
    """

    inversions: Int64s
    pairs: Int64s
    breaks: Int64s
    joints: Int64s

    @cached_property
    def kendall(self) -> Float64s:
        """Share of word pairs in the right order, in [0, 1]; 1 for sentences of one placed word or none."""
        return _right_shares(self.inversions, self.pairs)

    @cached_property
    def fuzzy(self) -> Float64s:
        """Share of unbroken joints, in [0, 1]; 1 for sentences of one placed word or none."""
        return _right_shares(self.breaks, self.joints)

    @cached_property
    def complete(self) -> Float64s:
        """1 for sentences without inversions, else 0."""
        return np.where(self.inversions > 0, 0.0, 1.0)

    def means(self) -> dict[str, float]:
        """Mean of each measure over sentences; pooled measures count all pairs and joints of the corpus. ValueError without any."""
        if not len(self.pairs):
            raise ValueError("there is no sentence to compare")
        totals = [np.array([counts.sum()]) for counts in (self.inversions, self.pairs, self.breaks, self.joints)]
        return {
            "kendall": float(self.kendall.mean()),
            "fuzzy": float(self.fuzzy.mean()),
            "complete": float(self.complete.mean()),
            "pooled_kendall": float(_right_shares(*totals[:2])[0]),
            "pooled_fuzzy": float(_right_shares(*totals[2:])[0]),
        }


def evaluate_orders(orders: Iterable[Sequence[int] | Int64s], places: Iterable[Int64s]) -> OrderScores:
    """Scores of predicted orders, source positions in target order, against gold places of source positions.

    ValueError for an order that is no permutation of the sentence's positions.
    """
    rows = [_counts(np.asarray(order), gold) for order, gold in zip(orders, places, strict=True)]
    return OrderScores(*np.array(rows, np.int64).reshape(-1, 4).T)


def _counts(order: np.ndarray[Any, Any], places: Int64s) -> tuple[int, int, int, int]:
    integral = order.dtype.kind in "iu" or not order.size
    if not integral or not np.array_equal(np.sort(order), np.arange(len(places))):
        raise ValueError(f"an order of {len(places)} words has each position once")
    sequence = places[order.astype(np.int64)]
    sequence = sequence[sequence != NO_PLACE]
    n = len(sequence)
    if n < 2:
        return 0, 0, 0, 0
    inversions = int(np.triu(sequence[:, None] > sequence[None, :], 1).sum())
    # Places are dense from 0; the sentence's ends stand before the first and behind the last.
    steps = np.diff(sequence, prepend=-1, append=sequence.max() + 1)
    return inversions, n * (n - 1) // 2, int(((steps != 0) & (steps != 1)).sum()), n + 1


def _right_shares(errors: Int64s, totals: Int64s) -> Float64s:
    return 1 - errors / np.maximum(totals, 1)
