"""Counting pairs of judged translations by whether people and a metric order them alike."""

import numpy as np
from numba import njit

from app.arrays import Float64s, Int64s

__all__ = ["count_pairs"]


@njit(cache=True, nogil=True)
def _count_sorted(human: Float64s, metric: Float64s, groups: Int64s, gap: float) -> Int64s:
    out = np.zeros(5, np.int64)
    n = len(human)
    for i in range(n):
        for j in range(i + 1, n):
            if groups[j] != groups[i]:
                break
            people = human[i] - human[j]
            score = metric[i] - metric[j]
            tied_metric = score == 0
            if people == 0:
                out[4 if tied_metric else 2] += 1
            elif abs(people) < gap:
                continue
            elif tied_metric:
                out[3] += 1
            elif (people > 0) == (score > 0):
                out[0] += 1
            else:
                out[1] += 1
    return out


def count_pairs(human: Float64s, metric: Float64s, groups: Int64s, gap: float) -> tuple[int, int, int, int, int]:
    """Concordant and discordant pairs, pairs tied by people alone, by the metric alone, and by both; inside groups.

    Pairs that people put apart by less than `gap` are left out. O(n²) in a group.
    """
    order = np.argsort(groups, kind="stable")
    counts = _count_sorted(human[order], metric[order], groups[order], gap)
    a, b, c, d, e = (int(value) for value in counts)
    return a, b, c, d, e
