"""Change of predicted quality: strings before and behind their change, by a paired bootstrap."""

from collections.abc import Sequence
from typing import Annotated, Final, Literal

import numpy as np
from pydantic import Field
from typing_extensions import TypedDict

from app.metrics.significance.paired_tests import paired_bootstrap
from app.metrics.significance.resampling import confidence_interval
from app.running.deadline import check_deadline

__all__ = ["QualityChange", "quality_change"]

RESAMPLES: Final = 1000
SEED: Final = 12345
LEVEL: Final = 0.05
BLOCK: Final = 100
# Resamples of fewer strings say little.
STRING_MINIMUM: Final = 10


class QualityChange(TypedDict):
    """Mean confidence of changed strings before and after, over those with an earlier text; the p-value is two-sided."""

    strings: int
    before: float
    after: float
    interval: Annotated[tuple[float, float], Field(description="Bounds of after minus before, 95 %, by resampled strings")]
    p_value: float
    outcome: Annotated[Literal["better", "worse", "none"], Field(description="none: p ≥ 0.05, or 0 within the interval")]


def quality_change(confidences: Sequence[tuple[float, float]]) -> QualityChange | None:
    """The change of pairs (before, after) of confidence; None for few pairs. O(RESAMPLES · strings)."""
    if len(confidences) < STRING_MINIMUM:
        return None
    table = np.array(confidences)
    gains, count = table[:, 1] - table[:, 0], len(table)
    rng = np.random.default_rng(SEED)
    means = np.empty(RESAMPLES)
    for k in range(RESAMPLES):
        if k % BLOCK == 0:
            check_deadline()
        means[k] = gains[rng.integers(0, count, count)].mean()
    difference, interval = float(gains.mean()), confidence_interval(means)
    p_value = paired_bootstrap(difference, means, count)
    # The bootstrap of few strings may say p < 0.05 with 0 inside the interval.
    is_significant = p_value < LEVEL and not interval.low <= 0.0 <= interval.high
    return {
        "strings": count,
        "before": round(float(table[:, 0].mean()), 4),
        "after": round(float(table[:, 1].mean()), 4),
        "interval": (round(interval.low, 4), round(interval.high, 4)),
        "p_value": round(p_value, 4),
        "outcome": ("better" if difference > 0 else "worse") if is_significant else "none",
    }
