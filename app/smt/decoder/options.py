"""Which phrases a sentence can be translated by, and what what is left will cost at least."""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numba import njit

from app.arrays import Float64s, Int32s, Int64s
from app.smt.decoder.markup.marks import NO_MARKS, Hint, Marks
from app.smt.decoder.system import System
from app.text.hashing import hash_tokens

__all__ = ["HINTS", "UNKNOWN_SCORE", "Options", "number_of_hint", "options_of", "words_of_options"]

# What Moses says of a word that no table has.
UNKNOWN_SCORE = -100.0
# The row of the first translation that markup gives; the others are below it.
HINTS = -2


class Options(NamedTuple):
    """Phrases by the span of the source that they translate, the most promising of a span first.

    Of option o: it translates words ``starts[o]`` to before ``ends[o]``; ``rows[o]`` is its row of the system, -1 for an unknown
    word, others as `number_of_hint` has them; its words are ``words[offsets[o]:offsets[o + 1]]``; ``keys[o]`` is what it leaves to
    what comes next, reordering alone.
    Span s has the options ``spans[s]`` to ``spans[s + 1]``; ``future[i, j]`` is what words i to before j are hoped to cost.
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


def number_of_hint(row: int) -> int:
    """Which of the hints an option is whose row is `HINTS` or less."""
    return HINTS - row


def options_of(system: System, tokens: Sequence[str], needed: Sequence[str] | None = None, marks: Marks = NO_MARKS) -> Options:
    """The options of a sentence within what its markup says; of a translation that is `needed`, only those that it holds."""
    length = len(tokens)
    longest = min(system.rows.longest, system.ini.limits.phrase_length)
    spans = [(start, end) for start in range(length) for end in range(start + 1, min(start + longest, length) + 1)]
    hashes = hash_tokens([" ".join(tokens[start:end]) for start, end in spans])
    at = np.searchsorted(system.sources, hashes)
    there = np.flatnonzero(at < len(system.sources))
    there = there[system.sources[at[there]] == hashes[there]]
    counts = system.begins[at[there] + 1] - system.begins[at[there]]
    places = np.array(spans, np.int64).reshape(-1, 2)[there].repeat(counts, axis=0)
    ends = np.concatenate([[0], np.cumsum(counts)])
    rows = np.repeat(system.begins[at[there]] - ends[:-1], counts) + np.arange(ends[-1])
    given = [(hint.start, hint.end) for hint in marks.hints]
    unknown = _unknown(length, np.concatenate([places, np.array(given, np.int64).reshape(-1, 2)]))
    drop = system.ini.drop_unknown
    numbers = system.models.number([tokens[t] for t in unknown.tolist()])
    widths = np.concatenate([system.rows.offsets[rows + 1] - system.rows.offsets[rows], np.full(len(unknown), 0 if drop else 1)])
    words = np.concatenate([_numbers(system, rows), numbers[: 0 if drop else None]])
    static_unknown = UNKNOWN_SCORE * system.weight("UnknownWordPenalty") + system.weight("PhrasePenalty")
    static_unknown -= 0 if drop else system.weight("WordPenalty")
    sparse_unknown = [_sparse(system, [tokens[t]], [] if drop else [tokens[t]], False) for t in unknown.tolist()]
    more = len(unknown)
    options = Options(
        np.concatenate([places[:, 0], unknown]),
        np.concatenate([places[:, 1], unknown + 1]),
        np.concatenate([rows, np.full(more, -1)]),
        np.concatenate([[0], np.cumsum(widths)]),
        words.astype(np.int32),
        np.concatenate([system.static[rows], static_unknown + np.array(sparse_unknown)]),
        np.concatenate([system.backward[rows], np.zeros((more, 2, 4))]),
        np.concatenate([system.forward[rows], np.zeros((more, 2, 4))]),
        np.concatenate([system.classes[rows], np.zeros(more, np.int64)]),
        np.zeros(1, np.int64),
        np.zeros((1, 1)),
    )
    if marks.hints:
        options = _marked(system, options, tokens, marks)
    if needed is not None:
        options = _held(system, options, tokens, needed, marks)
    return _in_order(system, options, length)


def _numbers(system: System, rows: Int64s) -> Int32s:
    begins, ends = system.rows.offsets[rows], system.rows.offsets[rows + 1]
    lengths = ends - begins
    total = np.concatenate([[0], np.cumsum(lengths)])
    return system.numbers[np.repeat(begins - total[:-1], lengths) + np.arange(total[-1])]


def _unknown(length: int, places: Int64s) -> Int64s:
    """The words that nothing translates by themselves."""
    alone = np.zeros(length, bool)
    alone[places[places[:, 1] - places[:, 0] == 1, 0]] = True
    return np.flatnonzero(~alone)


def _marked(system: System, options: Options, tokens: Sequence[str], marks: Marks) -> Options:
    """Options that markup leaves, and those that it gives.

    The logarithm of their probability is divided among all scores of the first table, which is Moses' rule.
    """
    places = zip(options.starts.tolist(), options.ends.tolist(), strict=True)
    words = words_of_options(system, options, tokens)
    kept = [o for o, (place, phrase) in enumerate(zip(places, words, strict=True)) if marks.allows(*place, phrase)]
    options = _chosen(options, np.array(kept, np.int64))
    hints = marks.hints
    count = len(hints)
    return options._replace(
        starts=np.append(options.starts, [hint.start for hint in hints]),
        ends=np.append(options.ends, [hint.end for hint in hints]),
        rows=np.append(options.rows, HINTS - np.arange(count)),
        offsets=np.append(options.offsets, options.offsets[-1] + np.cumsum([len(hint.words) for hint in hints])),
        words=np.append(options.words, system.models.number([word for hint in hints for word in hint.words])).astype(np.int32),
        static=np.append(options.static, [_given(system, hint, tokens) for hint in hints]),
        backward=np.concatenate([options.backward, np.zeros((count, 2, 4))]),
        forward=np.concatenate([options.forward, np.zeros((count, 2, 4))]),
        keys=np.append(options.keys, np.zeros(count, np.int64)),
    )


def _given(system: System, hint: Hint, tokens: Sequence[str]) -> float:
    columns = system.first_table
    score = hint.score * float(system.weights[columns].mean())
    score += _sparse(system, tokens[hint.start : hint.end], hint.words, True)
    return score + system.weight("PhrasePenalty") - len(hint.words) * system.weight("WordPenalty")


def _sparse(system: System, source: Sequence[str], target: Sequence[str], given: bool) -> float:
    """What sparse features of a pair cost that no table has; an unknown word is linked to itself, what is `given` has no links."""
    links = [] if given or not target else [(0, 0)]
    return system.sparse_weights.of_names(system.sparse.names_of_pair(source, target, links))


def _held(system: System, options: Options, tokens: Sequence[str], needed: Sequence[str], marks: Marks) -> Options:
    text = f" {' '.join(needed)} "
    kept = [
        o for o, words in enumerate(words_of_options(system, options, tokens, marks)) if not words or f" {' '.join(words)} " in text
    ]
    return _chosen(options, np.array(kept, np.int64))


def words_of_options(system: System, options: Options, tokens: Sequence[str], marks: Marks = NO_MARKS) -> list[list[str]]:
    """The target words of each option."""
    vocabulary, rows = system.vocabulary.words, system.rows
    texts = []
    for row, start in zip(options.rows.tolist(), options.starts.tolist(), strict=True):
        if row <= HINTS:
            texts.append(list(marks.hints[number_of_hint(row)].words))
        elif row < 0:
            texts.append([] if system.ini.drop_unknown else [tokens[start]])
        else:
            texts.append([vocabulary[word] for word in rows.words[rows.offsets[row] : rows.offsets[row + 1]].tolist()])
    return texts


def _chosen(options: Options, order: Int64s) -> Options:
    lengths = np.diff(options.offsets)[order]
    offsets = np.concatenate([[0], np.cumsum(lengths)])
    places = np.repeat(options.offsets[:-1][order] - offsets[:-1], lengths) + np.arange(offsets[-1])
    return Options(
        options.starts[order], options.ends[order], options.rows[order], offsets, options.words[places], options.static[order],
        options.backward[order], options.forward[order], options.keys[order], options.spans, options.future,
    )  # fmt: skip


def _in_order(system: System, options: Options, length: int) -> Options:
    """Spans one after the other, each with its best options first, and future costs."""
    alone = options.static + system.models.isolated(options.words, options.offsets)
    order = np.lexsort((-alone, options.ends, options.starts))
    options, alone = _chosen(options, order), alone[order]
    future = np.full((length + 1, length + 1), -np.inf)
    np.maximum.at(future, (options.starts, options.ends), alone)
    _sum_up(future)
    changes = np.flatnonzero((np.diff(options.starts) != 0) | (np.diff(options.ends) != 0)) + 1
    spans = np.concatenate([[0], changes, [len(order)]]) if len(order) else np.zeros(1, np.int64)
    keys = options.keys
    if system.reordering:
        keys = keys * (length + 1) + options.starts
    return options._replace(keys=keys * (length + 1) + options.ends, spans=spans.astype(np.int64), future=future)


@njit(cache=True, nogil=True)
def _sum_up(future: Float64s) -> None:
    """Let a span be translated by two of its parts where that is better."""
    length = len(future) - 1
    for width in range(2, length + 1):
        for start in range(length - width + 1):
            for middle in range(start + 1, start + width):
                both = future[start, middle] + future[middle, start + width]
                future[start, start + width] = max(future[start, start + width], both)
