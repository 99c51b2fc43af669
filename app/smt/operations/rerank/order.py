"""Lists with all features in the order that weights, votes or expected scores give them."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from app.arrays import Float64s, Int64s
from app.engine import Engine
from app.errors import InputError
from app.metrics import Metric
from app.operations.operation import Json
from app.running.journal import SILENT, Journal, Share
from app.smt.lists.mbr.decision import decide
from app.smt.lists.reranking.distinct import distinct_places, lists_at
from app.smt.lists.reranking.ordering import ListOrder, of_votes, reorder, unused_weights
from app.smt.lists.reranking.posteriors import probabilities
from app.smt.operations.rerank.features import is_computable, listed_with_features
from app.smt.tuning.weights import FeatureWeights
from app.text.n_best import NBestLists

__all__ = ["Reranking", "metric_of", "rerank_lists"]


@dataclass(frozen=True, eq=False)
class Reranking:
    """Lists with all features in their new order: `order` are hypotheses, `ranks` their old ranks, from 0; shape (h,).

    `new_order` is the order by the weights `optima`, if there are any; `expected` (h,) the expected scores if they decided.
    """

    lists: NBestLists
    ranks: Int64s
    order: Int64s
    computed: list[str]
    optima: list[FeatureWeights]
    new_order: ListOrder | None
    expected: Float64s | None

    @property
    def nonempty(self) -> Int64s:
        """Lists with hypotheses; shape (n,)."""
        return np.flatnonzero(self.lists.lengths)

    @property
    def first(self) -> Int64s:
        """The decoder's first hypothesis of each nonempty list; shape (n,)."""
        return self.lists.offsets[self.nonempty]

    @property
    def best(self) -> Int64s:
        """The new first hypothesis of each nonempty list; shape (n,)."""
        return self.order[self.first]

    @property
    def unused_features(self) -> list[str]:
        """Features with weights that no hypothesis has."""
        return unused_weights(self.lists, self.optima[0]) if self.optima else []


def rerank_lists(
    engine: Engine, params: Json, lists: NBestLists, sources: Sequence[str] | None, journal: Journal = SILENT
) -> Reranking:
    """Compute features, and order the lists.

    InputError for weights that do not fit the features, or for features without their resources.
    """
    metric = None if params["mbr"] is None else metric_of(engine, params["mbr"], "mbr")
    places = distinct_places(lists) if params["distinct"] else np.arange(len(lists.scores))
    ranks = places - lists.offsets[:-1][lists.segments[places]]
    lists = lists_at(lists, places) if params["distinct"] else lists
    lists, computed_names = listed_with_features(engine, params, lists, sources, Share(journal, 0.0, 0.5))
    # Features computed for display have weight 0.
    silent = {name: (0.0,) for name in lists.names if is_computable(name)}
    optima = [FeatureWeights({**silent, **{name: tuple(row) for name, row in values.items()}}) for values in _optima(params)]
    expected, new_order = None, None
    order = np.arange(len(lists.scores))
    if optima:
        # Jobs of earlier versions have no such parameter.
        zero = params.get("missing_weights") == "zero"
        new_order = of_votes(lists, optima, zero) if len(optima) > 1 else reorder(lists, optima[0], zero)
        order = new_order.order
        if metric is not None:
            shares = probabilities(new_order.scores, lists.offsets, params["scale"])
            expected = decide(lists, metric, shares, journal=Share(journal, 0.5, 1.0)).expected
            # Sums of the same numbers in another order are equally good: their scores decide, and not the rounding of sums.
            gains = np.round(expected if metric.higher_is_better else -expected, 9)
            order = np.lexsort((-new_order.scores, -gains, lists.segments))
    return Reranking(lists, ranks, order, computed_names, optima, new_order, expected)


def metric_of(engine: Engine, name: str, field: str) -> Metric:
    """A metric, trained ones among them; InputError names the field that asks for it."""
    try:
        (metric,) = engine.metrics([name]).values()
    except InputError as error:
        raise InputError(error.code, error.detail, (field,)) from None
    return metric


def _optima(params: Json) -> list[Mapping[str, Sequence[float]]]:
    return [] if params["weights"] is None else [params["weights"], *params["optima"]]
