"""Derivations: the phrases of a translation in their order, and the features computed from them alone.

It is plain Python beside the kernels of the search and shares none of their sums, so tests can compare its scores with theirs.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from itertools import pairwise

import numpy as np

from app.arrays import Float64s
from app.smt.decoder.options import UNKNOWN_SCORE
from app.smt.decoder.reordering import JUMP_LEFT, JUMP_RIGHT, MONOTONE, SWAP, ReorderingType
from app.smt.decoder.system import Reordering, System

__all__ = ["Derivation", "Phrase", "features_of_derivation", "hint_score", "reordering_columns", "reordering_scores", "spans"]


@dataclass(frozen=True)
class Phrase:
    """Source words from `start` to before `end`, their translation, and its row of the tables; -1 for an unknown word.

    A translation from markup has row -1 too, and `hint`, the logarithm of its probability. Sparse features look at `source`, the
    source words.
    """

    start: int
    end: int
    words: tuple[str, ...]
    row: int
    hint: float | None = None
    source: tuple[str, ...] = field(default=(), compare=False)

    @property
    def unknown(self) -> bool:
        """Return True if no table and no markup translates the word."""
        return self.row < 0 and self.hint is None


@dataclass(frozen=True)
class Derivation:
    """Phrases in target order, and their model score in the search."""

    phrases: tuple[Phrase, ...]
    score: float

    @property
    def words(self) -> list[str]:
        """Target words."""
        return [word for phrase in self.phrases for word in phrase.words]

    @property
    def text(self) -> str:
        """Target words with one blank between them."""
        return " ".join(self.words)

    @property
    def span_text(self) -> str:
        """Translation with the source span of each phrase behind it, as ``the house |0-1|``."""
        return " ".join(" ".join((*phrase.words, f"|{phrase.start}-{phrase.end - 1}|")) for phrase in self.phrases)

    @property
    def alignment(self) -> str:
        """Source and target span of each phrase, as ``0-1=0 2=1-2``, without phrases that have no target words."""
        return spans((phrase.start, phrase.end, len(phrase.words)) for phrase in self.phrases)

    def word_alignment(self, system: System) -> str:
        """Word links of the tables, as ``0-0 1-2``; an unknown word links to itself, and translations of markup have none."""
        return " ".join(f"{source_place}-{target_place}" for source_place, target_place in self.links(system))

    def links(self, system: System) -> list[tuple[int, int]]:
        """Word links as pairs of source index and target index, each from 0."""
        links: list[tuple[int, int]] = []
        target_start = 0
        for phrase in self.phrases:
            if phrase.unknown:
                links += [(phrase.start, target_start)] * len(phrase.words)
            elif phrase.row >= 0:
                cells = system.rows.links[system.rows.link_offsets[phrase.row] : system.rows.link_offsets[phrase.row + 1]]
                links += [
                    (phrase.start + source_place, target_start + target_place)
                    for source_place, target_place in cells.reshape(-1, 2).tolist()
                ]
            target_start += len(phrase.words)
        return links


def spans(phrases: Iterable[tuple[int, int, int]]) -> str:
    """Spans of both sides as ``0-1=0 2=1-2``, from source start, source end and target length of each phrase.

    Phrases without target words are left out.
    """
    cells, begin = [], 0
    for start, end, width in phrases:
        if width:
            cells.append(f"{_span(start, end)}={_span(begin, begin + width)}")
        begin += width
    return " ".join(cells)


def _span(start: int, end: int) -> str:
    return str(start) if end == start + 1 else f"{start}-{end - 1}"


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
        values[[system.begins_of[name] for name in system.model_names]] = system.models.of_text(words)
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
