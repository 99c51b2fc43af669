"""Rules that pairs must keep, as cleaning of parallel text has them: lengths, ratios, copies, letters, numbers, repetitions,
scripts, languages, remains of HTML, marks at ends of sentences."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import IntEnum
from hashlib import blake2b
from pathlib import Path
from typing import Final

import numpy as np

from app.arrays import UInt8s, UInt64s
from app.errors import InputError
from app.smt.corpus.selection.pool import Pool, PoolChunk
from app.smt.corpus.selection.selecting import TABLE, files_aside, pair_table
from app.smt.corpus.selection.sides import (
    check_language,
    check_script,
    has_markup,
    is_otherwise,
    punctuation,
    repeats,
    script_share,
)
from app.text.reading.lines import decode_text

__all__ = ["Fault", "Filtered", "Rules", "Same", "filter_pairs"]


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
    CHARACTERS = 8
    SCRIPT = 9
    MARKUP = 10
    PUNCTUATION = 11
    LOOP = 12
    LANGUAGE = 13
    KNOWN = 14


SIDES: Final = ("source", "target")
LINES: Final = {int(fault): f"{fault.name.lower()}\n" for fault in Fault}


@dataclass(frozen=True)
class Rules:
    """Each side has `fewest` to `most` words, one side at most `ratio` times as many as the other.

    Where asked for: no word has more than `longest` characters; sides differ (`copies` False); `letters` of the characters that are
    no blanks are letters, on either side; both sides have the same numbers, as runs of digits in any order; of pairs that are the
    same, ends of lines aside, only the first stays (`repeated` False). Sides have `characters` (fewest and most), blanks around
    them aside;
    `script_share` of their letters are of the `scripts` of source and target; they are not clearly in others than the `languages`;
    no tag or entity of HTML is left (`markup` False); marks at ends of sentences agree by `punctuation` (`sides.punctuation`); no
    stretch stands again at once `repeats` times or more.
    """

    fewest: int = 1
    most: int = 80
    ratio: float = 9.0
    longest: int | None = None
    letters: float = 0.0
    copies: bool = True
    numbers: bool = False
    repeated: bool = True
    characters: tuple[int, int | None] = (0, None)
    scripts: tuple[str | None, str | None] = (None, None)
    script_share: float = 1.0
    languages: tuple[str | None, str | None] = (None, None)
    markup: bool = True
    punctuation: float | None = None
    repeats: int | None = None

    def __post_init__(self) -> None:
        if not 1 <= self.fewest <= self.most or self.ratio < 1 or not 0 <= self.letters <= 1:
            detail = "sides have 1 word at least and as many at most, a ratio is 1 or more, a share of letters 0 to 1"
            raise InputError("invalid-request", detail)
        if not 0 <= self.script_share <= 1 or (self.characters[1] is not None and self.characters[1] < self.characters[0]):
            raise InputError("invalid-request", "a share of letters is 0 to 1, and most characters are no fewer than fewest")
        for script, side in zip(self.scripts, SIDES, strict=True):
            if script is not None:
                check_script(script, f"--{side}-script")
        for language, side in zip(self.languages, SIDES, strict=True):
            if language is not None:
                check_language(language, f"--{side}-language")

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
        return self._judge_characters(source.strip(), target.strip())

    def _judge_characters(self, *sides: str) -> Fault:
        fewest, most = self.characters
        if any(len(side) < fewest or (most is not None and len(side) > most) for side in sides):
            return Fault.CHARACTERS
        named = [(side, script) for side, script in zip(sides, self.scripts, strict=True) if script is not None]
        if any(script_share(side, script) < self.script_share for side, script in named):
            return Fault.SCRIPT
        if not self.markup and any(map(has_markup, sides)):
            return Fault.MARKUP
        if self.punctuation is not None and punctuation(*sides) < self.punctuation:
            return Fault.PUNCTUATION
        if self.repeats is not None and any(repeats(side) >= self.repeats for side in sides):
            return Fault.LOOP
        spoken = [(side, language) for side, language in zip(sides, self.languages, strict=True) if language is not None]
        if any(is_otherwise(side, language) for side, language in spoken):
            return Fault.LANGUAGE
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


class Same(IntEnum):
    """By what pairs are the same: both sides, or one of them."""

    BOTH = 2
    SOURCE = 0
    TARGET = 1


def filter_pairs(
    pool: Pool, rules: Rules, outputs: Mapping[str, Path], others: Sequence[Pool] = (), same: Same = Same.BOTH
) -> Filtered:
    """Write the pairs that keep all rules, in their order and as they were; `outputs` by name: source, target, links, decisions.

    Pairs of the `others` are left out. Repeated and known ones are those that are the `same`. Two passes; a byte a pair is
    held, 8 more where repetitions or known ones are looked for, and 8 for each known pair. InputError as of the pools.
    """
    faults, keys = [], []
    wanted = bool(others) or not rules.repeated
    for chunk in pool.chunks():
        faults.append(_judged(chunk, rules))
        keys.append(_keys(chunk, same) if wanted else np.zeros(0, np.uint64))
    everything = np.concatenate(faults)
    if others:
        rows = np.flatnonzero(everything == Fault.KEPT)
        there = np.concatenate([_keys(chunk, same) for other in others for chunk in other.chunks()])
        everything[rows[np.isin(np.concatenate(keys)[rows], there)]] = Fault.KNOWN
    if not rules.repeated:
        rows = np.flatnonzero(everything == Fault.KEPT)
        _, first = np.unique(np.concatenate(keys)[rows], return_index=True)
        again = np.ones(len(rows), np.bool_)
        again[first] = False
        everything[rows[again]] = Fault.REPEATED
    _write(pool, everything, outputs)
    counts = np.bincount(everything, minlength=len(Fault)).tolist()
    return Filtered(len(everything), dict(zip(Fault, counts, strict=True)))


def _judged(chunk: PoolChunk, rules: Rules) -> UInt8s:
    texts = [
        [decode_text(line, str(path), number) for number, line in enumerate(lines, chunk.first + 1)]
        for path, lines in zip(chunk.paths[:2], chunk.lines[:2], strict=True)
    ]
    return np.array([rules.judge(*pair) for pair in zip(*texts, strict=True)], np.uint8)


def _keys(chunk: PoolChunk, same: Same) -> UInt64s:
    sides = chunk.lines[:2] if same is Same.BOTH else chunk.lines[same : same + 1]
    # A newline between them, so that no two pairs are joined to the same bytes; how lines end is no difference of texts.
    rows = (b"\n".join([line.rstrip(b"\r\n") for line in row]) for row in zip(*sides, strict=True))
    digests = b"".join([blake2b(row, digest_size=8).digest() for row in rows])
    return np.frombuffer(digests, np.uint64)


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
