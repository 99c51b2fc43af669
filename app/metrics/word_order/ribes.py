"""RIBES: rank correlation of the words that match by their context (Isozaki et al. 2010), as RIBES.py 1.03.1 computes it."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np

from app.arrays import Bools, Float64s, Int64s
from app.metrics.definition import Metric, PreparedMetric, Segments, reference_rows
from app.metrics.numbering import Numbering
from app.metrics.plausible import are_sizes
from app.metrics.tokenisers import METRIC_TOKENISERS
from app.metrics.word_order.order_metric import check_lengths
from app.metrics.word_order.rank_kernels import context_matches
from app.text.reading.options import shortest

__all__ = ["Ribes"]

# The largest score, with room for rounding.
LARGEST_SCORE: Final = 1 + 1e-9


@dataclass(frozen=True)
class Ribes(Metric):
    """Statistics: score, and 1 for a segment with a reference; of several references, the best.

    ``NKT · P^alpha · BP^beta`` of the share of ascending pairs of matched words, their share of the hypothesis, and the brevity
    penalty ``min(1, exp(1 - r / c))``. The corpus score is the mean of the segments. Segments with an empty reference do not count.
    """

    alpha: float = 0.25
    beta: float = 0.1
    lowercase: bool = True
    tokenise: str = "13a"
    name: str = "ribes"

    def prepare(self, references: Sequence[Segments]) -> "PreparedRibes":
        """Number the references once."""
        return PreparedRibes(self, references)

    def options(self) -> str:
        """Case, tokeniser, exponents of precision and penalty."""
        case, exponents = "lc" if self.lowercase else "mixed", f"alpha:{shortest(self.alpha)}|beta:{shortest(self.beta)}"
        return f"case:{case}|tok:{self.tokenise}|{exponents}"

    def score(self, sums: Float64s) -> Float64s:
        """Mean of the segment scores; 0 without a segment that has a reference."""
        with np.errstate(divide="ignore", invalid="ignore"):
            return np.asarray(np.where(sums[:, 1] > 0, 100.0 * sums[:, 0] / sums[:, 1], 0.0))

    def plausible_rows(self, statistics: Float64s, references: int) -> Bools:
        """Mask of rows with a score of at most 1 and a count of 0 or 1."""
        score, count = statistics.T
        return np.asarray(are_sizes(statistics) & ((count == 0) | (count == 1)) & (score <= count * LARGEST_SCORE))


class PreparedRibes(PreparedMetric):
    """A RIBES metric with its references as word numbers."""

    def __init__(self, metric: Ribes, references: Sequence[Segments]) -> None:
        self._metric = metric
        self._numbering = Numbering(METRIC_TOKENISERS[metric.tokenise], metric.lowercase)
        self._references = [self._numbered(segments, "references") for segments in references]

    def statistics(self, hypotheses: Segments, reference_of: Int64s | None = None) -> Float64s:
        """Rows of score and count; shape (h, 2)."""
        words, offsets = self._numbered(hypotheses, "systems")
        segments = reference_rows(len(hypotheses), len(self._references[0][1]) - 1, reference_of)
        scores = np.max([self._scores(words, offsets, *reference, segments) for reference in self._references], axis=0)
        counts = np.any([np.diff(reference_offsets)[segments] > 0 for _, reference_offsets in self._references], axis=0)
        return np.column_stack([scores, counts]).astype(np.float64)

    def _numbered(self, segments: Segments, place: str) -> tuple[Int64s, Int64s]:
        words, offsets = self._numbering.number(segments)
        check_lengths(offsets, place)
        return words, offsets

    def _scores(
        self, words: Int64s, offsets: Int64s, reference: Int64s, reference_offsets: Int64s, reference_of: Int64s
    ) -> Float64s:
        """Scores in [0, 1] against one reference; shape (h,)."""
        matches, ascending = context_matches(words, offsets, reference, reference_offsets, reference_of).T
        length, reference_length = np.diff(offsets), np.diff(reference_offsets)[reference_of]
        with np.errstate(divide="ignore", invalid="ignore"):
            correlation = np.where(matches > 1, ascending / (matches * (matches - 1) / 2), 0.0)
            # One word has no order. It counts only as the whole reference.
            correlation = np.where((matches == 1) & (reference_length == 1), 1.0, correlation)
            precision, penalty = matches / length, np.minimum(1.0, np.exp(1.0 - reference_length / length))
            scores = correlation * precision**self._metric.alpha * penalty**self._metric.beta
        return np.asarray(np.where((matches > 0) & (reference_length > 0), scores, 0.0))
