"""Reading of word lattices and confusion networks in Moses' Python lattice format (PLF)."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from math import inf, log
from typing import Final

import numpy as np
from scipy.sparse import csr_matrix
from scipy.sparse.csgraph import shortest_path

from app.arrays import Int64s
from app.errors import InputError
from app.smt.decoder.coverage_kernels import OUT_OF_REACH
from app.smt.decoder.decoder import BARS, LONGEST_SENTENCE

__all__ = ["EPSILON", "Arc", "WordLattice", "parse_plf"]

# Word of an arc without a word.
EPSILON: Final = "*EPS*"
# Score of a probability of 0 in Moses.
LOWEST_SCORE: Final = -100.0
ARC_LIMIT: Final = 20_000


@dataclass(frozen=True)
class Arc:
    """A word between two nodes; its `scores` are natural logarithms of probabilities. An arc without a word has ''."""

    start: int
    end: int
    word: str
    scores: tuple[float, ...]


@dataclass(frozen=True)
class WordLattice:
    """Arcs by start node; nodes are in topological order, from 0 to `length`."""

    arcs: tuple[tuple[Arc, ...], ...]

    @property
    def length(self) -> int:
        """Number of the last node."""
        return len(self.arcs)

    @cached_property
    def wordless(self) -> tuple[tuple[Arc, ...], ...]:
        """Arcs without a word by start node."""
        return tuple(tuple(arc for arc in arcs if not arc.word) for arcs in self.arcs)

    @cached_property
    def distances(self) -> Int64s:
        """Fewest arcs between two nodes, in either direction; `OUT_OF_REACH` without a path; shape (length + 1, length + 1)."""
        size = self.length + 1
        starts = [arc.start for arcs in self.arcs for arc in arcs]
        ends = [arc.end for arcs in self.arcs for arc in arcs]
        edges = csr_matrix((np.ones(len(starts)), (starts, ends)), shape=(size, size))
        forward = shortest_path(edges, unweighted=True)
        distances = np.minimum(forward, forward.T)
        return np.where(distances == inf, OUT_OF_REACH, distances).astype(np.int64)


def parse_plf(line: str, scores: int, file: str, number: int) -> WordLattice:
    """Parse a line ``((('a',0.6,1),('b',0.4,2),),(('c',1.0,1),),)`` whose arcs have this many probabilities.

    Time is linear in the line. InputError names file, line and character.
    """
    reader = _Reader(line, file, number)
    columns = list(_columns(reader))
    if len(columns) > LONGEST_SENTENCE:
        raise InputError("segment-too-long", f"{len(columns)} nodes; a lattice has at most {LONGEST_SENTENCE}", (file, number))
    arcs = []
    for start, column in enumerate(columns):
        row = []
        for place, word, numbers in column:
            *probabilities, step = numbers
            if len(probabilities) != scores:
                raise reader.error(place, f"an arc has {len(probabilities)} probabilities, but InputFeature has {scores}")
            end = start + int(step)
            if not step.is_integer() or not start < end <= len(columns):
                raise reader.error(place, "an arc ends with the number of nodes that it moves on, up to the last node")
            row.append(Arc(start, end, "" if word == EPSILON else word, tuple(map(_logarithm, probabilities))))
        arcs.append(tuple(row))
    lattice = WordLattice(tuple(arcs))
    if arcs and lattice.distances[0, len(arcs)] == OUT_OF_REACH:
        raise InputError("invalid-request", f"line {number} of {file}: no path reaches the last node", (file, number))
    return lattice


def _logarithm(probability: float) -> float:
    return max(log(probability), LOWEST_SCORE) if probability > 0 else LOWEST_SCORE


class _Reader:
    """A line and the place of its next sign."""

    def __init__(self, line: str, file: str, number: int) -> None:
        self.line, self.file, self.number, self.at = line, file, number, 0

    def error(self, place: int, detail: str) -> InputError:
        return InputError(
            "invalid-request", f"line {self.number} of {self.file}, character {place + 1}: {detail}", (self.file, self.number)
        )

    def next_sign(self) -> str:
        """The next sign that is no blank, '' at the end; it stays unread."""
        while self.at < len(self.line) and self.line[self.at].isspace():
            self.at += 1
        return self.line[self.at] if self.at < len(self.line) else ""

    def take(self, signs: str) -> str:
        """Read one of these signs; InputError for another."""
        sign = self.next_sign()
        if not sign or sign not in signs:
            raise self.error(self.at, f"expected: {' or '.join(signs)}")
        self.at += 1
        return sign

    def word(self) -> str:
        """Read a word between quotes; a backslash precedes a quote or a backslash in it."""
        quote, letters = self.take("'\""), []
        while self.at < len(self.line) and self.line[self.at] != quote:
            self.at += self.line[self.at] == "\\"
            letters.append(self.line[self.at : self.at + 1])
            self.at += 1
        if self.at >= len(self.line):
            raise self.error(self.at, "a word lacks its second quote")
        self.at += 1
        text = "".join(letters)
        if any(map(str.isspace, text)) or BARS in text:
            raise self.error(self.at, f"a word has no blank and no {BARS}")
        return text

    def value(self) -> float:
        """Read a number."""
        self.next_sign()
        begin = self.at
        while self.at < len(self.line) and self.line[self.at] not in "(),":
            self.at += 1
        text = self.line[begin : self.at]
        try:
            number = inf if "_" in text else float(text)
        except ValueError:
            number = inf
        if not 0 <= number < inf:
            raise self.error(begin, "expected: a number from 0")
        return number


def _columns(reader: _Reader) -> Iterator[Sequence[tuple[int, str, list[float]]]]:
    """Yield the arcs of each node: place in the line, word, and numbers."""
    if not reader.next_sign():
        return
    reader.take("(")
    arc_count = 0
    while reader.next_sign() != ")":
        reader.take("(")
        column = []
        while reader.next_sign() != ")":
            place = reader.at
            reader.take("(")
            word, numbers = reader.word(), []
            while reader.next_sign() != ")":
                reader.take(",")
                if reader.next_sign() != ")":
                    numbers.append(reader.value())
            reader.take(")")
            if not numbers:
                raise reader.error(place, "an arc needs the number of nodes that it moves on")
            column.append((place, word, numbers))
            _take_comma(reader)
        reader.take(")")
        arc_count += len(column)
        if arc_count > ARC_LIMIT:
            raise reader.error(reader.at, f"a lattice has at most {ARC_LIMIT:,} arcs")
        _take_comma(reader)
        yield column
    reader.take(")")
    if reader.next_sign():
        raise reader.error(reader.at, "the lattice has ended")


def _take_comma(reader: _Reader) -> None:
    if reader.next_sign() != ")":
        reader.take(",")
