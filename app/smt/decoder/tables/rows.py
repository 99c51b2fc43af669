"""Rows of tables that a search uses: the best of each source, and the common rows of a way's tables."""

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from app.arrays import Float64s, Int64s, UInt64s
from app.smt.decoder.language_models import JointModel
from app.smt.decoder.moses_ini import FeatureLine
from app.smt.decoder.phrase_table import PhraseRows, PhraseVocabulary, join_rows
from app.smt.decoder.sparse.features import SparseFeatures
from app.smt.decoder.sparse.names import FeatureOrigin
from app.smt.decoder.text_phrases import places_of

__all__ = ["merged_rows", "select_rows"]


def select_rows(
    table: PhraseRows,
    feature: FeatureLine,
    features: Sequence[FeatureLine],
    models: JointModel,
    vocabulary: PhraseVocabulary,
    sparse: SparseFeatures,
    sparse_weights: Float64s | None = None,
) -> tuple[Int64s, Float64s]:
    """Rows of a table within its limit, and their scores in any context, without language models."""
    words = -_weight(features, "WordPenalty")
    phrases = _weight(features, "PhrasePenalty")
    static = table.scores @ np.array(feature.weights) + words * np.diff(table.offsets) + phrases
    isolated_scores = static + models.isolated(models.number(vocabulary.words)[table.words], table.offsets)
    if table.sparse is not None:
        sparse_weights = sparse.vector() if sparse_weights is None else sparse_weights
        early_features = sparse.names.of_origin(FeatureOrigin.PAIR, FeatureOrigin.TABLE)[: len(sparse_weights)]
        isolated_scores = isolated_scores + table.sparse.sums(np.where(early_features, sparse_weights, 0.0))
        static = static + table.sparse.sums(sparse_weights)
    selection = _best(table.sources, isolated_scores, feature.number("table-limit", 20))
    return selection, static[selection]


def _weight(features: Sequence[FeatureLine], kind: str) -> float:
    return sum(feature.weights[0] for feature in features if feature.kind == kind)


def _best(sources: UInt64s, scores: Float64s, limit: int) -> Int64s:
    """Rows with the `limit` best scores of each source, or all rows if it is 0, by source and score."""
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
    sparse_weights: Float64s,
) -> tuple[PhraseRows, Float64s, Int64s, Int64s]:
    """Rows of all ways with their scores, their ways, and their places among the rows of all tables.

    A way of several tables has the rows of its first table that the others have too, each within its limit; all their scores count.
    """
    no_rows = np.zeros(0, np.int64)
    selections, static_scores = [no_rows] * len(choices), [np.zeros(0)] * len(choices)
    matches: list[tuple[int, int, Int64s]] = []
    for way in ways:
        rows_of_way, static = choices[way[0]]
        pairs = tables[way[0]].pairs
        for partner in way[1:]:
            candidates = choices[partner][0]
            sorted_rows = candidates[np.argsort(tables[partner].pairs[candidates], kind="stable")]
            places_in_way, _ = places_of(pairs[rows_of_way], tables[partner].pairs[sorted_rows])
            rows_of_way, static = rows_of_way[places_in_way], static[places_in_way]
        for partner in way[1:]:
            candidates = choices[partner][0]
            sorted_rows = candidates[np.argsort(tables[partner].pairs[candidates], kind="stable")]
            match = sorted_rows[places_of(pairs[rows_of_way], tables[partner].pairs[sorted_rows])[1]]
            static = static + tables[partner].scores[match] @ np.array(dictionaries[partner].weights)
            if (column_features := sparse.own_of_table(tables[partner].sparse, match)) is not None:
                static = static + column_features.sums(sparse_weights)
            matches.append((way[0], partner, match))
        selections[way[0]], static_scores[way[0]] = rows_of_way, static
    rows = join_rows([table.rows(selection) for table, selection in zip(tables, selections, strict=True)])
    begins = np.concatenate([[0], np.cumsum([len(selection) for selection in selections])])
    columns = np.concatenate([[0], np.cumsum([len(table.weights) for table in dictionaries])])
    for first, partner, match in matches:
        scores = tables[partner].scores[match]
        rows.scores[begins[first] : begins[first + 1], columns[partner] : columns[partner + 1]] = scores
        if rows.sparse is not None and (column_features := sparse.own_of_table(tables[partner].sparse, match)) is not None:
            rows = replace(rows, sparse=rows.sparse.with_rows(int(begins[first]), column_features))
    of_table = {way[0]: number for number, way in enumerate(ways)}
    way_of = np.repeat([of_table.get(table, -1) for table in range(len(selections))], np.diff(begins))
    firsts = np.concatenate([[0], np.cumsum([len(table) for table in tables])])
    places = np.concatenate([begin + selection for begin, selection in zip(firsts, selections, strict=False)])
    return rows, np.concatenate(static_scores), way_of, places
