"""Corpus scores of what was chosen, with the interval that resampled segments give."""

from typing import Final

from app.arrays import Float64s
from app.metrics import Metric
from app.metrics.significance.resampling import Interval, bootstrap_scores, confidence_interval, resample_weights

__all__ = ["DRAWS", "SEED", "chosen_scores"]

DRAWS: Final = 1000
SEED: Final = 12345


def chosen_scores(metric: Metric, statistics: Float64s) -> tuple[float, Interval]:
    """Of one hypothesis a segment, by its statistics (n, s): the corpus score, and its 95 % interval."""
    draws = resample_weights(len(statistics), DRAWS, SEED)
    resampled = bootstrap_scores(metric, {"": statistics}, draws)[""]
    return float(metric.score(statistics.sum(0)[None])[0]), confidence_interval(resampled)
