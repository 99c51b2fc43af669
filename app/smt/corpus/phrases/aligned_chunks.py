"""Word-aligned text as a stream of chunks: sentence pairs, byte offsets of their words, and links of words."""

import re
from collections.abc import Iterator, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import Final

import numpy as np

from app.arrays import Int32s, Int64s, UInt8s
from app.building.line_files import read_lines
from app.errors import InputError
from app.smt.corpus.lines import line_error
from app.smt.corpus.phrases.scoring.pair_kernels import LEAST_WEIGHT, MOST_WEIGHT, record_weights
from app.smt.corpus.phrases.token_kernels import BAD_LINK, NO_FAULT, find_words, parse_links
from app.smt.corpus.sorting_kernels import line_bounds
from app.text.reading.lines import decode_text

__all__ = ["MOST_WORDS", "AlignedChunk", "Words", "read_aligned"]

# Sentence pairs of a chunk; their text and phrases fill a few megabytes.
CHUNK: Final = 1000
# A longer line is hardly a sentence; the cleaning script of Moses keeps up to 80 words.
MOST_WORDS: Final = 1000
BAR: Final = b"|||"
WEIGHT: Final = re.compile(rb"(\d+(\.\d*)?|\.\d+)([eE][-+]?\d{1,3})?")
# An extracted record around a weight, for the parser of weights.
RECORD: Final = b"a ||| a ||| 0-0 ||| %b\n"


@dataclass(frozen=True)
class Words:
    """One side of a chunk: bytes, begin and end of each word; words of line i are ``offsets[i]:offsets[i + 1]``."""

    text: UInt8s
    begins: Int64s
    ends: Int64s
    offsets: Int64s


@dataclass(frozen=True)
class AlignedChunk:
    """Sentence pairs in the order of their files. `weights` are the lines of the file of weights, copied unchanged."""

    source: Words
    target: Words
    links_source: Int32s
    links_target: Int32s
    link_offsets: Int64s
    weights: tuple[bytes, ...] = ()

    def __len__(self) -> int:
        return len(self.link_offsets) - 1


def read_aligned(source: Path, target: Path, links: Path, weights: Path | None = None) -> Iterator[AlignedChunk]:
    """Yield chunks of two tokenised texts, one sentence a line, with their links ``i-j``; files may be gzipped.

    InputError names the file and the line:

    - `unequal-lengths`, `invalid-encoding`
    - `empty-input`: a side without words
    - `segment-too-long`: more than `MOST_WORDS` words
    - `invalid-table`: a malformed link, a link beyond the sentence, a malformed or negative weight
    - `invalid-character`: a word ``|||``, the divider of columns
    """
    paths = [source, target, links] + ([] if weights is None else [weights])
    with ExitStack() as stack:
        columns = [read_lines(path, stack) for path in paths]
        first = 1
        while True:
            parts = [list(islice(column, CHUNK)) for column in columns]
            if len({len(part) for part in parts}) > 1:
                _refuse_lengths(paths, columns, [first - 1 + len(part) for part in parts])
            if not parts[0]:
                break
            yield _chunk(paths, parts, first)
            first += len(parts[0])
    if first == 1:
        raise InputError("empty-input", f"{source} is empty; one sentence a line is expected", (str(source),))


def _refuse_lengths(paths: Sequence[Path], columns: Sequence[Iterator[bytes]], counts: list[int]) -> None:
    lengths = [count + sum(1 for _ in column) for count, column in zip(counts, columns, strict=True)]
    shortest, longest = lengths.index(min(lengths)), lengths.index(max(lengths))
    detail = f"{paths[shortest]} has {lengths[shortest]} lines but {paths[longest]} has {lengths[longest]}"
    raise InputError("unequal-lengths", detail, (str(paths[shortest]),))


def _chunk(paths: Sequence[Path], parts: Sequence[list[bytes]], first: int) -> AlignedChunk:
    source, target = (_words(path, part, first) for path, part in zip(paths[:2], parts[:2], strict=True))
    links = np.frombuffer(b"".join(parts[2]), np.uint8)
    links_source, links_target, offsets, fault, line = parse_links(links, source.offsets, target.offsets)
    if fault != NO_FAULT:
        reason = "has a malformed link; links are i-j" if fault == BAD_LINK else "has a link beyond the words of its sentences"
        raise line_error(paths[2], first + line, reason)
    weights = _weights(paths[3], parts[3], first) if len(parts) > 3 else ()
    return AlignedChunk(source, target, links_source, links_target, offsets, weights)


def _words(path: Path, lines: list[bytes], first: int) -> Words:
    raw = b"".join(lines)
    try:
        raw.decode()
        valid = b"\0" not in raw
    except UnicodeDecodeError:
        valid = False
    if not valid:
        for number, line in enumerate(lines, first):
            decode_text(line, str(path), number)
    text = np.frombuffer(raw, np.uint8)
    begins, ends, offsets = find_words(text, len(lines))
    counts = np.diff(offsets)
    if counts.min() == 0:
        raise line_error(path, first + int(np.argmin(counts)), "has no words", "empty-input")
    if counts.max() > MOST_WORDS:
        reason = f"has {counts.max()} words; the limit is {MOST_WORDS}"
        raise line_error(path, first + int(np.argmax(counts)), reason, "segment-too-long")
    if BAR in raw:
        for number, line in enumerate(lines, first):
            if BAR in line.split():
                reason = "has a word |||, which divides the columns of phrase tables; remove it"
                raise line_error(path, number, reason, "invalid-character")
    return Words(text, begins, ends, offsets)


def _weights(path: Path, lines: list[bytes], first: int) -> tuple[bytes, ...]:
    """Weights of lines as bytes. Records copy them unchanged, so the parser of records must accept each."""
    weights = tuple(line.strip() for line in lines)
    records = np.frombuffer(b"".join(RECORD % (weight if WEIGHT.fullmatch(weight) else b"") for weight in weights), np.uint8)
    read = record_weights(records, *line_bounds(records), 0)
    wrong = np.flatnonzero(~((read == 0) | (read > LEAST_WEIGHT) & (read <= MOST_WEIGHT)))
    if len(wrong):
        numbers = f"0 or a number above {LEAST_WEIGHT:g} and up to {MOST_WEIGHT:g}, as 2, 0.25 or 5e-1"
        raise line_error(path, first + int(wrong[0]), f"is no weight, which is {numbers}")
    return weights
