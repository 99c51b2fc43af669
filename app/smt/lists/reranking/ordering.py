"""Order of hypotheses by weights, and the contribution of each feature."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from app.arrays import Float64s, Int64s
from app.errors import InputError
from app.smt.tuning.pool import names_of
from app.smt.tuning.weights import FeatureWeights
from app.text.n_best import NBestLists

__all__ = ["ListOrder", "moved", "of_votes", "reorder", "unused_weights", "votes"]


@dataclass(frozen=True, eq=False)
class ListOrder:
    """Lists in a new order: `order` (h,) has the hypotheses, list by list, the best first.

    `scores` (h,) are weighted sums by hypothesis; `contributions` (h, names) are the parts of each dense feature, components added
    up. Sparse features only have `sparse_weights`, one per column.
    """

    lists: NBestLists
    order: Int64s
    scores: Float64s
    names: tuple[str, ...]
    contributions: Float64s
    sparse_weights: Float64s

    def contributions_of(self, h: int) -> dict[str, float]:
        """Return the contribution of each feature to the sum of a hypothesis, its sparse features included."""
        parts = dict(zip(self.names, self.contributions[h].tolist(), strict=True))
        sparse = self.lists.sparse
        if sparse is not None:
            for e in range(int(sparse.offsets[h]), int(sparse.offsets[h + 1])):
                name, column = sparse.names[sparse.columns[e]], sparse.columns[e]
                parts[name] = parts.get(name, 0.0) + float(sparse.values[e] * self.sparse_weights[column])
        return parts

    @property
    def first(self) -> Int64s:
        """Best hypothesis of each non-empty list."""
        return self.order[self.lists.offsets[:-1][self.lists.lengths > 0]]


def reorder(lists: NBestLists, weights: FeatureWeights, zero_missing: bool = False) -> ListOrder:
    """Order hypotheses by their weighted sums; missing features count 0, and equal sums keep the decoder's order.

    InputError if a feature, dense or sparse, has no weight (`zero_missing` counts it as 0), or a sum is not a number.
    """
    values, dense, sparse = lists.values, len(lists.names), lists.sparse
    row = weights.of_columns(names_of(lists), zero_missing)
    with np.errstate(over="ignore", invalid="ignore"):
        parts = values * row[None, :dense]
        scores = parts.sum(axis=1)
        if sparse is not None:
            products = sparse.values * row[dense:][sparse.columns]
            scores = scores + np.bincount(sparse.row_of_entries(), products, len(lists.scores))
    if not np.isfinite(scores).all():
        h = int(np.flatnonzero(~np.isfinite(scores))[0])
        detail = "a weighted sum of features is too large to be a number"
        raise InputError("invalid-table", detail, ("n_best", int(lists.segments[h])))
    names = tuple(dict.fromkeys(lists.names))
    contributions = np.stack([parts[:, lists.columns(name)].sum(axis=1) for name in names], 1) if names else parts
    return ListOrder(lists, np.lexsort((-scores, lists.segments)), scores, names, contributions, row[dense:])


def moved(order: ListOrder, hypotheses: Int64s, rivals: Int64s) -> list[list[tuple[str, float]]]:
    """Return the differences of contributions between hypotheses `hypotheses` (n,) and `rivals` (n,), the largest first.

    Only features with a difference appear, components added up. Differences sum to the difference of the weighted sums.
    """
    dense = order.contributions[hypotheses] - order.contributions[rivals]
    gaps: list[dict[str, float]] = [dict(zip(order.names, row, strict=True)) for row in dense.tolist()]
    sparse = order.lists.sparse
    if sparse is not None:
        for sign, places in ((1.0, hypotheses), (-1.0, rivals)):
            block = sparse.rows(places)
            values = sign * block.values * order.sparse_weights[block.columns]
            for i, k, value in zip(block.row_of_entries().tolist(), block.columns.tolist(), values.tolist(), strict=True):
                gaps[i][sparse.names[k]] = gaps[i].get(sparse.names[k], 0.0) + value
    return [sorted(((name, gap) for name, gap in row.items() if gap), key=lambda entry: -abs(entry[1])) for row in gaps]


def unused_weights(lists: NBestLists, weights: FeatureWeights) -> list[str]:
    """Return the features with weights that the lists lack."""
    names = {*lists.names, *(() if lists.sparse is None else lists.sparse.names)}
    return [name for name in weights.values if name not in names]


def votes(lists: NBestLists, optima: Sequence[FeatureWeights], zero_missing: bool = False) -> Int64s:
    """Count the optima that rank each hypothesis first; (h,) (Olteanu, Suriyentrakorn and Moldovan 2006)."""
    out = np.zeros(len(lists.scores), np.int64)
    for weights in optima:
        out[reorder(lists, weights, zero_missing).first] += 1
    return out


def of_votes(lists: NBestLists, optima: Sequence[FeatureWeights], zero_missing: bool = False) -> ListOrder:
    """Order hypotheses by votes, then by the first optimum, which is the best one.

    Scores are numbers of votes; contributions are those of the first optimum.
    """
    if not optima:
        raise InputError("missing-weights", "a vote needs weights", ("weights",))
    by_first = reorder(lists, optima[0], zero_missing)
    vote_counts = votes(lists, optima, zero_missing).astype(np.float64)
    order = np.lexsort((-by_first.scores, -vote_counts, lists.segments))
    return replace(by_first, order=order, scores=vote_counts)
