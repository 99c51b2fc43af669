"""Pruning of phrase pairs that chance may explain (Johnson, Martin, Foster and Kuhn 2007)."""

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
from app.smt.corpus.lines import line_error
from app.smt.corpus.phrases.pruning_kernels import shared_counts, surprise
from app.smt.corpus.phrases.row_kernels import parse_numbers
from app.smt.corpus.phrases.token_kernels import find_words
from app.text.hashing import hash_slices
from app.text.ragged import offsets_of

__all__ = ["EPSILON", "SIGNS", "Pruning", "Threshold", "prune_table"]

BAR: Final = b" ||| "
LINES: Final = 1 << 14
# The hash of a phrase is a polynomial of hashes of its words.
BASE: Final = np.uint64(0x9E3779B97F4A7C15)
# Rows of a block of counts.
ROWS: Final = 1 << 20
# One further sentence changes any surprise by far more; rounding changes it by far less.
EPSILON: Final = 1e-4
SIGNS: Final = {"alpha-epsilon": -1, "alpha+epsilon": 1}
Threshold = Literal["alpha-epsilon", "alpha+epsilon"]
COMPRESSION: Final = 6


@dataclass(frozen=True)
class Pruning:
    """Result of pruning a phrase table: pairs read, lines written, singletons, and the threshold.

    A singleton is a pair that occurs once, as do both its phrases.
    """

    pairs: int
    lines: int
    singletons: int
    threshold: float


def prune_table(table: Path, source: Path, target: Path, out: Path, threshold: float | Threshold = "alpha-epsilon") -> Pruning:
    """Write the lines of a phrase table with more shared sentence pairs than chance explains.

    A line stays if -ln p of Fisher's exact test (one-sided) reaches the threshold. Counts come from a text, `source` and `target`,
    tokenised, one sentence a line. A sentence counts a phrase once. Phrases are compared by 64-bit hashes.

    A singleton (pair and both phrases occur in one sentence pair) has -ln p = alpha = ln N in N sentence pairs. Threshold
    ``alpha-epsilon`` just keeps singletons; ``alpha+epsilon`` just drops them. InputError names file and line; nothing is written
    then.
    """
    sides: list[list[UInt64s]] = [[], []]
    longest = [0, 0]
    for _, sides_of_lines in _rows(table):
        for side, (keys, words) in enumerate(sides_of_lines):
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
    surprises, singletons = _surprises(*columns[0], *columns[1], sentences)
    minimum = threshold if isinstance(threshold, float) else log(sentences) + SIGNS[threshold] * EPSILON
    mask = surprises >= minimum
    _write(table, out, mask)
    return Pruning(len(mask), int(mask.sum()), int(singletons.sum()), minimum)


def _surprises(
    sources: Int64s,
    source_offsets: Int64s,
    source_places: Int32s,
    targets: Int64s,
    target_offsets: Int64s,
    target_places: Int32s,
    sentences: int,
) -> tuple[Float64s, Bools]:
    surprises, singletons = np.empty(len(sources)), np.empty(len(sources), np.bool_)
    in_source, in_target = np.diff(source_offsets), np.diff(target_offsets)
    for first in range(0, len(sources), ROWS):
        block = slice(first, first + ROWS)
        source_ids, target_ids = sources[block], targets[block]
        shared = shared_counts(source_ids, target_ids, source_offsets, source_places, target_offsets, target_places)
        surprises[block] = surprise(shared, in_source[source_ids], in_target[target_ids], sentences)
        singletons[block] = (shared == 1) & (in_source[source_ids] == 1) & (in_target[target_ids] == 1)
    return surprises, singletons


def _rows(table: Path) -> Iterator[tuple[list[bytes], Sequence[tuple[UInt64s, int]]]]:
    """Yield lines of a table in blocks, with hashes of their sources and targets and the length of the longest of each side.

    InputError (`invalid-table`) names a line without phrases, with a negative score, or with another number of scores than line 1.
    """
    with ExitStack() as stack:
        lines = read_lines(table, stack)
        first, width = 1, 0
        while part := list(islice(lines, LINES)):
            columns = [line.split(BAR, 2) for line in part]
            for number, row in enumerate(columns, first):
                if len(row) < 3 or not row[0].strip() or not row[1].strip():
                    raise line_error(table, number, "is not source ||| target ||| scores")
            scores = [row[2].partition(BAR)[0].split() for row in columns]
            width = width or len(scores[0])
            _check_scores(table, scores, width, first)
            yield part, (_phrase_keys([row[0] for row in columns]), _phrase_keys([row[1] for row in columns]))
            first += len(part)


def _check_scores(table: Path, scores: Sequence[Sequence[bytes]], width: int, first: int) -> None:
    """InputError unless each line has `width` finite scores from 0."""
    cells = [b" ".join(row) for row in scores]
    ends = np.cumsum([len(cell) for cell in cells])
    spans = np.stack([ends - [len(cell) for cell in cells], ends], axis=1)
    _, bad = parse_numbers(np.frombuffer(b"".join(cells), np.uint8), spans, max(width, 1))
    if bad >= 0:
        raise line_error(table, first + int(bad), f"needs {max(width, 1)} finite scores from 0, as line 1")


def _word_hashes(lines: list[bytes]) -> tuple[UInt64s, Int64s]:
    text = np.frombuffer(b"".join(lines), np.uint8)
    begins, ends, offsets = find_words(text, len(lines))
    hashes: UInt64s = hash_slices(text, begins, ends)
    return hashes, offsets


def _phrase_keys(phrases: list[bytes]) -> tuple[UInt64s, int]:
    words, offsets = _word_hashes([phrase + b"\n" for phrase in phrases])
    lengths = np.diff(offsets)
    keys = np.zeros(len(phrases), np.uint64)
    longest = int(lengths.max())
    for place in range(longest):
        longer = lengths > place
        keys[longer] = keys[longer] * BASE + words[offsets[:-1][longer] + place]
    # The length is part of the key, since phrases of different lengths may have one sum.
    return keys ^ (lengths.astype(np.uint64) << np.uint64(56)), longest


def _places(path: Path, distinct: UInt64s, longest: int) -> tuple[Int64s, Int32s, int]:
    """Sentences of each distinct phrase, sorted, without duplicates: offsets and sentences; and the number of sentences."""
    found_ids, found_rows = [np.empty(0, np.int64)], [np.empty(0, np.int64)]
    lines = 0
    with ExitStack() as stack:
        text = read_lines(path, stack)
        while part := list(islice(text, LINES)):
            words, offsets = _word_hashes(part)
            sentence = np.repeat(np.arange(len(part)), np.diff(offsets))
            words_ahead = offsets[1:][sentence] - np.arange(len(words))
            keys = np.zeros(len(words), np.uint64)
            for place in range(longest):
                positions = np.flatnonzero(words_ahead > place)
                keys[positions] = keys[positions] * BASE + words[positions + place]
                phrase_keys = keys[positions] ^ (np.uint64(place + 1) << np.uint64(56))
                at = np.minimum(np.searchsorted(distinct, phrase_keys), len(distinct) - 1)
                hit = distinct[at] == phrase_keys
                # A sentence counts a repeated phrase once.
                occurrences = np.unique(at[hit] << 32 | sentence[positions[hit]])
                found_ids.append(occurrences >> 32)
                found_rows.append((occurrences & 0xFFFFFFFF) + lines)
            lines += len(part)
    ids, rows = np.concatenate(found_ids), np.concatenate(found_rows)
    order = np.argsort(ids, kind="stable")
    return offsets_of(np.bincount(ids, minlength=len(distinct))), rows[order].astype(np.int32), lines


def _write(table: Path, out: Path, mask: Bools) -> None:
    first = 0
    with file_aside(out) as temporary, ExitStack() as stack:
        file = open_packed(temporary, out, stack, COMPRESSION)
        lines = read_lines(table, stack)
        while part := list(islice(lines, LINES)):
            file.write(b"".join(compress(part, mask[first : first + len(part)].tolist())))
            first += len(part)
