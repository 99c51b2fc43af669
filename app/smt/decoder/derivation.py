"""Derivations: which phrases a translation is made of, in which order, and every feature of it, computed from nothing else.

It is plain Python beside the kernels of the search and shares none of their sums, so that a model score can be held to it.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from itertools import pairwise

import numpy as np

from app.arrays import Float64s
from app.smt.decoder.options import UNKNOWN_SCORE
from app.smt.decoder.reordering import JUMP_LEFT, JUMP_RIGHT, MONOTONE, SWAP, ReorderingType
from app.smt.decoder.system import Reordering, System

__all__ = [
    "Derivation",
    "Phrase",
    "features_of_derivation",
    "hint_score",
    "reordering_columns",
    "reordering_scores",
    "spans",
]


@dataclass(frozen=True)
class Phrase:
    """Source words `start` to before `end`, their translation, and its row of the tables: -1 for an unknown word.

    A translation that markup gave has the row -1 too, and `hint`, the logarithm of its probability. `source` are the words that
    it translates, which sparse features look at.
    """

    start: int
    end: int
    words: tuple[str, ...]
    row: int
    hint: float | None = None
    source: tuple[str, ...] = field(default=(), compare=False)

    @property
    def unknown(self) -> bool:
        """Whether it is a word that nothing translates."""
        return self.row < 0 and self.hint is None


@dataclass(frozen=True)
class Derivation:
    """Phrases in the order of the target, and the search's score of them."""

    phrases: tuple[Phrase, ...]
    score: float

    @property
    def words(self) -> list[str]:
        """The translation."""
        return [word for phrase in self.phrases for word in phrase.words]

    @property
    def text(self) -> str:
        """The translation, its words between blanks."""
        return " ".join(self.words)

    @property
    def segmented(self) -> str:
        """The translation with the source span of each phrase behind it, as ``the house |0-1|``."""
        return " ".join(" ".join((*phrase.words, f"|{phrase.start}-{phrase.end - 1}|")) for phrase in self.phrases)

    @property
    def alignment(self) -> str:
        """Source and target words of each phrase, as ``0-1=0 2=1-2``; a phrase without target words is in none."""
        return spans((phrase.start, phrase.end, len(phrase.words)) for phrase in self.phrases)

    def word_alignment(self, system: System) -> str:
        """Links of words as the tables have them, as ``0-0 1-2``; an unknown word is linked to itself, what markup gave is not."""
        return " ".join(f"{left}-{right}" for left, right in self.links(system))

    def links(self, system: System) -> list[tuple[int, int]]:
        """The same as places of words in the source and in the translation."""
        links: list[tuple[int, int]] = []
        begin = 0
        for phrase in self.phrases:
            if phrase.unknown:
                links += [(phrase.start, begin)] * len(phrase.words)
            elif phrase.row >= 0:
                places = system.rows.links[system.rows.link_offsets[phrase.row] : system.rows.link_offsets[phrase.row + 1]]
                links += [(phrase.start + left, begin + right) for left, right in places.reshape(-1, 2).tolist()]
            begin += len(phrase.words)
        return links


def spans(phrases: Iterable[tuple[int, int, int]]) -> str:
    """Spans of both sides, of phrases by their source and how many words they have: ``0-1=0 2=1-2``; without words, none."""
    cells, begin = [], 0
    for start, end, words in phrases:
        if words:
            cells.append(f"{_span(start, end)}={_span(begin, begin + words)}")
        begin += words
    return " ".join(cells)


def _span(start: int, end: int) -> str:
    return str(start) if end == start + 1 else f"{start}-{end - 1}"


def features_of_derivation(system: System, phrases: Sequence[Phrase]) -> Float64s:
    """All dense features in the system's columns: ``features @ system.weights`` is the model score without sparse ones."""
    values = np.zeros(len(system.weights))
    if not phrases:
        # An empty sentence is not translated, and its score is 0.
        return values
    rows = np.array([phrase.row for phrase in phrases if phrase.row >= 0], np.int64)
    values[system.table_columns] = system.rows.scores[rows].sum(0)
    values[system.first_table] += hint_score(system, phrases)
    words = [word for phrase in phrases for word in phrase.words]
    jumps = [abs(after.start - before.end) for before, after in pairwise([Phrase(0, 0, (), -1), *phrases])]
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
    """What translations that markup gave add to each score of the first table."""
    table = system.first_table
    total = sum(phrase.hint for phrase in phrases if phrase.hint is not None)
    return float(total / (table.stop - table.start))


def reordering_scores(model: Reordering, phrases: Sequence[Phrase]) -> Float64s:
    """The scores of one lexicalised model: of each phrase as it follows, and as it is followed."""
    values = np.zeros(model.kind.scores)
    for phrase, columns in zip(phrases, reordering_columns(model.kind, phrases), strict=True):
        if phrase.row >= 0:
            for column in columns:
                values[column] += model.scores[phrase.row, column]
    return values


def reordering_columns(kind: ReorderingType, phrases: Sequence[Phrase]) -> list[list[int]]:
    """The columns of a lexicalised model that count for each phrase: as it follows, and as it is followed.

    They depend on the spans of phrases and on their order, and not on their words.
    """
    columns: list[list[int]] = [[] for _ in phrases]
    blocks: list[tuple[int, int]] = []
    covered: set[int] = set()
    before: Phrase | None = None
    for k, phrase in enumerate(phrases):
        if kind.backward:
            turn = _of_block(blocks, phrase) if kind.hierarchical else _of_phrase(before, phrase)
            columns[k].append(kind.columns_of(True)[turn])
        if kind.forward and before is not None:
            turn = _seen_from(before, phrase, covered) if kind.hierarchical else _of_phrase(before, phrase)
            columns[k - 1].append(kind.columns_of(False)[turn])
        covered.update(range(phrase.start, phrase.end))
        span = (phrase.start, phrase.end)
        while blocks and (blocks[-1][1] == span[0] or blocks[-1][0] == span[1]):
            other = blocks.pop()
            span = (min(span[0], other[0]), max(span[1], other[1]))
        blocks.append(span)
        before = phrase
    return columns


def _of_phrase(before: Phrase | None, phrase: Phrase) -> int:
    """How a phrase stands to the one translated before it."""
    start, end = (-1, 0) if before is None else (before.start, before.end)
    if phrase.start == end:
        return MONOTONE
    if phrase.end == start:
        return SWAP
    return JUMP_RIGHT if phrase.start > end else JUMP_LEFT


def _of_block(blocks: Sequence[tuple[int, int]], phrase: Phrase) -> int:
    """How a phrase stands to the largest block that ends with what was translated last."""
    start, end = blocks[-1] if blocks else (-1, 0)
    if phrase.start == end:
        return MONOTONE
    if phrase.end == start:
        return SWAP
    return JUMP_RIGHT if phrase.start > end else JUMP_LEFT


def _seen_from(before: Phrase, phrase: Phrase, covered: set[int]) -> int:
    """How what comes next stands to a phrase, over all that is translated already between them."""
    if phrase.start == before.end or (phrase.start > before.end and before.end not in covered):
        return MONOTONE
    if phrase.end == before.start or (phrase.end < before.start and before.start - 1 not in covered):
        return SWAP
    return JUMP_RIGHT if phrase.start > before.end else JUMP_LEFT
