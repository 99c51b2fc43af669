"""Corpus scores of chosen hypotheses, with intervals by resampled segments."""

from dataclasses import dataclass
from typing import Final

from app.arrays import Float64s
from app.metrics import Metric
from app.metrics.significance.paired_tests import paired_bootstrap
from app.metrics.significance.resampling import Interval, bootstrap_scores, confidence_interval, resample_weights

__all__ = ["DRAWS", "SEED", "Comparison", "chosen_scores", "compare_choices"]

DRAWS: Final = 1000
SEED: Final = 12345


def chosen_scores(metric: Metric, statistics: Float64s) -> tuple[float, Interval]:
    """Return the corpus score and its 95 % interval, from statistics (n, s) of one hypothesis per segment."""
    draws = resample_weights(len(statistics), DRAWS, SEED)
    resamples = bootstrap_scores(metric, {"": statistics}, draws)[""]
    return float(metric.score(statistics.sum(0)[None])[0]), confidence_interval(resamples)


@dataclass(frozen=True)
class Comparison:
    """Two choices from the same lists: their corpus scores, and the gain of the second over the first (negative if worse).

    All intervals use the same resampled segments; the p-value is that of their paired bootstrap.
    """

    first: float
    first_interval: Interval
    chosen: float
    chosen_interval: Interval
    gain: float
    gain_interval: Interval
    p_value: float


def compare_choices(metric: Metric, first: Float64s, second: Float64s) -> Comparison:
    """Compare two choices of one hypothesis per segment, by their statistics (n, s)."""
    draws = resample_weights(len(first), DRAWS, SEED)
    resamples = bootstrap_scores(metric, {"first": first, "chosen": second}, draws)
    before, after = (float(metric.score(rows.sum(0)[None])[0]) for rows in (first, second))
    sign = 1.0 if metric.higher_is_better else -1.0
    gains = sign * (resamples["chosen"] - resamples["first"])
    gain = sign * (after - before)
    return Comparison(
        before,
        confidence_interval(resamples["first"]),
        after,
        confidence_interval(resamples["chosen"]),
        gain,
        confidence_interval(gains),
        paired_bootstrap(gain, gains, len(first)),
    )
