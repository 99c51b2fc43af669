"""Bootstrap resampling of segments (Efron and Tibshirani 1993; Koehn 2004)."""

from dataclasses import dataclass

import numpy as np

from app.metrics.definition import Metric
from app.text.arrays import Float64s

__all__ = ["Interval", "PairedTest", "bootstrap_scores", "confidence_interval", "paired_bootstrap", "resample_weights"]

# Rows of weights multiplied at once.
BLOCK = 100


@dataclass(frozen=True)
class Interval:
    """A 95 % percentile interval of resampled corpus scores, and their mean."""

    low: float
    high: float
    mean: float


@dataclass(frozen=True)
class PairedTest:
    """A system against a baseline: difference of corpus scores and its two-sided p-value."""

    difference: float
    p_value: float


def resample_weights(segments: int, samples: int, seed: int) -> np.ndarray:
    """How often each segment is drawn in each resample; uint16, shape (samples, segments)."""
    rng = np.random.default_rng(seed)
    drawn = np.empty((samples, segments), np.uint16)
    for row in range(samples):
        drawn[row] = np.bincount(rng.integers(0, segments, segments), minlength=segments)
    return drawn


def bootstrap_scores(metric: Metric, statistics: Float64s, weights: np.ndarray) -> Float64s:
    """Corpus score of every resample; shape (samples,)."""
    sums = np.empty((len(weights), statistics.shape[1]))
    for begin in range(0, len(weights), BLOCK):
        sums[begin : begin + BLOCK] = weights[begin : begin + BLOCK].astype(np.float64) @ statistics
    return metric.score(sums)


def confidence_interval(scores: Float64s) -> Interval:
    """From the 2.5th to the 97.5th percentile."""
    low, high = np.percentile(scores, [2.5, 97.5])
    return Interval(float(low), float(high), float(scores.mean()))


def paired_bootstrap(difference: float, resampled: Float64s) -> PairedTest:
    """Two-sided: how often centred resampled differences exceed the observed one, with add-one correction."""
    centred = np.abs(resampled - resampled.mean())
    p = (int((centred >= abs(difference)).sum()) + 1) / (len(resampled) + 1)
    return PairedTest(difference, p)
