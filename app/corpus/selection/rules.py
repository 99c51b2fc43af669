"""Rules that pairs must keep, as cleaning of parallel text has them: lengths, ratios, copies, repetitions, letters, numbers."""

from collections.abc import Mapping
from dataclasses import dataclass
from enum import IntEnum
from hashlib import blake2b
from pathlib import Path
from typing import Final

import numpy as np

from app.arrays import UInt8s, UInt64s
from app.corpus.selection.pool import Pool, PoolChunk
from app.corpus.selection.selecting import TABLE, files_aside, pair_table
from app.errors import InputError
from app.text.reading.lines import decode_text

__all__ = ["Fault", "Filtered", "Rules", "filter_pairs"]


class Fault(IntEnum):
    """The first rule that a pair broke."""

    KEPT = 0
    WORDS = 1
    RATIO = 2
    WORD = 3
    COPY = 4
    LETTERS = 5
    NUMBERS = 6
    REPEATED = 7


LINES: Final = {int(fault): f"{fault.name.lower()}\n" for fault in Fault}


@dataclass(frozen=True)
class Rules:
    """Each side has `fewest` to `most` words, one side at most `ratio` times as many as the other.

    Where asked for: no word has more than `longest` characters; sides differ (`copies` False); `letters` of the characters that are
    no blanks are letters, on either side; both sides have the same numbers, as runs of digits in any order; of pairs that are the
    same to the byte only the first stays (`repeated` False).
    """

    fewest: int = 1
    most: int = 80
    ratio: float = 9.0
    longest: int | None = None
    letters: float = 0.0
    copies: bool = True
    numbers: bool = False
    repeated: bool = True

    def __post_init__(self) -> None:
        if not 1 <= self.fewest <= self.most or self.ratio < 1 or not 0 <= self.letters <= 1:
            detail = "sides have 1 word at least and as many at most, a ratio is 1 or more, a share of letters 0 to 1"
            raise InputError("invalid-request", detail)

    def judge(self, source: str, target: str) -> Fault:
        """The first fault of a pair by itself."""
        words = source.split(), target.split()
        lengths = len(words[0]), len(words[1])
        if not all(self.fewest <= length <= self.most for length in lengths):
            return Fault.WORDS
        if max(lengths) > self.ratio * min(lengths):
            return Fault.RATIO
        if self.longest is not None and any(len(word) > self.longest for side in words for word in side):
            return Fault.WORD
        if not self.copies and words[0] == words[1]:
            return Fault.COPY
        if self.letters and any(_letters(side) < self.letters for side in words):
            return Fault.LETTERS
        if self.numbers and _numbers(source) != _numbers(target):
            return Fault.NUMBERS
        return Fault.KEPT


def _letters(words: list[str]) -> float:
    text = "".join(words)
    return sum(map(str.isalpha, text)) / len(text)


def _numbers(text: str) -> list[str]:
    return sorted("".join(c if c.isdecimal() else " " for c in text).split())


@dataclass(frozen=True)
class Filtered:
    """How many pairs there were, and how many had each fault."""

    total: int
    faults: Mapping[Fault, int]


def filter_pairs(pool: Pool, rules: Rules, outputs: Mapping[str, Path]) -> Filtered:
    """Write the pairs that keep all rules, in their order and as they were; `outputs` by name: source, target, links, decisions.

    Two passes; a byte a pair is held, and 8 more where repetitions are looked for. InputError as of the pool.
    """
    faults, keys = [], []
    for chunk in pool.chunks():
        judged, of_chunk = _judged(chunk, rules)
        faults.append(judged)
        keys.append(of_chunk)
    everything = np.concatenate(faults)
    if not rules.repeated:
        rows = np.flatnonzero(everything == Fault.KEPT)
        _, first = np.unique(np.concatenate(keys)[rows], return_index=True)
        again = np.ones(len(rows), np.bool_)
        again[first] = False
        everything[rows[again]] = Fault.REPEATED
    _write(pool, everything, outputs)
    counts = np.bincount(everything, minlength=len(Fault)).tolist()
    return Filtered(len(everything), dict(zip(Fault, counts, strict=True)))


def _judged(chunk: PoolChunk, rules: Rules) -> tuple[UInt8s, UInt64s]:
    texts = [
        [decode_text(line, str(path), number) for number, line in enumerate(lines, chunk.first + 1)]
        for path, lines in zip(chunk.paths[:2], chunk.lines[:2], strict=True)
    ]
    faults = np.array([rules.judge(*pair) for pair in zip(*texts, strict=True)], np.uint8)
    if rules.repeated:
        return faults, np.zeros(0, np.uint64)
    # Lines end in a newline, so that no two pairs are joined to the same bytes.
    digests = b"".join([blake2b(a + b, digest_size=8).digest() for a, b in zip(*chunk.lines[:2], strict=True)])
    return faults, np.frombuffer(digests, np.uint64)


def _write(pool: Pool, faults: UInt8s, outputs: Mapping[str, Path]) -> None:
    named = {name: path for name, path in outputs.items() if name != TABLE}
    with files_aside(named) as files, pair_table(outputs.get(TABLE), pool) as write_table:
        if "decisions" in files:
            for first in range(0, len(faults), 1 << 16):
                files["decisions"].write("".join([LINES[fault] for fault in faults[first : first + (1 << 16)].tolist()]).encode())
        columns = [(files[name], number) for number, name in enumerate(("source", "target", "links")) if name in files]
        for chunk in pool.chunks() if columns or TABLE in outputs else ():
            rows = np.flatnonzero(faults[chunk.first : chunk.first + len(chunk)] == Fault.KEPT).tolist()
            for file, column in columns:
                file.write(b"".join([chunk.lines[column][row] for row in rows]))
            write_table([[lines[row] for row in rows] for lines in chunk.lines])
