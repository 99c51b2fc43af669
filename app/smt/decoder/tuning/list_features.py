"""Features of all derivations of a sentence at once: what `features_of_derivation` says of each, sooner."""

from collections.abc import Sequence
from itertools import accumulate

import numpy as np

from app.arrays import Float64s, Int32s, Int64s
from app.smt.decoder.derivation import Derivation, Phrase
from app.smt.decoder.language_models import END
from app.smt.decoder.options import UNKNOWN_SCORE
from app.smt.decoder.system import System
from app.smt.decoder.tuning.orientation_kernels import orientations

__all__ = ["features_of_list"]


def features_of_list(system: System, derivations: Sequence[Derivation]) -> Float64s:
    """All features of each derivation in the system's columns; shape (derivations, width)."""
    count = len(derivations)
    values = np.zeros((count, len(system.weights)))
    lengths = np.array([len(derivation.phrases) for derivation in derivations], np.int64)
    offsets = np.concatenate([[0], np.cumsum(lengths)])
    owners = np.repeat(np.arange(count), lengths)
    phrases = [phrase for derivation in derivations for phrase in derivation.phrases]
    starts = np.array([phrase.start for phrase in phrases], np.int64)
    ends = np.array([phrase.end for phrase in phrases], np.int64)
    rows = np.array([phrase.row for phrase in phrases], np.int64)
    told = rows >= 0
    given = np.array([0.0 if phrase.hint is None else phrase.hint for phrase in phrases])
    unknown = np.array([phrase.unknown for phrase in phrases], bool)
    scores = system.rows.scores[rows[told]]
    for place, column in enumerate(system.table_columns.tolist()):
        values[:, column] = np.bincount(owners[told], scores[:, place], count)
    table = system.first_table
    values[:, table] += np.bincount(owners, given, count)[:, None] / (table.stop - table.start)
    words = np.array([len(phrase.words) for phrase in phrases], np.int64)
    before = np.concatenate([[0], ends[:-1]])[: len(ends)]
    before[offsets[:-1][lengths > 0]] = 0
    plain = {
        "WordPenalty": -np.bincount(owners, words, count),
        "PhrasePenalty": lengths,
        "UnknownWordPenalty": UNKNOWN_SCORE * np.bincount(owners[unknown], minlength=count),
        "Distortion": -np.bincount(owners, np.abs(starts - before), count),
    }
    for feature in system.features:
        if feature.kind in plain:
            values[:, system.begins_of[feature.name]] = plain[feature.kind]
    if system.model_names:
        values[:, [system.begins_of[name] for name in system.model_names]] = _language(system, derivations)
    turns: dict[bool, tuple[Int64s, Int64s]] = {}
    for model in system.reordering:
        kind = model.kind
        if kind.hierarchical not in turns:
            turns[kind.hierarchical] = orientations(starts, ends, offsets, kind.hierarchical)
        for backward, of_phrase in zip((True, False), turns[kind.hierarchical], strict=True):
            if kind.backward if backward else kind.forward:
                there = told & (of_phrase >= 0)
                columns = np.array(kind.columns_of(backward))[of_phrase[there]]
                places = owners[there] * kind.scores + columns
                sums = np.bincount(places, model.scores[rows[there], columns], count * kind.scores)
                values[:, model.begin : model.begin + kind.scores] += sums.reshape(count, kind.scores)
    # An empty sentence is not translated, and its score is 0.
    values[lengths == 0] = 0.0
    # No minus zero: it is no other number, and JSON would show it.
    return values + 0.0


def _language(system: System, derivations: Sequence[Derivation]) -> Float64s:
    """What each language model says of the translations; those that derivations have in common are looked at once."""
    places: dict[str, int] = {}
    first: list[Derivation] = []
    owners = []
    for derivation in derivations:
        place = places.setdefault(derivation.text, len(first))
        if place == len(first):
            first.append(derivation)
        owners.append(place)
    numbers: dict[int, Int32s] = {}
    parts = [_numbers(system, phrase, numbers) for derivation in first for phrase in derivation.phrases]
    ends = accumulate((sum(len(phrase.words) for phrase in derivation.phrases) for derivation in first), initial=0)
    offsets = np.array(list(ends), np.int64)
    # Each ends with the end of a sentence.
    words = np.insert(np.concatenate([np.zeros(0, np.int32), *parts]), offsets[1:], END).astype(np.int32)
    return system.models.of_windows(words, offsets + np.arange(len(offsets)), 0, True)[owners]


def _numbers(system: System, phrase: Phrase, numbers: dict[int, Int32s]) -> Int32s:
    """The words of a phrase, which derivations of a list have in common, as the language models have them."""
    key = id(phrase)
    if key not in numbers:
        if phrase.row >= 0:
            numbers[key] = system.numbers[system.rows.offsets[phrase.row] : system.rows.offsets[phrase.row + 1]]
        else:
            numbers[key] = system.models.number(phrase.words)
    return numbers[key]
