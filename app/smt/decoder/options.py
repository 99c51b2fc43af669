"""Translation options of a sentence, and future costs of its spans."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple, overload

import numpy as np
from numba import njit

from app.arrays import Float64s, Int32s, Int64s
from app.smt.decoder.markup.marks import NO_MARKS, Hint, Marks
from app.smt.decoder.system import System
from app.text.hashing import hash_tokens
from app.text.ragged import ragged_rows

__all__ = [
    "HINTS",
    "UNKNOWN_SCORE",
    "OptionWords",
    "PathParts",
    "TranslationOptions",
    "number_of_hint",
    "options_of",
    "sorted_options",
]

# Score of an unknown word in Moses.
UNKNOWN_SCORE = -100.0
# Row of the first translation from markup; later ones have smaller numbers.
HINTS = -2


class TranslationOptions(NamedTuple):
    """Translation options by source span, the most promising of a span first.

    Option o translates words ``starts[o]`` to before ``ends[o]`` into ``words[offsets[o]:offsets[o + 1]]``. ``rows[o]`` is its row
    in the system, -1 for an unknown word, and `HINTS` or less for markup. Options with equal ``keys[o]`` have equal effects on
    later reordering. Span s has the options ``spans[s]`` to before ``spans[s + 1]``. ``future[i, j]`` is the future cost of words i
    to before j. `distances` are jumps between the nodes of a lattice, shape (1, 1) for a text.
    """

    starts: Int64s
    ends: Int64s
    rows: Int64s
    offsets: Int64s
    words: Int32s
    static: Float64s
    backward: Float64s
    forward: Float64s
    keys: Int64s
    spans: Int64s
    future: Float64s
    distances: Int64s


@dataclass(frozen=True, eq=False)
class PathParts:
    """Source words and scores of arcs (options, scores) of each option of a lattice, and `distances` of its nodes."""

    sources: list[tuple[str, ...]]
    inputs: Float64s
    distances: Int64s


def number_of_hint(row: int) -> int:
    """Index of the hint with this row, which is `HINTS` or less."""
    return HINTS - row


def options_of(
    system: System, tokens: Sequence[str], target: Sequence[str] | None = None, marks: Marks = NO_MARKS
) -> TranslationOptions:
    """Options of a sentence within its markup; with a `target`, only options with its words."""
    length = len(tokens)
    longest = min(system.rows.longest, system.ini.limits.phrase_length)
    spans = [(start, end) for start in range(length) for end in range(start + 1, min(start + longest, length) + 1)]
    hashes = hash_tokens([" ".join(tokens[start:end]) for start, end in spans])
    places_in_table = np.searchsorted(system.sources, hashes)
    matches = np.flatnonzero(places_in_table < len(system.sources))
    matches = matches[system.sources[places_in_table[matches]] == hashes[matches]]
    rows, ends = ragged_rows(system.begins, places_in_table[matches])
    spans_of_rows = np.array(spans, np.int64).reshape(-1, 2)[matches].repeat(np.diff(ends), axis=0)
    hint_spans = [(hint.start, hint.end) for hint in marks.hints]
    unknown = _unknown(length, np.concatenate([spans_of_rows, np.array(hint_spans, np.int64).reshape(-1, 2)]))
    drop_unknown = system.ini.drop_unknown
    numbers = system.models.number([tokens[t] for t in unknown.tolist()])
    word_places, word_offsets = ragged_rows(system.rows.offsets, rows)
    widths = np.concatenate([np.diff(word_offsets), np.full(len(unknown), 0 if drop_unknown else 1)])
    words = np.concatenate([system.numbers[word_places], numbers[: 0 if drop_unknown else None]])
    unknown_static = UNKNOWN_SCORE * system.weight("UnknownWordPenalty") + system.weight("PhrasePenalty")
    unknown_static -= 0 if drop_unknown else system.weight("WordPenalty")
    unknown_sparse = [_sparse(system, [tokens[t]], [] if drop_unknown else [tokens[t]], False) for t in unknown.tolist()]
    unknown_count = len(unknown)
    options = TranslationOptions(
        np.concatenate([spans_of_rows[:, 0], unknown]),
        np.concatenate([spans_of_rows[:, 1], unknown + 1]),
        np.concatenate([rows, np.full(unknown_count, -1)]),
        np.concatenate([[0], np.cumsum(widths)]),
        words.astype(np.int32),
        np.concatenate([system.static[rows], unknown_static + np.array(unknown_sparse)]),
        np.concatenate([system.backward[rows], np.zeros((unknown_count, 2, 4))]),
        np.concatenate([system.forward[rows], np.zeros((unknown_count, 2, 4))]),
        np.concatenate([system.classes[rows], np.zeros(unknown_count, np.int64)]),
        np.zeros(1, np.int64),
        np.zeros((1, 1)),
        np.zeros((1, 1), np.int64),
    )
    if marks.hints:
        options = _marked(system, options, tokens, marks)
    if target is not None:
        options = _options_within(system, options, tokens, target, marks)
    return sorted_options(system, options, length)[0]


def _unknown(length: int, spans: Int64s) -> Int64s:
    """Words without an option of length one; shape (words,)."""
    has_option = np.zeros(length, bool)
    has_option[spans[spans[:, 1] - spans[:, 0] == 1, 0]] = True
    return np.flatnonzero(~has_option)


def _marked(system: System, options: TranslationOptions, tokens: Sequence[str], marks: Marks) -> TranslationOptions:
    """Options that the markup allows, and the translations that it gives.

    Following Moses, the logarithm of a probability is divided among the scores of the first table.
    """
    spans = zip(options.starts.tolist(), options.ends.tolist(), strict=True)
    words = OptionWords(system, options, tokens)
    allowed_options = [o for o, (span, phrase) in enumerate(zip(spans, words, strict=True)) if marks.allows(*span, phrase)]
    options = _select(options, np.array(allowed_options, np.int64))
    hints = marks.hints
    count = len(hints)
    return options._replace(
        starts=np.append(options.starts, [hint.start for hint in hints]),
        ends=np.append(options.ends, [hint.end for hint in hints]),
        rows=np.append(options.rows, HINTS - np.arange(count)),
        offsets=np.append(options.offsets, options.offsets[-1] + np.cumsum([len(hint.words) for hint in hints])),
        words=np.append(options.words, system.models.number([word for hint in hints for word in hint.words])).astype(np.int32),
        static=np.append(options.static, [_hint_static(system, hint, tokens) for hint in hints]),
        backward=np.concatenate([options.backward, np.zeros((count, 2, 4))]),
        forward=np.concatenate([options.forward, np.zeros((count, 2, 4))]),
        keys=np.append(options.keys, np.zeros(count, np.int64)),
    )


def _hint_static(system: System, hint: Hint, tokens: Sequence[str]) -> float:
    columns = system.first_table
    score = hint.score * float(system.weights[columns].mean())
    score += _sparse(system, tokens[hint.start : hint.end], hint.words, True)
    return score + system.weight("PhrasePenalty") - len(hint.words) * system.weight("WordPenalty")


def _sparse(system: System, source: Sequence[str], target: Sequence[str], hinted: bool) -> float:
    """Sparse score of a pair that no table has.

    An unknown word links to itself; a translation from markup (`hinted`) has no links.
    """
    links = [] if hinted or not target else [(0, 0)]
    return system.sparse_weights.of_names(system.sparse.names_of_pair(source, target, links))


def _options_within(
    system: System, options: TranslationOptions, tokens: Sequence[str], target: Sequence[str], marks: Marks
) -> TranslationOptions:
    text = f" {' '.join(target)} "
    selection = [
        o for o, words in enumerate(OptionWords(system, options, tokens, marks)) if not words or f" {' '.join(words)} " in text
    ]
    return _select(options, np.array(selection, np.int64))


@dataclass(frozen=True, eq=False)
class OptionWords(Sequence[list[str]]):
    """Target words of each option, read at each access: the best translation needs few of them."""

    system: System
    options: TranslationOptions
    tokens: Sequence[str]
    marks: Marks = NO_MARKS

    def __len__(self) -> int:
        return len(self.options.rows)

    @overload
    def __getitem__(self, o: int) -> list[str]: ...
    @overload
    def __getitem__(self, o: slice) -> list[list[str]]: ...
    def __getitem__(self, o: int | slice) -> list[str] | list[list[str]]:
        if isinstance(o, slice):
            return [self[k] for k in range(*o.indices(len(self)))]
        row = int(self.options.rows[o])
        if row <= HINTS:
            return list(self.marks.hints[number_of_hint(row)].words)
        if row < 0:
            return [] if self.system.ini.drop_unknown else [self.tokens[int(self.options.starts[o])]]
        rows, vocabulary = self.system.rows, self.system.vocabulary.words
        return [vocabulary[word] for word in rows.words[rows.offsets[row] : rows.offsets[row + 1]].tolist()]


def _select(options: TranslationOptions, order: Int64s) -> TranslationOptions:
    word_places, offsets = ragged_rows(options.offsets, order)
    return TranslationOptions(
        options.starts[order], options.ends[order], options.rows[order], offsets, options.words[word_places], options.static[order],
        options.backward[order], options.forward[order], options.keys[order], options.spans, options.future,
        options.distances,
    )  # fmt: skip


def sorted_options(system: System, options: TranslationOptions, length: int) -> tuple[TranslationOptions, Int64s]:
    """Sort options by span and promise, and add spans, keys and future costs; return them and their former places."""
    isolated_scores = options.static + system.models.isolated(options.words, options.offsets)
    order = np.lexsort((-isolated_scores, options.ends, options.starts))
    options, isolated_scores = _select(options, order), isolated_scores[order]
    future = np.full((length + 1, length + 1), -np.inf)
    np.maximum.at(future, (options.starts, options.ends), isolated_scores)
    _sum_up(future)
    changes = np.flatnonzero((np.diff(options.starts) != 0) | (np.diff(options.ends) != 0)) + 1
    spans = np.concatenate([[0], changes, [len(order)]]) if len(order) else np.zeros(1, np.int64)
    keys = options.keys
    if system.reordering:
        keys = keys * (length + 1) + options.starts
    return options._replace(keys=keys * (length + 1) + options.ends, spans=spans.astype(np.int64), future=future), order


@njit(cache=True, nogil=True)
def _sum_up(future: Float64s) -> None:
    """Improve future costs in place: a span may be translated in two parts."""
    length = len(future) - 1
    for width in range(2, length + 1):
        for start in range(length - width + 1):
            for middle in range(start + 1, start + width):
                cost = future[start, middle] + future[middle, start + width]
                future[start, start + width] = max(future[start, start + width], cost)
