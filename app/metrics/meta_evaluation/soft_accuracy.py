"""Soft pairwise accuracy of systems (Thompson et al. 2024), which WMT ranks metrics by since 2024."""

from typing import Final

import numpy as np

from app.arrays import Float64s, Int64s
from app.metrics.meta_evaluation.differences import TRIALS
from app.running.deadline import check_deadline

__all__ = ["pair_p_values", "soft_accuracy"]

# Trials per matrix product.
BLOCK: Final = 100


def soft_accuracy(human_p_values: Float64s, metric_p_values: Float64s) -> float:
    """1 less the mean difference of p-values (pairs,) of all pairs of systems, by people and by a metric."""
    return 1.0 - float(np.abs(human_p_values - metric_p_values).mean())


def pair_p_values(
    scores: Float64s, groups: Int64s, systems: Int64s, count: int, trials: int = TRIALS, seed: int = 12345
) -> Float64s:
    """One-sided p-values that the first system of a pair is better, by random swaps of both in each segment; (pairs,).

    Row i of the scores (n,) is of a group, which is the segment, and of a system, a number below `count`. A pair is compared on
    the segments that both have. Pairs are those of `numpy.triu_indices`.
    """
    _, places = np.unique(groups, return_inverse=True)
    segments = int(places.max()) + 1
    cells = systems * segments + places
    sizes = np.bincount(cells, minlength=count * segments).reshape(count, segments)
    table = np.bincount(cells, scores, count * segments).reshape(count, segments) / np.maximum(sizes, 1)
    rng = np.random.default_rng(seed)
    larger = np.zeros(count * (count - 1) // 2)
    for begin in range(0, trials, BLOCK):
        signs = 2.0 * rng.integers(2, size=(min(BLOCK, trials - begin), segments)) - 1
        end = 0
        for system in range(count - 1):
            check_deadline()
            differences = (table[system] - table[system + 1 :]) * ((sizes[system] > 0) & (sizes[system + 1 :] > 0))
            # A sum that is smaller by rounding alone is no smaller sum.
            observed = differences.sum(1) - 1e-12 * np.abs(differences).sum(1)
            end, first = end + len(differences), end
            larger[first:end] += (signs @ differences.T >= observed).sum(0)
    return larger / trials
