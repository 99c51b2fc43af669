"""Word error rate and position-independent word error rate (Song's thesis, equations 2.24 and 2.25)."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Final, TypeAlias

import numpy as np

from app.arrays import Bools, Float64s, Int64s
from app.metrics.counting import Symbols
from app.metrics.definition import Metric, PreparedMetric, Segments, reference_rows
from app.metrics.lexical.levenshtein_kernel import count_word_errors
from app.metrics.lexical.matching import clipped_matches
from app.metrics.numbering import Numbering
from app.metrics.plausible import are_counts, are_means
from app.metrics.tokenisers import METRIC_TOKENISERS
from app.metrics.tokens.texts import symbols_of
from app.running.threads.blocks import in_blocks

__all__ = ["ErrorRate", "Per", "Wer", "rows_of_pairs"]

Words: TypeAlias = tuple[Int64s, Int64s]
CountErrors: TypeAlias = Callable[[Int64s, Int64s, Int64s, Int64s, Int64s], Int64s]
# Cells of matrices that one processor fills at once.
BLOCK: Final = 1 << 20


class ErrorRate(Metric):
    """Base of metrics with the statistics errors and mean reference length."""

    unit = "edits per 100 reference words"
    higher_is_better = False
    range = (0.0, None)

    def score(self, sums: Float64s) -> Float64s:
        """Errors per reference word × 100; 100 for errors without reference words."""
        errors, length = sums[:, 0], sums[:, 1]
        with np.errstate(divide="ignore", invalid="ignore"):
            rate = np.where(length > 0, errors / length, np.where(errors > 0, 1.0, 0.0))
        return np.asarray(100.0 * rate)

    def plausible_rows(self, statistics: Float64s, references: int) -> Bools:
        """Mask of rows of a number of errors and a mean length."""
        return np.asarray(are_counts(statistics[:, :1]) & are_means(statistics[:, 1], references))

    def reference_columns(self, width: int) -> Sequence[int]:
        """The column of the reference's length."""
        return (1,)


def rows_of_pairs(count: CountErrors, hypothesis: Words, reference: Words, reference_of: Int64s) -> Int64s:
    """Errors (h,) of each hypothesis against its reference by a kernel, on all processors."""
    words, offsets = hypothesis
    cells = (np.diff(offsets) + 1) * (np.diff(reference[1]) + 1)[reference_of]

    def work(first: int, last: int) -> Int64s:
        return count(words, offsets[first : last + 1], *reference, reference_of[first:last])

    return np.concatenate(in_blocks(work, np.cumsum(cells), BLOCK))


@dataclass(frozen=True)
class Wer(ErrorRate):
    """Statistics: insertions, deletions and substitutions to the closest reference; mean reference length."""

    lowercase: bool = False
    tokenise: str = "13a"
    name: str = "wer"

    def prepare(self, references: Sequence[Segments]) -> "PreparedErrors":
        """Number the references once."""
        return PreparedErrors(self, references)

    def options(self) -> str:
        """Case and tokeniser."""
        return f"case:{'lc' if self.lowercase else 'mixed'}|tok:{self.tokenise}"

    def errors(self, hypothesis: Words, reference: Words, reference_of: Int64s) -> Int64s:
        """Errors of every hypothesis against its segment of one reference; shape (h,)."""
        return rows_of_pairs(count_word_errors, hypothesis, reference, reference_of)


@dataclass(frozen=True)
class Per(Wer):
    """WER of bags of words: unmatched reference words, and one error for every surplus word."""

    name: str = "per"

    def errors(self, hypothesis: Words, reference: Words, reference_of: Int64s) -> Int64s:
        """``N - (C - max(0, T - N))`` with C matches, T and N the two lengths."""
        matches = clipped_matches(*hypothesis, *reference, reference_of, 1)[:, 0]
        length, words = np.diff(hypothesis[1]), np.diff(reference[1])[reference_of]
        return np.asarray(words - matches + np.maximum(0, length - words))

    def counting(self) -> "PerCounting":
        """Conversion of counts of words."""
        return PerCounting(Numbering(METRIC_TOKENISERS[self.tokenise], self.lowercase))


@dataclass(frozen=True)
class PerCounting:
    """PER's statistics from counts of words."""

    numbering: Numbering

    def symbols(self, segments: Segments) -> Sequence[Symbols]:
        """One block of words."""
        return [Symbols(*self.numbering.number(segments), 1)]

    def statistics(self, hypothesis_words: Float64s, reference_words: Float64s, matches: Float64s) -> Float64s:
        """Rows of errors and reference length; shape (h, 2)."""
        return np.concatenate(
            [reference_words - matches + np.maximum(0.0, hypothesis_words - reference_words), reference_words], axis=1
        )


class PreparedErrors(PreparedMetric):
    """Words of the references of one error rate."""

    joins_systems = True

    def __init__(self, metric: Wer, references: Sequence[Segments]) -> None:
        self._metric = metric
        self._words = partial(symbols_of, METRIC_TOKENISERS[metric.tokenise], metric.lowercase)
        self._references = [self._words(segments) for segments in references]

    def statistics(self, hypotheses: Segments, reference_of: Int64s | None = None) -> Float64s:
        """Rows of errors and reference length; shape (h, 2)."""
        words = self._words(hypotheses)
        length = np.mean([np.diff(offsets) for _, offsets in self._references], axis=0)
        rows = reference_rows(len(hypotheses), len(length), reference_of)
        errors = np.min([self._metric.errors(words, reference, rows) for reference in self._references], axis=0)
        return np.column_stack([errors, length[rows]]).astype(np.float64)
