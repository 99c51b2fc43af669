"""Features of derivations in plain Python beside the kernels of the search: it shares none of their sums, so scores can be compared."""

from collections.abc import Iterable, Sequence
from itertools import pairwise

import numpy as np

from app.arrays import Float64s
from app.smt.decoder.derivation import Phrase
from app.smt.decoder.options import UNKNOWN_SCORE
from app.smt.decoder.reordering import JUMP_LEFT, JUMP_RIGHT, MONOTONE, SWAP, ReorderingType
from app.smt.decoder.sparse.names import FeatureOrigin
from app.smt.decoder.system import Reordering, System


def features_of_derivation(system: System, phrases: Sequence[Phrase]) -> Float64s:
    """Dense features in the system's columns; ``features @ system.weights`` is the model score without sparse features."""
    values = np.zeros(len(system.weights))
    if not phrases:
        # An empty sentence is not translated, and its score is 0.
        return values
    rows = np.array([phrase.row for phrase in phrases if phrase.row >= 0], np.int64)
    values[system.table_columns] = system.rows.scores[rows].sum(0)
    values[system.first_table] += hint_score(system, phrases)
    words = [word for phrase in phrases for word in phrase.words]
    jumps = [abs(phrase.start - previous.end) for previous, phrase in pairwise([Phrase(0, 0, (), -1), *phrases])]
    for kind, value in (
        ("WordPenalty", -len(words)),
        ("PhrasePenalty", len(phrases)),
        ("UnknownWordPenalty", UNKNOWN_SCORE * sum(phrase.unknown for phrase in phrases)),
        ("Distortion", -sum(jumps)),
    ):
        for feature in system.features:
            if feature.kind == kind:
                values[system.begins_of[feature.name]] = value
    if system.model_names:
        values[[system.begins_of[name] for name in system.model_names]] = system.models.of_numbers(system.models.number(words))
    for model in system.reordering:
        values[model.begin : model.begin + model.kind.scores] += reordering_scores(model, phrases)
    return values


def hint_score(system: System, phrases: Sequence[Phrase]) -> float:
    """Score that translations of markup add to each column of the first table."""
    table = system.first_table
    total = sum(phrase.hint for phrase in phrases if phrase.hint is not None)
    return float(total / (table.stop - table.start))


def reordering_scores(model: Reordering, phrases: Sequence[Phrase]) -> Float64s:
    """Scores of one lexicalised model, summed over phrases and both directions; shape (scores,)."""
    values = np.zeros(model.kind.scores)
    for phrase, columns in zip(phrases, reordering_columns(model.kind, phrases), strict=True):
        if phrase.row >= 0:
            for column in columns:
                values[column] += model.scores[phrase.row, column]
    return values


def reordering_columns(kind: ReorderingType, phrases: Sequence[Phrase]) -> list[list[int]]:
    """Columns of a lexicalised model that count for each phrase, in both directions.

    They depend on the spans and the order of phrases, and not on their words.
    """
    columns: list[list[int]] = [[] for _ in phrases]
    blocks: list[tuple[int, int]] = []
    coverage: set[int] = set()
    previous: Phrase | None = None
    for k, phrase in enumerate(phrases):
        if kind.backward:
            orientation = _of_block(blocks, phrase) if kind.hierarchical else _of_phrase(previous, phrase)
            columns[k].append(kind.columns_of(True)[orientation])
        if kind.forward and previous is not None:
            orientation = _forward_orientation(previous, phrase, coverage) if kind.hierarchical else _of_phrase(previous, phrase)
            columns[k - 1].append(kind.columns_of(False)[orientation])
        coverage.update(range(phrase.start, phrase.end))
        span = (phrase.start, phrase.end)
        while blocks and (blocks[-1][1] == span[0] or blocks[-1][0] == span[1]):
            block = blocks.pop()
            span = (min(span[0], block[0]), max(span[1], block[1]))
        blocks.append(span)
        previous = phrase
    return columns


def _of_phrase(previous: Phrase | None, phrase: Phrase) -> int:
    """Orientation of a phrase towards the phrase translated just before it."""
    start, end = (-1, 0) if previous is None else (previous.start, previous.end)
    if phrase.start == end:
        return MONOTONE
    if phrase.end == start:
        return SWAP
    return JUMP_RIGHT if phrase.start > end else JUMP_LEFT


def _of_block(blocks: Sequence[tuple[int, int]], phrase: Phrase) -> int:
    """Orientation of a phrase towards the largest block that ends with the last translated phrase."""
    start, end = blocks[-1] if blocks else (-1, 0)
    if phrase.start == end:
        return MONOTONE
    if phrase.end == start:
        return SWAP
    return JUMP_RIGHT if phrase.start > end else JUMP_LEFT


def _forward_orientation(previous: Phrase, phrase: Phrase, coverage: set[int]) -> int:
    """Orientation of `phrase` as seen from the `previous` one, across the words that are already translated."""
    if phrase.start == previous.end or (phrase.start > previous.end and previous.end not in coverage):
        return MONOTONE
    if phrase.end == previous.start or (phrase.end < previous.start and previous.start - 1 not in coverage):
        return SWAP
    return JUMP_RIGHT if phrase.start > previous.end else JUMP_LEFT


def sparse_of_derivation(system: System, phrases: Sequence[Phrase], complete: bool = True) -> dict[str, float]:
    """Nonzero features of a derivation, computed from its phrases and the tables' own columns alone.

    The end is a boundary only if the sentence is `complete`.
    """
    values: dict[str, float] = {}
    sparse = system.sparse
    if complete and not phrases:
        return values
    for phrase in phrases:
        _add(values, ((name, 1.0) for name in sparse.names_of_pair(phrase.source, phrase.words, _links(system, phrase))))
        if phrase.row >= 0 and system.rows.sparse is not None:
            row_features = ((sparse.names.names[n], n, value) for n, value in system.rows.sparse.of_row(phrase.row))
            _add(values, ((name, value) for name, n, value in row_features if sparse.names.origins[n] is FeatureOrigin.TABLE))
    sides = [(phrase.source, phrase.words) for phrase in phrases]
    for feature in sparse.boundaries:
        _add(values, ((name, 1.0) for name in feature.names(sides, complete)))
    return values


def _links(system: System, phrase: Phrase) -> list[tuple[int, int]]:
    """Word links of a phrase; a copied unknown word links to itself, and translations from markup have none."""
    if phrase.row >= 0:
        places = system.rows.links[system.rows.link_offsets[phrase.row] : system.rows.link_offsets[phrase.row + 1]].tolist()
        return list(zip(places[::2], places[1::2], strict=True))
    return [(0, 0)] if phrase.unknown and phrase.words else []


def sparse_score(system: System, values: dict[str, float]) -> float:
    """Contribution of sparse features to the model score."""
    return sum(value * system.sparse_weights.by_name.get(name, 0.0) for name, value in values.items())


def _add(values: dict[str, float], increments: Iterable[tuple[str, float]]) -> None:
    for name, value in increments:
        values[name] = values.get(name, 0.0) + value
