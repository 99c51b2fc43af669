"""Bootstrap resampling of segments (Efron and Tibshirani 1993; Koehn 2004), with sacreBLEU's draws."""

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from app.arrays import Float32s, Float64s
from app.metrics.definition import Metric
from app.running.deadline import check_deadline
from app.running.threads.blocks import in_blocks

__all__ = ["Interval", "bootstrap_scores", "compact", "confidence_interval", "resample_weights"]

# Rows of weights per matrix product.
BLOCK = 100
# float32 represents all smaller whole numbers.
LARGEST_EXACT = float(1 << 24)


@dataclass(frozen=True)
class Interval:
    """A 95 % percentile interval of resampled corpus scores, their mean and their standard deviation."""

    low: float
    high: float
    mean: float
    deviation: float


def resample_weights(segments: int, samples: int, seed: int) -> np.ndarray:
    """Number of draws of each segment in each resample; uint16, shape (samples, segments)."""
    rng = np.random.default_rng(seed)
    weights = np.empty((samples, segments), np.uint16)
    for row in range(samples):
        if row % BLOCK == 0:
            check_deadline()
        weights[row] = np.bincount(rng.integers(0, segments, segments), minlength=segments)
    return weights


def bootstrap_scores(metric: Metric, statistics: Mapping[str, Float64s], weights: np.ndarray) -> dict[str, Float64s]:
    """Corpus scores of all resamples by system; shape (samples,) each."""
    columns = np.concatenate(list(statistics.values()), axis=1)
    # All weights of a resample add up to the number of segments.
    columns = compact(columns, len(columns) * np.abs(columns).max(initial=0.0))
    sums = np.empty((len(weights), columns.shape[1]))

    def work(first: int, last: int) -> None:
        sums[first:last] = np.matmul(weights[first:last].astype(columns.dtype), columns)

    in_blocks(work, np.arange(1, len(weights) + 1), BLOCK)
    parts = np.split(sums, len(statistics), axis=1)
    return {name: metric.score(part) for name, part in zip(statistics, parts, strict=True)}


def compact(columns: Float64s, bound: float) -> Float64s | Float32s:
    """The columns as float32 if they are whole numbers with sums below `bound`, which float32 adds without rounding."""
    is_exact = bound < LARGEST_EXACT and (np.rint(columns) == columns).all()
    return columns.astype(np.float32) if is_exact else columns


def confidence_interval(scores: Float64s) -> Interval:
    """The interval from the 2.5th to the 97.5th percentile of `scores` (samples,)."""
    low, high = np.percentile(scores, [2.5, 97.5])
    return Interval(float(low), float(high), float(scores.mean()), float(scores.std(ddof=1)) if len(scores) > 1 else 0.0)
