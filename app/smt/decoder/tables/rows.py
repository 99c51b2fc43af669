"""Which rows of tables a search may take: the best of each source, and of a way of several tables those that all have."""

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from app.arrays import Float64s, Int64s, UInt64s
from app.smt.decoder.language_models import JointModel
from app.smt.decoder.moses_ini import FeatureLine
from app.smt.decoder.phrase_table import PhraseRows, Vocabulary, join_rows
from app.smt.decoder.sparse.features import SparseFeatures
from app.smt.decoder.sparse.names import Origin
from app.smt.decoder.text_phrases import places_of

__all__ = ["chosen_rows", "merged_rows"]


def chosen_rows(
    table: PhraseRows,
    feature: FeatureLine,
    features: Sequence[FeatureLine],
    models: JointModel,
    vocabulary: Vocabulary,
    sparse: SparseFeatures,
    of_sparse: Float64s | None = None,
) -> tuple[Int64s, Float64s]:
    """The rows of a table within its limit, and what each costs wherever it stands, without language models."""
    words = -_weight(features, "WordPenalty")
    phrases = _weight(features, "PhrasePenalty")
    static = table.scores @ np.array(feature.weights) + words * np.diff(table.offsets) + phrases
    alone = static + models.isolated(models.number(vocabulary.words)[table.words], table.offsets)
    if table.sparse is not None:
        of_sparse = sparse.vector() if of_sparse is None else of_sparse
        early = sparse.names.of_origin(Origin.PAIR, Origin.TABLE)[: len(of_sparse)]
        alone = alone + table.sparse.sums(np.where(early, of_sparse, 0.0))
        static = static + table.sparse.sums(of_sparse)
    chosen = _best(table.sources, alone, feature.number("table-limit", 20))
    return chosen, static[chosen]


def _weight(features: Sequence[FeatureLine], kind: str) -> float:
    return sum(other.weights[0] for other in features if other.kind == kind)


def _best(sources: UInt64s, scores: Float64s, limit: int) -> Int64s:
    """The rows with the `limit` best scores of each source, all of them where it is 0, in the order of sources and scores."""
    order = np.lexsort((np.arange(len(scores)), -scores, sources))
    if limit <= 0:
        return order
    firsts = np.flatnonzero(np.concatenate([[True], sources[order][1:] != sources[order][:-1]]))
    rank = np.arange(len(order)) - np.repeat(firsts, np.diff(np.append(firsts, len(order))))
    return order[rank < limit]


def merged_rows(
    ways: Sequence[Sequence[int]],
    tables: Sequence[PhraseRows],
    choices: Sequence[tuple[Int64s, Float64s]],
    dictionaries: Sequence[FeatureLine],
    sparse: SparseFeatures,
    of_sparse: Float64s,
) -> tuple[PhraseRows, Float64s, Int64s, Int64s]:
    """The rows of all ways with what they cost, their ways, and their places among the rows of all tables.

    A way of several tables has the rows of its first that the others have too, each within its limit; all their scores count.
    """
    none = np.zeros(0, np.int64)
    chosen, costs = [none] * len(choices), [np.zeros(0)] * len(choices)
    matches: list[tuple[int, int, Int64s]] = []
    for way in ways:
        kept, cost = choices[way[0]]
        pairs = tables[way[0]].pairs
        for other in way[1:]:
            candidates = choices[other][0]
            ordered = candidates[np.argsort(tables[other].pairs[candidates], kind="stable")]
            there, _ = places_of(pairs[kept], tables[other].pairs[ordered])
            kept, cost = kept[there], cost[there]
        for other in way[1:]:
            candidates = choices[other][0]
            ordered = candidates[np.argsort(tables[other].pairs[candidates], kind="stable")]
            match = ordered[places_of(pairs[kept], tables[other].pairs[ordered])[1]]
            cost = cost + tables[other].scores[match] @ np.array(dictionaries[other].weights)
            if (own := sparse.own_of_table(tables[other].sparse, match)) is not None:
                cost = cost + own.sums(of_sparse)
            matches.append((way[0], other, match))
        chosen[way[0]], costs[way[0]] = kept, cost
    rows = join_rows([table.rows(some) for table, some in zip(tables, chosen, strict=True)])
    begins = np.concatenate([[0], np.cumsum([len(some) for some in chosen])])
    columns = np.concatenate([[0], np.cumsum([len(table.weights) for table in dictionaries])])
    for first, other, match in matches:
        scores = tables[other].scores[match]
        rows.scores[begins[first] : begins[first + 1], columns[other] : columns[other + 1]] = scores
        if rows.sparse is not None and (own := sparse.own_of_table(tables[other].sparse, match)) is not None:
            rows = replace(rows, sparse=rows.sparse.with_rows(int(begins[first]), own))
    of_table = {way[0]: number for number, way in enumerate(ways)}
    way_of = np.repeat([of_table.get(table, -1) for table in range(len(chosen))], np.diff(begins))
    firsts = np.concatenate([[0], np.cumsum([len(table) for table in tables])])
    places = np.concatenate([begin + some for begin, some in zip(firsts, chosen, strict=False)])
    return rows, np.concatenate(costs), way_of, places
