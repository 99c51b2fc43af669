"""Scores by what others made: a saved aligner, or a file of numbers."""

from collections.abc import Iterator
from contextlib import ExitStack
from dataclasses import dataclass, field
from itertools import islice
from pathlib import Path

import numpy as np

from app.arrays import Float64s
from app.building.alignment.aligner import Aligner
from app.building.line_files import read_lines
from app.errors import InputError
from app.smt.corpus.selection.pool import PoolChunk

__all__ = ["AlignmentScorer", "GivenScorer"]


@dataclass(frozen=True)
class AlignmentScorer:
    """The mean of both directions' log-probabilities of a word under a saved aligner; `agreement` as for model 1."""

    aligner: Aligner
    agreement: bool = False

    def score(self, chunk: PoolChunk) -> Float64s:
        """At most 0; higher is better."""
        scores = self.aligner.align(chunk.pairs).scores
        return np.asarray(scores.mean(1) - (np.abs(scores[:, 0] - scores[:, 1]) if self.agreement else 0.0))


@dataclass
class GivenScorer:
    """A number a line, of each pair, of which more is better; read on as chunks of the pool come in their order."""

    path: Path
    _stack: ExitStack = field(default_factory=ExitStack)
    _lines: Iterator[bytes] | None = None

    def score(self, chunk: PoolChunk) -> Float64s:
        """The numbers; InputError where a line has none, or there are not as many as pairs so far."""
        if self._lines is None:
            self._lines = read_lines(self.path, self._stack)
        rows = list(islice(self._lines, len(chunk)))
        if len(rows) < len(chunk):
            detail = f"{self.path} has {chunk.first + len(rows)} lines, and there are more pairs"
            raise InputError("unequal-lengths", detail, (str(self.path), chunk.first + len(rows) + 1))
        return np.array([self._number(row, line) for line, row in enumerate(rows, chunk.first + 1)])

    def end(self, pairs: int) -> None:
        """Close the file; InputError where it has more numbers than there are pairs."""
        more = self._lines is not None and next(self._lines, None) is not None
        self._stack.close()
        if more:
            raise InputError(
                "unequal-lengths",
                f"{self.path} has more than {pairs} lines, and there are {pairs} pairs",
                (str(self.path), pairs + 1),
            )

    def _number(self, row: bytes, line: int) -> float:
        try:
            number = float(row)
        except ValueError:
            number = np.nan
        if np.isnan(number):
            raise InputError("invalid-table", f"line {line} of {self.path} is no number", (str(self.path), line))
        return number
