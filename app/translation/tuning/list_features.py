"""Features of all derivations of a sentence at once: what `features_of_derivation` says of each, sooner."""

from collections.abc import Sequence
from itertools import pairwise

import numpy as np

from app.arrays import Float64s, Int32s
from app.translation.derivation import Derivation, Phrase, reordering_scores
from app.translation.options import UNKNOWN_SCORE
from app.translation.system import System

__all__ = ["features_of_list"]


def features_of_list(system: System, derivations: Sequence[Derivation]) -> Float64s:
    """All features of each derivation in the system's columns; shape (derivations, width)."""
    values = np.zeros((len(derivations), len(system.weights)))
    owners = np.array([d for d, derivation in enumerate(derivations) for phrase in derivation.phrases if phrase.row >= 0], np.int64)
    rows = np.array([phrase.row for derivation in derivations for phrase in derivation.phrases if phrase.row >= 0], np.int64)
    scores = system.rows.scores[rows]
    for place, column in enumerate(system.table_columns.tolist()):
        values[:, column] = np.bincount(owners, scores[:, place], len(derivations))
    numbers: dict[tuple[int, tuple[str, ...]], Int32s] = {}
    plain = {"WordPenalty": _words, "PhrasePenalty": _phrases, "UnknownWordPenalty": _unknown, "Distortion": _jumps}
    columns = [(system.begins_of[feature.name], plain[feature.kind]) for feature in system.features if feature.kind in plain]
    models = [system.begins_of[name] for name in system.model_names]
    for row, derivation in zip(values, derivations, strict=True):
        for column, count in columns:
            row[column] = count(derivation.phrases)
        if models:
            parts = [_numbers(system, phrase, numbers) for phrase in derivation.phrases]
            row[models] = system.models.of_numbers(np.concatenate(parts) if parts else np.zeros(0, np.int32))
        for model in system.reordering:
            row[model.begin : model.begin + model.kind.scores] += reordering_scores(model, derivation.phrases)
    return values


def _numbers(system: System, phrase: Phrase, numbers: dict[tuple[int, tuple[str, ...]], Int32s]) -> Int32s:
    """The words of a phrase as the language models have them; unknown words are looked up once."""
    if phrase.row >= 0:
        return system.numbers[system.rows.offsets[phrase.row] : system.rows.offsets[phrase.row + 1]]
    key = (phrase.start, phrase.words)
    if key not in numbers:
        numbers[key] = system.models.number(phrase.words)
    return numbers[key]


def _words(phrases: Sequence[Phrase]) -> float:
    return -sum(len(phrase.words) for phrase in phrases)


def _phrases(phrases: Sequence[Phrase]) -> float:
    return len(phrases)


def _unknown(phrases: Sequence[Phrase]) -> float:
    return UNKNOWN_SCORE * sum(phrase.row < 0 for phrase in phrases)


def _jumps(phrases: Sequence[Phrase]) -> float:
    return -sum(abs(after.start - before.end) for before, after in pairwise([Phrase(0, 0, (), -1), *phrases]))
