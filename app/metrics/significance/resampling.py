"""Bootstrap resampling of segments (Efron and Tibshirani 1993; Koehn 2004), with sacreBLEU's draws."""

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from app.arrays import Float64s
from app.metrics.definition import Metric
from app.running.deadline import check_deadline

__all__ = ["Interval", "bootstrap_scores", "confidence_interval", "resample_weights"]

# Rows of weights per matrix product.
BLOCK = 100


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
    sums = np.empty((len(weights), columns.shape[1]))
    for begin in range(0, len(weights), BLOCK):
        check_deadline()
        sums[begin : begin + BLOCK] = weights[begin : begin + BLOCK].astype(np.float64) @ columns
    parts = np.split(sums, len(statistics), axis=1)
    return {name: metric.score(part) for name, part in zip(statistics, parts, strict=True)}


def confidence_interval(scores: Float64s) -> Interval:
    """The interval from the 2.5th to the 97.5th percentile of `scores` (samples,)."""
    low, high = np.percentile(scores, [2.5, 97.5])
    return Interval(float(low), float(high), float(scores.mean()), float(scores.std(ddof=1)) if len(scores) > 1 else 0.0)
