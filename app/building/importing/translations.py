"""Lexical tables of GIZA++ and Moses, in whichever order their columns are."""

import unicodedata
from collections.abc import Iterator
from contextlib import ExitStack
from dataclasses import dataclass
from enum import StrEnum
from math import isfinite
from pathlib import Path
from typing import Final

import numpy as np

from app.arrays import Float64s, UInt64s
from app.building.line_files import read_lines
from app.errors import InputError
from app.resources.lexical_table import LexicalTable
from app.text.hashing import hash_tokens
from app.text.reading.lines import decode_text

__all__ = ["ConditionColumn", "Translations", "Vocabulary", "read_translations", "read_vocabulary"]

# Rows that are looked at together.
BLOCK: Final = 100_000
# Largest sum of the probabilities given one word, which are thousands of numbers with few digits.
MOST_MASS: Final = 1.05
# Words that stand for no word; their rows say nothing of translations.
NO_WORD: Final = ("NULL", "")
Vocabulary = dict[str, str]


class ConditionColumn(StrEnum):
    """Column of the word that a probability is conditioned on: GIZA++ writes this word first, Moses last."""

    FIRST = "first"
    SECOND = "second"


@dataclass(frozen=True)
class Translations:
    """p(translation | condition) by rows, as hashes of words; `empty` counts the rows left out for a missing word."""

    condition: UInt64s
    translation: UInt64s
    probability: Float64s
    order: ConditionColumn
    empty: int

    def table(self) -> LexicalTable:
        """The loaded form."""
        return LexicalTable.of(self.condition, self.translation, self.probability)


def read_vocabulary(path: Path) -> Vocabulary:
    """Words by number, of a file of GIZA++'s with lines ``number word count``; InputError names a line that is none."""
    words = {"0": NO_WORD[0]}
    with ExitStack() as stack:
        for number, raw in enumerate(read_lines(path, stack), 1):
            cells = decode_text(raw, str(path), number).split()
            if len(cells) < 2 or not cells[0].isdecimal():
                detail = f"line {number} of {path} is not a number, a word and its count, as GIZA++'s .vcb files have them"
                raise InputError("invalid-table", detail, (str(path), number))
            words[cells[0]] = unicodedata.normalize("NFC", cells[1])
    return words


def read_translations(
    path: Path, condition: ConditionColumn | None = None, vocabularies: tuple[Vocabulary, Vocabulary] | None = None
) -> Translations:
    """Read lines ``word word probability``, gzip or not.

    `condition` is the column of the word that probabilities are conditioned on. Without it, sums decide: the probabilities given
    one word sum up to 1 at most. A wrong `condition` is an error. `vocabularies` belong to columns of numbers, first and second.
    InputError (`invalid-table`, `empty-input`) names file and line.
    """
    firsts, seconds, numbers = [np.zeros(0, np.uint64)], [np.zeros(0, np.uint64)], [np.zeros(0)]
    empty = 0
    for rows in _blocks(path, vocabularies):
        valid_rows = [row for row in rows if row[0] not in NO_WORD and row[1] not in NO_WORD]
        empty += len(rows) - len(valid_rows)
        firsts.append(hash_tokens([row[0] for row in valid_rows]))
        seconds.append(hash_tokens([row[1] for row in valid_rows]))
        numbers.append(np.array([row[2] for row in valid_rows]))
    first, second, probability = np.concatenate(firsts), np.concatenate(seconds), np.concatenate(numbers)
    if not len(probability):
        raise InputError("empty-input", f"{path} has no rows of two words", (str(path),))
    masses = {ConditionColumn.FIRST: _most_mass(first, probability), ConditionColumn.SECOND: _most_mass(second, probability)}
    order = condition or _order_of_masses(masses, path)
    if masses[order] > MOST_MASS:
        detail = f"{path} has no probabilities given its {order} word: those of one word sum up to {masses[order]:.2f}"
        raise InputError("invalid-table", detail, (str(path),))
    return Translations(*((first, second) if order is ConditionColumn.FIRST else (second, first)), probability, order, empty)


def _most_mass(words: UInt64s, probability: Float64s) -> float:
    return float(np.bincount(np.unique(words, return_inverse=True)[1], weights=probability).max())


def _order_of_masses(masses: dict[ConditionColumn, float], path: Path) -> ConditionColumn:
    possible = [order for order, mass in masses.items() if mass <= MOST_MASS]
    if len(possible) == 1:
        return possible[0]
    if possible:
        detail = f"{path} may have its probabilities given either word: say --given first (as GIZA++) or second (as Moses)"
        raise InputError("invalid-table", detail, ("--given",))
    detail = f"{path} is no table of probabilities of words given words: they sum up to {min(masses.values()):.2f} and more"
    raise InputError("invalid-table", detail, (str(path),))


def _blocks(path: Path, vocabularies: tuple[Vocabulary, Vocabulary] | None) -> Iterator[list[tuple[str, str, float]]]:
    with ExitStack() as stack:
        rows: list[tuple[str, str, float]] = []
        for number, raw in enumerate(read_lines(path, stack), 1):
            line = unicodedata.normalize("NFC", decode_text(raw, str(path), number))
            if line.strip():
                rows.append(_row(line, path, number, vocabularies))
            if len(rows) == BLOCK:
                yield rows
                rows = []
        yield rows


def _row(line: str, path: Path, number: int, vocabularies: tuple[Vocabulary, Vocabulary] | None) -> tuple[str, str, float]:
    cells = line.strip("\r\n ").split(" ")
    try:
        probability = float(cells[2]) if len(cells) == 3 else -1.0
    except ValueError:
        probability = -1.0
    if not (isfinite(probability) and 0 <= probability <= 1):
        raise InputError("invalid-table", f"line {number} of {path} is not two words and a probability", (str(path), number))
    if vocabularies is None:
        return cells[0], cells[1], probability
    words = [vocabulary.get(cell) for vocabulary, cell in zip(vocabularies, cells, strict=False)]
    if words[0] is None or words[1] is None:
        lacking = cells[0] if words[0] is None else cells[1]
        raise InputError("invalid-table", f"line {number} of {path} has {lacking}, which its vocabulary lacks", (str(path), number))
    return words[0], words[1], probability
