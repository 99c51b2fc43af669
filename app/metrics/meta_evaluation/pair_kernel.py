"""Counts of pairs of translations that people and a metric order alike, differently, or tie."""

import numpy as np
from numba import njit

from app.arrays import Float64s, Int64s

__all__ = ["count_pairs"]


@njit(cache=True, nogil=True)
def _count_sorted(human: Float64s, metric: Float64s, groups: Int64s, gap: float) -> Int64s:
    counts = np.zeros(5, np.int64)
    n = len(human)
    for i in range(n):
        for j in range(i + 1, n):
            if groups[j] != groups[i]:
                break
            human_difference = human[i] - human[j]
            metric_difference = metric[i] - metric[j]
            tied_metric = metric_difference == 0
            if human_difference == 0:
                counts[4 if tied_metric else 2] += 1
            elif abs(human_difference) < gap:
                continue
            elif tied_metric:
                counts[3] += 1
            elif (human_difference > 0) == (metric_difference > 0):
                counts[0] += 1
            else:
                counts[1] += 1
    return counts


def count_pairs(human: Float64s, metric: Float64s, groups: Int64s, gap: float) -> tuple[int, int, int, int, int]:
    """Numbers of concordant and discordant pairs, and of pairs tied by people alone, the metric alone, and both.

    Pairs lie inside groups. Untied pairs whose human scores differ by less than `gap` are left out. O(n²) in a group.
    """
    order = np.argsort(groups, kind="stable")
    counts = _count_sorted(human[order], metric[order], groups[order], gap)
    concordant, discordant, human_ties, metric_ties, shared_ties = (int(count) for count in counts)
    return concordant, discordant, human_ties, metric_ties, shared_ties
