"""Phrase tables without pairs that may well be chance (Johnson, Martin, Foster and Kuhn 2007)."""

from collections.abc import Iterator, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from itertools import compress, islice
from math import log
from pathlib import Path
from typing import Final, Literal

import numpy as np

from app.arrays import Bools, Float64s, Int32s, Int64s, UInt64s
from app.building.gzip_files import open_packed
from app.building.line_files import read_lines
from app.building.writing import file_aside
from app.errors import InputError
from app.smt.corpus.phrases.pruning_kernels import surprise, together
from app.smt.corpus.phrases.row_kernels import parse_numbers
from app.smt.corpus.phrases.token_kernels import find_words
from app.text.hashing import hash_slices
from app.text.ragged import offsets_of

__all__ = ["EPSILON", "SIGNS", "Pruned", "Threshold", "prune_table"]

BAR: Final = b" ||| "
LINES: Final = 1 << 14
# Hashes of phrases are polynomials of those of their words.
BASE: Final = np.uint64(0x9E3779B97F4A7C15)
# Rows whose counts are looked up at a time.
ROWS: Final = 1 << 20
# Far below what one sentence more makes of any surprise, far above what is lost in rounding.
EPSILON: Final = 1e-4
SIGNS: Final = {"alpha-epsilon": -1, "alpha+epsilon": 1}
Threshold = Literal["alpha-epsilon", "alpha+epsilon"]
COMPRESSION: Final = 6


@dataclass(frozen=True)
class Pruned:
    """Pairs of phrases that were read and kept, those that occur once with phrases that occur once, and the threshold that was
    used.
    """

    pairs: int
    kept: int
    once: int
    threshold: float


def prune_table(table: Path, source: Path, target: Path, out: Path, threshold: float | Threshold = "alpha-epsilon") -> Pruned:
    """Write the lines of a phrase table whose phrases share more sentence pairs than chance would let them.

    A line is kept if -ln p of Fisher's exact test, one-sided, on the text (`source`, `target`: words with blanks between them, a
    sentence a line) is the threshold or more. A pair of phrases that is in one sentence pair, each of them in no other, has alpha
    = ln N of N sentence pairs: ``alpha-epsilon`` is the highest threshold that keeps these, ``alpha+epsilon`` the lowest that does
    not. Phrases are in a sentence once or not at all, and are told by 64-bit hashes. InputError names file and line; nothing is
    written then.
    """
    sides: list[list[UInt64s]] = [[], []]
    longest = [0, 0]
    for _, hashed in _rows(table):
        for side, (keys, words) in enumerate(hashed):
            sides[side].append(keys)
            longest[side] = max(longest[side], words)
    if not sides[0]:
        raise InputError("empty-input", f"{table} has no pairs of phrases", (str(table),))
    columns = []
    counts = []
    for path, parts, words in zip((source, target), sides, longest, strict=True):
        distinct, ids = np.unique(np.concatenate(parts), return_inverse=True)
        offsets, places, lines = _places(path, distinct, words)
        columns.append((ids, offsets, places))
        counts.append(lines)
    sentences = counts[0]
    if counts[1] != sentences:
        raise InputError("unequal-lengths", f"{source} has {sentences} lines but {target} has {counts[1]}", (str(target),))
    if not sentences:
        raise InputError("empty-input", f"{source} is empty; one sentence a line is expected", (str(source),))
    surprises, once = _surprises(*columns[0], *columns[1], sentences)
    least = threshold if isinstance(threshold, float) else log(sentences) + SIGNS[threshold] * EPSILON
    kept = surprises >= least
    _write(table, out, kept)
    return Pruned(len(kept), int(kept.sum()), int(once.sum()), least)


def _surprises(
    sources: Int64s,
    source_offsets: Int64s,
    source_places: Int32s,
    targets: Int64s,
    target_offsets: Int64s,
    target_places: Int32s,
    sentences: int,
) -> tuple[Float64s, Bools]:
    surprises, once = np.empty(len(sources)), np.empty(len(sources), np.bool_)
    in_source, in_target = np.diff(source_offsets), np.diff(target_offsets)
    for first in range(0, len(sources), ROWS):
        here = slice(first, first + ROWS)
        one, other = sources[here], targets[here]
        both = together(one, other, source_offsets, source_places, target_offsets, target_places)
        surprises[here] = surprise(both, in_source[one], in_target[other], sentences)
        once[here] = (both == 1) & (in_source[one] == 1) & (in_target[other] == 1)
    return surprises, once


def _rows(table: Path) -> Iterator[tuple[list[bytes], Sequence[tuple[UInt64s, int]]]]:
    """Lines of a table, some at a time, with hashes of their sources and of their targets and the words of the longest of
    either.

    InputError (`invalid-table`) names a line without phrases, or without as many scores, from 0, as the first line has.
    """
    with ExitStack() as stack:
        lines = read_lines(table, stack)
        first, width = 1, 0
        while part := list(islice(lines, LINES)):
            columns = [line.split(BAR, 2) for line in part]
            for number, row in enumerate(columns, first):
                if len(row) < 3 or not row[0].strip() or not row[1].strip():
                    detail = f"line {number} of {table} is not source ||| target ||| scores"
                    raise InputError("invalid-table", detail, (str(table), number))
            scores = [row[2].partition(BAR)[0].split() for row in columns]
            width = width or len(scores[0])
            _check_scores(table, scores, width, first)
            yield part, (_hashed([row[0] for row in columns]), _hashed([row[1] for row in columns]))
            first += len(part)


def _check_scores(table: Path, scores: Sequence[Sequence[bytes]], width: int, first: int) -> None:
    """InputError where a line has other scores than `width` finite numbers from 0."""
    cells = [b" ".join(row) for row in scores]
    ends = np.cumsum([len(cell) for cell in cells])
    spans = np.stack([ends - [len(cell) for cell in cells], ends], axis=1)
    _, bad = parse_numbers(np.frombuffer(b"".join(cells), np.uint8), spans, max(width, 1))
    if bad >= 0:
        number = first + int(bad)
        detail = f"line {number} of {table} has other scores than {max(width, 1)} finite numbers from 0"
        raise InputError("invalid-table", detail, (str(table), number))


def _word_hashes(lines: list[bytes]) -> tuple[UInt64s, Int64s]:
    text = np.frombuffer(b"".join(lines), np.uint8)
    begins, ends, offsets = find_words(text, len(lines))
    hashes: UInt64s = hash_slices(text, begins, ends)
    return hashes, offsets


def _hashed(phrases: list[bytes]) -> tuple[UInt64s, int]:
    words, offsets = _word_hashes([phrase + b"\n" for phrase in phrases])
    lengths = np.diff(offsets)
    keys = np.zeros(len(phrases), np.uint64)
    longest = int(lengths.max())
    for place in range(longest):
        longer = lengths > place
        keys[longer] = keys[longer] * BASE + words[offsets[:-1][longer] + place]
    # Phrases of other lengths are other phrases, whatever their sum.
    return keys ^ (lengths.astype(np.uint64) << np.uint64(56)), longest


def _places(path: Path, distinct: UInt64s, longest: int) -> tuple[Int64s, Int32s, int]:
    """The sentences that phrases are in, once for each sentence and in order: offsets and sentences; and how many sentences there
    are.
    """
    found_ids, found_rows = [np.empty(0, np.int64)], [np.empty(0, np.int64)]
    lines = 0
    with ExitStack() as stack:
        text = read_lines(path, stack)
        while part := list(islice(text, LINES)):
            words, offsets = _word_hashes(part)
            sentence = np.repeat(np.arange(len(part)), np.diff(offsets))
            left = offsets[1:][sentence] - np.arange(len(words))
            keys = np.zeros(len(words), np.uint64)
            for place in range(longest):
                here = np.flatnonzero(left > place)
                keys[here] = keys[here] * BASE + words[here + place]
                wanted = keys[here] ^ (np.uint64(place + 1) << np.uint64(56))
                at = np.minimum(np.searchsorted(distinct, wanted), len(distinct) - 1)
                hit = distinct[at] == wanted
                # A phrase that is in a sentence twice is in it once.
                once = np.unique(at[hit] << 32 | sentence[here[hit]])
                found_ids.append(once >> 32)
                found_rows.append((once & 0xFFFFFFFF) + lines)
            lines += len(part)
    ids, rows = np.concatenate(found_ids), np.concatenate(found_rows)
    order = np.argsort(ids, kind="stable")
    return offsets_of(np.bincount(ids, minlength=len(distinct))), rows[order].astype(np.int32), lines


def _write(table: Path, out: Path, kept: Bools) -> None:
    first = 0
    with file_aside(out) as aside, ExitStack() as stack:
        file = open_packed(aside, out, stack, COMPRESSION)
        lines = read_lines(table, stack)
        while part := list(islice(lines, LINES)):
            file.write(b"".join(compress(part, kept[first : first + len(part)].tolist())))
            first += len(part)
