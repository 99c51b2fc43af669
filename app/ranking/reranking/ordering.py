"""The order that weights give the hypotheses of each list, and what each feature adds to it."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from app.arrays import Float64s, Int64s
from app.errors import InputError
from app.text.feature_columns.sparse import SparseColumns
from app.text.n_best import NBestLists
from app.tuning import Weights

__all__ = ["Reordered", "moved", "of_votes", "reorder", "unused_weights", "votes"]


@dataclass(frozen=True, eq=False)
class Reordered:
    """Lists in a new order: `order` (h,) are places of the hypotheses, list after list, in each the best first.

    `scores` (h,) are weighted sums, by place; `contributions` (h, names) what each of `names` adds to them, its components in one.
    """

    lists: NBestLists
    order: Int64s
    scores: Float64s
    names: tuple[str, ...]
    contributions: Float64s

    @property
    def first(self) -> Int64s:
        """The place of the best hypothesis of each list that has one."""
        return self.order[self.lists.offsets[:-1][self.lists.lengths > 0]]

    @property
    def old_ranks(self) -> Int64s:
        """The rank, from 0, that the first of each list that has one had before."""
        return self.first - self.lists.offsets[:-1][self.lists.lengths > 0]


def reorder(lists: NBestLists, weights: Weights) -> Reordered:
    """By the weighted sum of the features, those that a hypothesis lacks being 0; equal ones stay in the decoder's order.

    InputError where a feature has no weight, or a sum is no number.
    """
    values = lists.values
    with np.errstate(over="ignore", invalid="ignore"):
        parts = values * weights.of_columns(lists.names)[None]
        scores = parts.sum(axis=1) + _of_sparse(lists, weights)
    if not np.isfinite(scores).all():
        h = int(np.flatnonzero(~np.isfinite(scores))[0])
        detail = "a weighted sum of features is too large to be a number"
        raise InputError("invalid-table", detail, ("n_best", int(lists.segments[h])))
    names = tuple(dict.fromkeys(lists.names))
    contributions = np.stack([parts[:, lists.columns(name)].sum(axis=1) for name in names], 1) if names else parts
    return Reordered(lists, np.lexsort((-scores, lists.segments)), scores, names, contributions)


def _of_sparse(lists: NBestLists, weights: Weights) -> Float64s:
    """What sparse features add; those without a weight of their own, which no tuning met, add nothing."""
    sparse = lists.sparse
    if sparse is None:
        return np.zeros(len(lists.scores))
    products = sparse.values * _sparse_weights(sparse, weights)[sparse.columns]
    return np.asarray(np.bincount(sparse.row_of_entries(), products, len(lists.scores)), np.float64)


def _sparse_weights(sparse: SparseColumns, weights: Weights) -> Float64s:
    """The weight of each sparse column; 0 where it has none."""
    counts: dict[str, int] = {}
    row = []
    for name in sparse.names:
        at = counts[name] = counts.get(name, -1) + 1
        values = weights.values.get(name, ())
        row.append(values[at] if at < len(values) else 0.0)
    return np.array(row, np.float64)


def moved(ordered: Reordered, weights: Weights, chosen: Int64s, others: Int64s) -> list[list[tuple[str, float]]]:
    """Of each pair of places what features add to the score of the chosen one beyond what they add to the other's.

    Both (n,); the largest comes first. Dense and sparse features that make a difference are named, their components in one;
    differences sum to that of the weighted sums.
    """
    dense = ordered.contributions[chosen] - ordered.contributions[others]
    gaps: list[dict[str, float]] = [dict(zip(ordered.names, row, strict=True)) for row in dense.tolist()]
    sparse = ordered.lists.sparse
    if sparse is not None:
        by_column = _sparse_weights(sparse, weights)
        for sign, places in ((1.0, chosen), (-1.0, others)):
            block = sparse.rows(places)
            values = sign * block.values * by_column[block.columns]
            for i, k, value in zip(block.row_of_entries().tolist(), block.columns.tolist(), values.tolist(), strict=True):
                gaps[i][sparse.names[k]] = gaps[i].get(sparse.names[k], 0.0) + value
    return [sorted(((name, gap) for name, gap in row.items() if gap), key=lambda entry: -abs(entry[1])) for row in gaps]


def unused_weights(lists: NBestLists, weights: Weights) -> list[str]:
    """Features that have weights, but that the lists lack."""
    there = {*lists.names, *(() if lists.sparse is None else lists.sparse.names)}
    return [name for name in weights.values if name not in there]


def votes(lists: NBestLists, optima: Sequence[Weights]) -> Int64s:
    """How many of several optima put each hypothesis first; (h,) (Olteanu, Suriyentrakorn and Moldovan 2006)."""
    out = np.zeros(len(lists.scores), np.int64)
    for weights in optima:
        out[reorder(lists, weights).first] += 1
    return out


def of_votes(lists: NBestLists, optima: Sequence[Weights]) -> Reordered:
    """Lists in the order of their votes; of equally many, that of the first of the optima, which is the best of them.

    Scores are numbers of votes, and contributions those of the first.
    """
    if not optima:
        raise InputError("missing-weights", "a vote needs weights", ("weights",))
    by_first = reorder(lists, optima[0])
    counted = votes(lists, optima).astype(np.float64)
    order = np.lexsort((-by_first.scores, -counted, lists.segments))
    return Reordered(lists, order, counted, by_first.names, by_first.contributions)
