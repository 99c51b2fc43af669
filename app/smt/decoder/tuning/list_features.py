"""Dense features of derivations."""

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
    """Dense features of each derivation in the system's columns; shape (derivations, columns).

    ``features @ system.weights`` is the model score without sparse features.
    """
    count = len(derivations)
    values = np.zeros((count, len(system.weights)))
    lengths = np.array([len(derivation.phrases) for derivation in derivations], np.int64)
    offsets = np.concatenate([[0], np.cumsum(lengths)])
    owners = np.repeat(np.arange(count), lengths)
    phrases = [phrase for derivation in derivations for phrase in derivation.phrases]
    starts = np.array([phrase.start for phrase in phrases], np.int64)
    ends = np.array([phrase.end for phrase in phrases], np.int64)
    rows = np.array([phrase.row for phrase in phrases], np.int64)
    in_table = rows >= 0
    hint_scores = np.array([0.0 if phrase.hint is None else phrase.hint for phrase in phrases])
    unknown = np.array([phrase.unknown for phrase in phrases], bool)
    scores = system.rows.scores[rows[in_table]]
    for place, column in enumerate(system.table_columns.tolist()):
        values[:, column] = np.bincount(owners[in_table], scores[:, place], count)
    table = system.first_table
    values[:, table] += np.bincount(owners, hint_scores, count)[:, None] / (table.stop - table.start)
    words = np.array([len(phrase.words) for phrase in phrases], np.int64)
    previous_ends = np.concatenate([[0], ends[:-1]])[: len(ends)]
    previous_ends[offsets[:-1][lengths > 0]] = 0
    plain = {
        "WordPenalty": -np.bincount(owners, words, count),
        "PhrasePenalty": lengths,
        "UnknownWordPenalty": UNKNOWN_SCORE * np.bincount(owners[unknown], minlength=count),
        "Distortion": -np.bincount(owners, _jumps(derivations, np.abs(starts - previous_ends), offsets), count),
    }
    for feature in system.features:
        if feature.kind in plain:
            values[:, system.begins_of[feature.name]] = plain[feature.kind]
    if (begin := system.begin_of("InputFeature")) is not None:
        for place, phrase in enumerate(phrases):
            values[owners[place], begin : begin + len(phrase.inputs)] += phrase.inputs
    if system.model_names:
        values[:, [system.begins_of[name] for name in system.model_names]] = _language(system, derivations)
    orientations_by_kind: dict[bool, tuple[Int64s, Int64s]] = {}
    for model in system.reordering:
        kind = model.kind
        if kind.hierarchical not in orientations_by_kind:
            orientations_by_kind[kind.hierarchical] = orientations(starts, ends, offsets, kind.hierarchical)
        for backward, of_phrase in zip((True, False), orientations_by_kind[kind.hierarchical], strict=True):
            if kind.backward if backward else kind.forward:
                mask = in_table & (of_phrase >= 0)
                columns = np.array(kind.columns_of(backward))[of_phrase[mask]]
                places = owners[mask] * kind.scores + columns
                sums = np.bincount(places, model.scores[rows[mask], columns], count * kind.scores)
                values[:, model.begin : model.begin + kind.scores] += sums.reshape(count, kind.scores)
    # An empty sentence is not translated, and its score is 0.
    values[lengths == 0] = 0.0
    # Adding 0 turns negative zeros into positive ones, since JSON would show the sign.
    return values + 0.0


def _jumps(derivations: Sequence[Derivation], differences: Int64s, offsets: Int64s) -> Int64s:
    """Jumps before phrases: differences of places, but distances in a lattice."""
    jumps = differences.copy()
    for number, derivation in enumerate(derivations):
        if derivation.jumps is not None:
            jumps[offsets[number] : offsets[number + 1]] = derivation.jumps
    return jumps


def _language(system: System, derivations: Sequence[Derivation]) -> Float64s:
    """Score of each translation in each language model; equal translations are scored once; shape (derivations, models)."""
    places: dict[str, int] = {}
    distinct: list[Derivation] = []
    owners = []
    for derivation in derivations:
        place = places.setdefault(derivation.text, len(distinct))
        if place == len(distinct):
            distinct.append(derivation)
        owners.append(place)
    numbers: dict[int, Int32s] = {}
    parts = [_numbers(system, phrase, numbers) for derivation in distinct for phrase in derivation.phrases]
    ends = accumulate((sum(len(phrase.words) for phrase in derivation.phrases) for derivation in distinct), initial=0)
    offsets = np.array(list(ends), np.int64)
    # Each translation ends with the end of a sentence.
    words = np.insert(np.concatenate([np.zeros(0, np.int32), *parts]), offsets[1:], END).astype(np.int32)
    return system.models.of_windows(words, offsets + np.arange(len(offsets)), 0, True)[owners]


def _numbers(system: System, phrase: Phrase, numbers: dict[int, Int32s]) -> Int32s:
    """Numbers of a phrase's words in the language models, cached for the phrases of a list."""
    key = id(phrase)
    if key not in numbers:
        if phrase.row >= 0:
            numbers[key] = system.numbers[system.rows.offsets[phrase.row] : system.rows.offsets[phrase.row + 1]]
        else:
            numbers[key] = system.models.number(phrase.words)
    return numbers[key]
