"""The mean of a metric's segment scores as its corpus score."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from app.arrays import Bools, Float64s, Int64s
from app.metrics.definition import Metric, PreparedMetric, Segments

__all__ = ["SegmentMean"]


@dataclass(frozen=True)
class SegmentMean(Metric):
    """Statistics: the segment score of `metric`, and 1; the corpus score is their mean (Song's thesis, section 5.3)."""

    metric: Metric

    @property
    def name(self) -> str:  # type: ignore[override]
        """Name of the metric."""
        return self.metric.name

    def prepare(self, references: Sequence[Segments]) -> "PreparedSegmentMean":
        """Prepare the references for the metric."""
        return PreparedSegmentMean(self.metric, references)

    def options(self) -> str:
        """Options of the metric, and the mean."""
        return f"{self.metric.options()}|corpus:mean"

    def score(self, sums: Float64s) -> Float64s:
        """Mean of the segment scores; 0 without segments."""
        with np.errstate(divide="ignore", invalid="ignore"):
            return np.asarray(np.where(sums[:, 1] > 0, sums[:, 0] / sums[:, 1], 0.0))

    def plausible_rows(self, statistics: Float64s, references: int) -> Bools:
        """Mask of rows with a score between 0 and 100, and a count of 1."""
        score, count = statistics.T
        return np.asarray((count == 1) & (score >= 0) & (score <= 100 * (1 + 1e-9)))


class PreparedSegmentMean(PreparedMetric):
    """Prepared references of a metric whose segment scores are averaged."""

    def __init__(self, metric: Metric, references: Sequence[Segments]) -> None:
        self._metric = metric
        self._references = metric.prepare(references)

    def statistics(self, hypotheses: Segments, reference_of: Int64s | None = None) -> Float64s:
        """Rows of segment score and 1; shape (h, 2)."""
        scores = self._metric.segment_scores(self._references.statistics(hypotheses, reference_of))
        return np.column_stack([scores, np.ones(len(scores))])
