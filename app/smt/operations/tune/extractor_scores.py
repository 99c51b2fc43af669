"""Statistics of scores by Moses' ``extractor``, as statistics of a metric."""

from typing import Final

import numpy as np

from app.arrays import Float64s
from app.errors import InputError
from app.metrics import Metric
from app.metrics.lexical.bleu import ORDER, Bleu
from app.text.reading.extractor_files import ScoreStatistics

__all__ = ["BLEU", "bleu_statistics", "check_metric", "extractor_scores"]

BLEU: Final = "BLEU"
# Matches and total of each order in turns, then the length of the reference.
WIDTH: Final = 2 * ORDER + 1


def check_metric(metric: Metric) -> None:
    """Raise InputError for a metric that statistics of BLEU cannot score."""
    if not isinstance(metric, Bleu):
        raise InputError("invalid-tuning", "statistics of Moses' extractor are of BLEU; tune towards bleu", ("metric",))


def bleu_statistics(statistics: ScoreStatistics) -> Float64s:
    """Statistics of `Bleu` (h, 10); InputError for another score, and for counts that no hypothesis has."""
    if statistics.score != BLEU or statistics.rows.shape[1] != WIDTH:
        score, width = statistics.score or "without a name", statistics.rows.shape[1]
        detail = f"the statistics are of the score {score} with {width} numbers; Assay reads those of BLEU, with {WIDTH}"
        raise InputError("invalid-tuning", detail, ("scores",))
    rows = statistics.rows
    columns = np.column_stack([rows[:, 1], rows[:, -1], rows[:, 0 : 2 * ORDER : 2], rows[:, 1 : 2 * ORDER : 2]])
    # Matches may come from any of several references.
    wrong = np.flatnonzero(~Bleu().plausible_rows(columns, references=2))
    if len(wrong):
        segment = int(statistics.segments[wrong[0]])
        detail = f"a hypothesis of segment {segment} has counts that no text has; matches are at most totals"
        raise InputError("invalid-tuning", detail, ("scores", segment))
    return columns


def extractor_scores(statistics: Float64s, segments: np.ndarray) -> ScoreStatistics:
    """Statistics of `Bleu` (h, 10) in the order of Moses' extractor."""
    pairs = np.stack([statistics[:, 2 : 2 + ORDER], statistics[:, 2 + ORDER :]], axis=2).reshape(-1, 2 * ORDER)
    return ScoreStatistics(BLEU, segments, np.column_stack([pairs, statistics[:, 1]]))
