"""Is one system better than another? Paired bootstrap and approximate randomisation, and Holm's correction."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from app.arrays import Bools, Float64s, UInt8s
from app.metrics.definition import Metric
from app.running.deadline import check_deadline

__all__ = ["PairedTest", "Swaps", "holm", "paired_bootstrap", "paired_randomisation", "randomisation_draws"]

# Trials multiplied at once; a multiple of 32, so that the drawn bits do not depend on it.
BLOCK = 256


@dataclass(frozen=True)
class PairedTest:
    """A system against a baseline.

    The difference of corpus scores, its two-sided p-value, the same corrected for all systems compared by
    this metric, and the segments on which the system is better, worse and equal.
    """

    difference: float
    p_value: float
    corrected_p_value: float
    wins: int
    losses: int
    ties: int


@dataclass(frozen=True)
class Swaps:
    """Which segments keep their owners in each trial; its length is the number of trials.

    A hundred thousand trials of as many segments are gigabytes: `packed` (trials, bytes) has a bit for each.
    """

    packed: UInt8s
    segments: int

    def __len__(self) -> int:
        return len(self.packed)

    def rows(self, begin: int, end: int) -> Bools:
        """Those of some trials; shape (trials, segments)."""
        return np.unpackbits(self.packed[begin:end], axis=1, count=self.segments).view(np.bool_)


def paired_bootstrap(difference: float, resampled: Float64s, segments: int) -> float:
    """The p-value of sacreBLEU and Moses: how often ``|d| - mean |d|`` of resamples exceeds the observed ``|d|``.

    `resampled` (samples,) are the differences of corpus scores. One is added to both counts, so p is never 0.
    """
    sizes = np.abs(resampled)
    return _p_value(sizes - sizes.mean(), abs(difference), segments)


def randomisation_draws(trials: int, segments: int, seed: int) -> Swaps:
    """Which segments keep their owners in each of so many trials."""
    rng = np.random.default_rng(seed)
    packed = np.empty((trials, -(-segments // 8)), np.uint8)
    for begin in range(0, trials, BLOCK):
        check_deadline()
        rows = rng.integers(2, size=(min(BLOCK, trials - begin), segments), dtype=bool)
        packed[begin : begin + BLOCK] = np.packbits(rows, axis=1)
    return Swaps(packed, segments)


def paired_randomisation(
    metric: Metric, baseline: Sequence[Float64s], system: Sequence[Float64s], draws: Swaps, seed: int = 0
) -> float:
    """Approximate randomisation (Riezler and Maxwell 2005): how often swapping owners gives a larger difference.

    `baseline` and `system` are the statistics (n, s) of one or more runs each; corpus scores are averaged over
    runs (Clark et al. 2011). With one run each the draws and so the p-value are sacreBLEU's; with more, every
    pair of runs is swapped by a permutation of the draws of its own.
    """
    rng = np.random.default_rng(seed)
    observed = abs(_mean_score(metric, baseline) - _mean_score(metric, system))
    runs = max(len(baseline), len(system))
    sums = [np.zeros((len(draws), baseline[0].shape[1])) for _ in range(2)]
    scores = [np.zeros(len(draws)), np.zeros(len(draws))]
    for run in range(runs):
        a, b = baseline[run % len(baseline)], system[run % len(system)]
        order = None if run == 0 else rng.permutation(draws.segments)
        for begin in range(0, len(draws), BLOCK):
            check_deadline()
            rows = draws.rows(begin, begin + BLOCK)
            kept = rows if order is None else rows[:, order]
            sums[0][begin : begin + BLOCK] = kept.astype(np.float64) @ (a - b)
        sums[1] = a.sum(0) - sums[0]
        scores[0] += metric.score(b.sum(0) + sums[0])
        scores[1] += metric.score(sums[1])
    return _p_value(np.abs(scores[0] - scores[1]) / runs, observed, draws.segments * runs)


def _mean_score(metric: Metric, runs: Sequence[Float64s]) -> float:
    return float(np.mean([metric.score(rows.sum(0, keepdims=True))[0] for rows in runs]))


def _p_value(values: Float64s, observed: float, segments: int) -> float:
    """Share of `values` above `observed`, one added to both counts, but no less than an exact test could reach.

    Of the 2^n ways to swap n segments two give the observed difference itself. Counting larger differences only,
    as sacreBLEU does, forgets them, which matters for a handful of segments alone.
    """
    # A system is no better than itself; sacreBLEU, which counts larger differences only, would be sure that it is.
    if observed == 0:
        return 1.0
    # Differences that only rounding makes larger are not larger.
    larger = int((values > observed * (1 + 1e-12) + 1e-12).sum())
    return max((larger + 1) / (len(values) + 1), 2.0 ** (1 - segments))


def holm(p_values: Sequence[float]) -> list[float]:
    """Step-down correction for all these comparisons together (Holm 1979), in the order given."""
    order = sorted(range(len(p_values)), key=lambda place: p_values[place])
    corrected = [0.0] * len(p_values)
    largest = 0.0
    for rank, place in enumerate(order):
        largest = max(largest, min(1.0, (len(p_values) - rank) * p_values[place]))
        corrected[place] = largest
    return corrected
