"""Paired tests of two systems: bootstrap and approximate randomisation, with Holm's correction for many pairs."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from app.arrays import Bools, Float64s, Int64s, UInt8s
from app.metrics.definition import Metric
from app.metrics.significance.resampling import compact
from app.running.deadline import check_deadline
from app.running.threads.blocks import in_blocks

__all__ = ["PairedTest", "Swaps", "holm", "paired_bootstrap", "paired_randomisation", "randomisation_draws"]

# Trials per matrix product; a multiple of 32, so that random bits do not depend on it.
BLOCK = 256


@dataclass(frozen=True)
class PairedTest:
    """A system against a baseline.

    The p-value is two-sided; `corrected_p_value` is corrected for all systems of this metric. `wins`, `losses` and `ties` count the
    segments on which the system is better, worse and equal.
    """

    difference: float
    p_value: float
    corrected_p_value: float
    wins: int
    losses: int
    ties: int


@dataclass(frozen=True)
class Swaps:
    """Masks of the segments that keep their systems, one per trial; ``len(swaps)`` is the number of trials.

    `bits` has shape (trials, bytes), with a bit per segment: 100,000 trials of 100,000 segments take 1.25 GB.
    """

    bits: UInt8s
    segments: int

    def __len__(self) -> int:
        return len(self.bits)

    def rows(self, begin: int, end: int) -> Bools:
        """Masks of trials `begin` to `end`; shape (trials, segments)."""
        return np.unpackbits(self.bits[begin:end], axis=1, count=self.segments).view(np.bool_)


def paired_bootstrap(difference: float, differences: Float64s, segments: int) -> float:
    """p-value of sacreBLEU and Moses: the share of resamples whose ``|d| - mean |d|`` exceeds the observed ``|d|``.

    `differences` (samples,) are the differences of corpus scores. One is added to both counts, so p is never 0.
    """
    sizes = np.abs(differences)
    return _p_value(sizes - sizes.mean(), abs(difference), segments)


def randomisation_draws(trials: int, segments: int, seed: int) -> Swaps:
    """Random masks of the segments that keep their systems, for each of `trials`."""
    rng = np.random.default_rng(seed)
    bits = np.empty((trials, -(-segments // 8)), np.uint8)
    for begin in range(0, trials, BLOCK):
        check_deadline()
        rows = rng.integers(2, size=(min(BLOCK, trials - begin), segments), dtype=bool)
        bits[begin : begin + BLOCK] = np.packbits(rows, axis=1)
    return Swaps(bits, segments)


def paired_randomisation(
    metric: Metric, baseline: Sequence[Float64s], system: Sequence[Float64s], draws: Swaps, seed: int = 0
) -> float:
    """p-value of approximate randomisation (Riezler and Maxwell 2005): the share of trials with a larger difference.

    `baseline` and `system` are the statistics (n, s) of one or more runs each; corpus scores are averaged over
    runs (Clark et al. 2011). With one run each, draws and p-value equal sacreBLEU's. Each further pair of runs uses its own
    permutation of the draws.
    """
    rng = np.random.default_rng(seed)
    observed = abs(_mean_score(metric, baseline) - _mean_score(metric, system))
    runs = max(len(baseline), len(system))
    scores = [np.zeros(len(draws)), np.zeros(len(draws))]
    for run in range(runs):
        a, b = baseline[run % len(baseline)], system[run % len(system)]
        order = None if run == 0 else rng.permutation(draws.segments)
        swap_sums = _swap_sums(a - b, draws, order)
        scores[0] += metric.score(b.sum(0) + swap_sums)
        scores[1] += metric.score(a.sum(0) - swap_sums)
    return _p_value(np.abs(scores[0] - scores[1]) / runs, observed, draws.segments * runs)


def _swap_sums(differences: Float64s, draws: Swaps, order: Int64s | None) -> Float64s:
    """Sums of the differences (n, s) over the segments that keep their systems, in this order if any; shape (trials, s)."""
    columns = compact(differences, np.abs(differences).sum(0).max(initial=0.0))
    sums = np.empty((len(draws), columns.shape[1]))

    def work(first: int, last: int) -> None:
        rows = draws.rows(first, last)
        sums[first:last] = np.matmul((rows if order is None else rows[:, order]).astype(columns.dtype), columns)

    in_blocks(work, np.arange(1, len(draws) + 1), BLOCK)
    return sums


def _mean_score(metric: Metric, runs: Sequence[Float64s]) -> float:
    return float(np.mean([metric.score(rows.sum(0, keepdims=True))[0] for rows in runs]))


def _p_value(values: Float64s, observed: float, segments: int) -> float:
    """Share of `values` above `observed`, with one added to both counts, and at least the smallest p-value of an exact test.

    Two of the 2^n ways to swap n segments give the observed difference itself. sacreBLEU counts larger differences only and
    misses these two, which matters for a handful of segments.
    """
    # A system does not differ from itself. sacreBLEU, which counts larger differences only, would return the smallest p-value.
    if observed == 0:
        return 1.0
    # The tolerance excludes differences that are larger by rounding only.
    larger = int((values > observed * (1 + 1e-12) + 1e-12).sum())
    return max((larger + 1) / (len(values) + 1), 2.0 ** (1 - segments))


def holm(p_values: Sequence[float]) -> list[float]:
    """p-values with the step-down correction for all comparisons (Holm 1979), in the order of the input."""
    order = sorted(range(len(p_values)), key=lambda index: p_values[index])
    corrected_p_values = [0.0] * len(p_values)
    largest = 0.0
    for rank, index in enumerate(order):
        largest = max(largest, min(1.0, (len(p_values) - rank) * p_values[index]))
        corrected_p_values[index] = largest
    return corrected_p_values
