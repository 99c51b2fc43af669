"""Combination of phrase tables or reordering tables: interpolation, fill-up and back-off (Bisazza et al. 2011, Sennrich 2012)."""

import math
from collections.abc import Iterator, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from typing import Final, Literal

from app.building.gzip_files import open_packed
from app.building.line_files import read_lines
from app.building.writing import file_aside
from app.errors import InputError
from app.smt.corpus.lines import line_error
from app.smt.corpus.phrases.scoring.additions.scores import ON

__all__ = ["METHODS", "Combination", "Method", "combine_tables"]

Method = Literal["interpolate", "fill-up", "back-off"]
METHODS: Final[tuple[Method, ...]] = ("interpolate", "fill-up", "back-off")
BARS: Final = b" ||| "


@dataclass(frozen=True)
class Combination:
    """Options: the method, `weights` of tables for each score (one row for all scores), and details.

    - `missing`: the score of a pair that a table lacks, in interpolation
    - `constant`: place of a constant score (from 0) that interpolation copies
    - `longest_new`: most words of a source that the first table lacks, in fill-up and back-off
    """

    method: Method
    weights: Sequence[Sequence[float]] = ()
    missing: float = 1e-6
    constant: int | None = None
    longest_new: int | None = None


@dataclass(frozen=True)
class _Line:
    """A line of a table: the key that sorts it, source, target, scores as text, and the rest of the line."""

    key: bytes
    source: bytes
    scores: tuple[bytes, ...]
    rest: bytes


class _Table:
    """A table read line by line; `line` is the current one, None at the end."""

    def __init__(self, path: Path, stack: ExitStack) -> None:
        self.path, self.number, self.width = path, 0, 0
        self._lines = read_lines(path, stack)
        self.line: _Line | None = None
        self.advance()

    def advance(self) -> None:
        """Read the next line. InputError names a malformed line, or one that is not behind the line before."""
        raw = next(self._lines, None)
        if raw is None:
            self.line = None
            return
        self.number += 1
        cells = raw.rstrip(b"\n").split(BARS, 3)
        if len(cells) < 3 or not cells[0].strip() or not cells[1].strip():
            raise line_error(self.path, self.number, "is not a source, a target and scores with ||| between them")
        key = cells[0] + BARS + cells[1] + BARS
        if self.line is not None and key <= self.line.key:
            raise line_error(self.path, self.number, "is not sorted, or repeats a pair; sort the table by LC_ALL=C sort")
        scores, mark, tail = cells[2].partition(b" |||")
        words = tuple(scores.split())
        self.width = self.width or len(words)
        if len(words) != self.width or not words:
            raise line_error(self.path, self.number, f"has {len(words)} scores, but line 1 has {self.width}")
        self.line = _Line(key, cells[0], words, mark + tail + (BARS + cells[3] if len(cells) > 3 else b""))

    def numbers(self) -> list[float]:
        """Scores of the current line. InputError for a score that is no finite number."""
        assert self.line is not None
        try:
            values = [float(word) for word in self.line.scores]
        except ValueError:
            values = [math.nan]
        if not all(map(math.isfinite, values)):
            raise line_error(self.path, self.number, "has a score that is no number")
        return values


def combine_tables(paths: Sequence[Path], out: Path, options: Combination) -> tuple[int, int]:
    """Write the pairs of all tables, sorted as they are; return numbers of pairs and of scores of a line.

    Other columns than scores come from the first table with the pair. Fill-up and back-off take its scores too; fill-up adds a
    score for each further table, 2.718 for pairs that it supplies and 1 otherwise. Interpolation adds up weighted scores; weights
    are divided by their sums. Lines are read once and memory is constant. InputError names file and line.
    """
    with ExitStack() as stack:
        tables = [_Table(path, stack) for path in paths]
        widths = {table.width for table in tables if table.width}
        if len(widths) != 1:
            raise InputError(
                "unequal-lengths", f"tables need equal numbers of scores, not {sorted(widths)}", tuple(map(str, paths))
            )
        (width,) = widths
        weights = _shares(options, len(tables), width)
        file = open_packed(stack.enter_context(file_aside(out)), out, stack)
        pairs = 0
        source: bytes | None = None
        has_first = False
        for holders in _pairs(tables):
            line = holders[0][1].line
            assert line is not None
            if line.source != source:
                source, has_first = line.source, False
            # A table is sorted, so that its pairs of a source are neighbours; its first line of this source may still be ahead.
            has_first = has_first or _is_next(tables[0], line.source)
            text = _combined(holders, options, weights, len(tables), width)
            is_too_long = options.longest_new is not None and not has_first and len(line.source.split()) > options.longest_new
            if not is_too_long:
                file.write(line.key + b" ".join(text) + line.rest + b"\n")
                pairs += 1
            for _, table in holders:
                table.advance()
    if not pairs:
        raise InputError("empty-input", "the tables have no pairs", tuple(map(str, paths)))
    return pairs, width + (len(paths) - 1 if options.method == "fill-up" else 0)


def _pairs(tables: Sequence[_Table]) -> Iterator[list[tuple[int, _Table]]]:
    """Yield the tables with the next pair, and their numbers, pair by pair."""
    while keys := [table.line.key for table in tables if table.line is not None]:
        first = min(keys)
        yield [(number, table) for number, table in enumerate(tables) if table.line is not None and table.line.key == first]


def _is_next(table: _Table, source: bytes) -> bool:
    """Return True if the current line of a table has this source."""
    return table.line is not None and table.line.source == source


def _combined(
    holders: Sequence[tuple[int, _Table]], options: Combination, weights: Sequence[Sequence[float]], tables: int, width: int
) -> list[bytes]:
    """Scores of a pair, as they are written."""
    first_number, first = holders[0]
    assert first.line is not None
    scores = list(first.line.scores)
    if options.method != "interpolate":
        first.numbers()
    if options.method == "back-off":
        return scores
    if options.method == "fill-up":
        return scores + [f"{ON:g}".encode() if number == first_number else b"1" for number in range(1, tables)]
    numbers = {number: table.numbers() for number, table in holders}
    lacking = [options.missing] * width
    for place in range(width):
        if place != options.constant:
            total = math.fsum(weights[place][number] * numbers.get(number, lacking)[place] for number in range(tables))
            scores[place] = f"{total:.6g}".encode()
    return scores


def _shares(options: Combination, tables: int, width: int) -> list[list[float]]:
    """Weights of tables for each score, divided by their sums; equal ones without any. InputError unless they fit the tables."""
    rows = list(options.weights) or [[1.0] * tables]
    rows = rows * width if len(rows) == 1 else rows
    if options.constant is not None and options.constant >= width:
        raise InputError("invalid-request", f"the tables have {width} scores; name the place of one of them", ("--constant",))
    fits = len(rows) == width and all(len(row) == tables for row in rows)
    if not fits or not all(min(row) >= 0 and 0 < sum(row) < math.inf for row in rows):
        detail = f"weights are {tables} numbers from 0 with commas between them, or {width} such rows with semicolons between them"
        raise InputError("invalid-request", detail, ("--weights",))
    return [[weight / math.fsum(row) for weight in row] for row in rows]
