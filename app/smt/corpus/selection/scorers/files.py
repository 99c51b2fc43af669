"""Scores from files: a saved aligner, or numbers."""

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
from app.smt.corpus.lines import line_error
from app.smt.corpus.selection.pool import PoolChunk

__all__ = ["AlignmentScorer", "FileScorer"]


@dataclass(frozen=True)
class AlignmentScorer:
    """Mean log-probability of a word under a saved aligner, over both directions; `agreement` as in `Model1Scorer`."""

    aligner: Aligner
    agreement: bool = False

    def score(self, chunk: PoolChunk) -> Float64s:
        """Scores up to 0, higher is better; shape (pairs,)."""
        scores = self.aligner.align(chunk.pairs).scores
        return np.asarray(scores.mean(1) - (np.abs(scores[:, 0] - scores[:, 1]) if self.agreement else 0.0))


@dataclass
class FileScorer:
    """Scores from a file, one number a line, higher is better. It needs the chunks of the pool in order."""

    path: Path
    _stack: ExitStack = field(default_factory=ExitStack)
    _lines: Iterator[bytes] | None = None

    def score(self, chunk: PoolChunk) -> Float64s:
        """Scores of the next pairs, read from the file; shape (pairs,). InputError for a malformed line or a short file."""
        if self._lines is None:
            self._lines = read_lines(self.path, self._stack)
        rows = list(islice(self._lines, len(chunk)))
        if len(rows) < len(chunk):
            detail = f"{self.path} has {chunk.first + len(rows)} lines, but the pool has more pairs"
            raise InputError("unequal-lengths", detail, (str(self.path), chunk.first + len(rows) + 1))
        return np.array([self._number(row, line) for line, row in enumerate(rows, chunk.first + 1)])

    def end(self, pairs: int) -> None:
        """Close the file; InputError if it has more lines than `pairs`."""
        surplus = self._lines is not None and next(self._lines, None) is not None
        self._stack.close()
        if surplus:
            detail = f"{self.path} has more than {pairs} lines, but the pool has {pairs} pairs"
            raise InputError("unequal-lengths", detail, (str(self.path), pairs + 1))

    def _number(self, row: bytes, line: int) -> float:
        try:
            number = float(row)
        except ValueError:
            number = np.nan
        if np.isnan(number):
            raise line_error(self.path, line, "is no number")
        return number
