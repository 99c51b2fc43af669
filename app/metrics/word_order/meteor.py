"""METEOR as of 2005 (Banerjee and Lavie): words matched one to one, recall first, and a penalty for matches in many pieces.

Equal words are matched, then equal stems; there are no synonyms. Long runs of neighbours are matched first, so a segment may have
more pieces than the minimum.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np

from app.arrays import Bools, Float64s, Int64s
from app.metrics.definition import Metric, PreparedMetric, Segments, reference_rows
from app.metrics.numbering import Numbering
from app.metrics.plausible import are_counts
from app.metrics.tokenisers import METRIC_TOKENISERS
from app.metrics.word_order.matching import match_words
from app.metrics.word_order.order_metric import OrderedWords, StemTable
from app.text.reading.options import shortest

__all__ = ["Meteor"]

# Recall weighs nine times as much as precision in their harmonic mean.
RECALL_WEIGHT: Final = 9.0
LARGEST_PENALTY: Final = 0.5


@dataclass(frozen=True)
class Meteor(Metric):
    """Statistics: matches, pieces, hypothesis length, reference length; of several references, those of the best.

    ``(1 - 0.5 (pieces / matches)^power) · 10PR / (R + 9P)`` with a power of 3, or 1 as Song's thesis prints it (equation 2.31).
    """

    stem: str | None = None
    power: float = 3.0
    lowercase: bool = True
    tokenise: str = "13a"
    name: str = "meteor"

    def prepare(self, references: Sequence[Segments]) -> "PreparedMeteor":
        """Number and stem the references once."""
        return PreparedMeteor(self, references)

    def options(self) -> str:
        """Case, tokeniser, stemmer, power."""
        return (
            f"case:{'lc' if self.lowercase else 'mixed'}|tok:{self.tokenise}|stem:{self.stem or 'no'}|power:{shortest(self.power)}"
        )

    def score(self, sums: Float64s) -> Float64s:
        """METEOR of each row of counts; (m, 4) to (m,)."""
        matches, pieces, length, reference = sums.T
        with np.errstate(divide="ignore", invalid="ignore"):
            precision, recall = matches / length, matches / reference
            mean = (1 + RECALL_WEIGHT) * precision * recall / (recall + RECALL_WEIGHT * precision)
            scores = 100.0 * mean * (1.0 - LARGEST_PENALTY * (pieces / matches) ** self.power)
        return np.asarray(np.where(matches > 0, scores, 0.0))

    def plausible_rows(self, statistics: Float64s, references: int) -> Bools:
        """Mask of rows of counts with no more matches than words, nor pieces than matches."""
        matches, pieces, length, reference = statistics.T
        fits = (matches <= np.minimum(length, reference)) & (pieces <= matches) & ((pieces > 0) == (matches > 0))
        return np.asarray(are_counts(statistics) & fits)

    def reference_columns(self, width: int) -> Sequence[int]:
        """The column of the reference's length."""
        return (3,)


class PreparedMeteor(PreparedMetric):
    """A METEOR metric with its references as word numbers."""

    def __init__(self, metric: Meteor, references: Sequence[Segments]) -> None:
        self._metric = metric
        self._numbering = Numbering(METRIC_TOKENISERS[metric.tokenise], metric.lowercase)
        self._stems = StemTable(metric.stem)
        self._references = [OrderedWords.number(self._numbering, segments, self._stems, "references") for segments in references]

    def statistics(self, hypotheses: Segments, reference_of: Int64s | None = None) -> Float64s:
        """Rows of 4 counts; shape (h, 4)."""
        words = OrderedWords.number(self._numbering, hypotheses, self._stems, "systems")
        segments = reference_rows(len(hypotheses), len(self._references[0].offsets) - 1, reference_of)
        rows = np.stack([_counts(words, reference, segments) for reference in self._references])
        best = np.argmax([self._metric.score(row) for row in rows], axis=0)
        return np.asarray(rows[best, np.arange(len(segments))])


def _counts(hypothesis: OrderedWords, reference: OrderedWords, reference_of: Int64s) -> Float64s:
    """Matches, pieces and both lengths against one reference; shape (h, 4)."""
    links = match_words(
        hypothesis.words, hypothesis.offsets, reference.words, reference.offsets, reference_of, hypothesis.stems, reference.stems
    )
    linked = links >= 0
    # A piece begins at a linked word whose match does not follow that of the word before it.
    begins = linked.copy()
    begins[1:] &= ~linked[:-1] | (links[1:] != links[:-1] + 1)
    first_words = hypothesis.offsets[:-1][np.diff(hypothesis.offsets) > 0]
    begins[first_words] = linked[first_words]
    lengths = np.diff(hypothesis.offsets)
    segment_of = np.repeat(np.arange(len(lengths)), lengths)
    counts = [np.bincount(segment_of, weights=flags, minlength=len(lengths)) for flags in (linked, begins)]
    return np.column_stack([*counts, lengths, np.diff(reference.offsets)[reference_of]]).astype(np.float64)
