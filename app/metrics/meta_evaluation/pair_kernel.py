"""Counts of pairs of translations that people and a metric order alike, differently, or tie."""

import numpy as np
from numba import njit

from app.arrays import Float64s, Int64s

__all__ = ["count_pairs", "tie_gains"]


@njit(cache=True, nogil=True)
def _add(tree: Int64s, rank: int, count: int) -> None:
    """Add to a Fenwick tree over ranks from 1."""
    while rank < len(tree):
        tree[rank] += count
        rank += rank & -rank


@njit(cache=True, nogil=True)
def _sum_to(tree: Int64s, rank: int) -> int:
    total = 0
    while rank > 0:
        total += tree[rank]
        rank -= rank & -rank
    return total


@njit(cache=True, nogil=True)
def _count_sorted(human: Float64s, ranks: Int64s, groups: Int64s, weights: Float64s, gap: float) -> Float64s:
    """Counts over rows in the order of groups, human scores and ranks of the metric, which are dense and begin at 1."""
    counts = np.zeros(5)
    tree = np.zeros(ranks.max() + 1 if len(ranks) else 1, np.int64)
    frequencies = np.zeros(len(tree), np.int64)
    begin = lower = human_run = run = 0
    for row in range(len(human)):
        if groups[row] != groups[begin]:
            for earlier in range(begin, lower):
                _add(tree, ranks[earlier], -1)
                frequencies[ranks[earlier]] -= 1
            begin = lower = row
        is_tied = row > begin and human[row] == human[row - 1]
        run = run + 1 if is_tied and ranks[row] == ranks[row - 1] else 0
        human_run = human_run + 1 if is_tied else 0
        # Rows of lower human scores, by at least the gap, are in the tree.
        while lower < row - human_run and human[row] - human[lower] >= gap:
            _add(tree, ranks[lower], 1)
            frequencies[ranks[lower]] += 1
            lower += 1
        concordant, metric_ties = _sum_to(tree, ranks[row] - 1), frequencies[ranks[row]]
        counts[0] += weights[row] * concordant
        counts[1] += weights[row] * (lower - begin - concordant - metric_ties)
        counts[2] += weights[row] * (human_run - run)
        counts[3] += weights[row] * metric_ties
        counts[4] += weights[row] * run
    return counts


def count_pairs(
    human: Float64s, metric: Float64s, groups: Int64s, gap: float, weights: Float64s | None = None
) -> tuple[float, float, float, float, float]:
    """Numbers of concordant and discordant pairs, and of pairs tied by people alone, the metric alone, and both.

    Pairs lie inside groups. Untied pairs whose human scores differ by less than `gap` are left out. `weights` (n,), equal inside a
    group, replace the 1 that a pair counts. O(n log n).
    """
    ranks = np.unique(metric, return_inverse=True)[1].astype(np.int64) + 1
    order = np.lexsort((ranks, human, groups))
    row_weights = np.ones(len(human)) if weights is None else weights[order]
    counts = _count_sorted(human[order], ranks[order], groups[order], row_weights, gap)
    concordant, discordant, human_ties, metric_ties, shared_ties = counts.tolist()
    return concordant, discordant, human_ties, metric_ties, shared_ties


@njit(cache=True, nogil=True)
def _tie_gaps(human: Float64s, metric: Float64s, groups: Int64s, weights: Float64s, gaps: Float64s, gains: Float64s) -> None:
    count = 0
    for row in range(len(human)):
        for rival in range(row + 1, len(human)):
            if groups[rival] != groups[row]:
                break
            if human[row] == human[rival] and metric[row] != metric[rival]:
                gaps[count], gains[count] = abs(metric[row] - metric[rival]), weights[row]
                count += 1


@njit(cache=True, nogil=True)
def _subtract_concordant(
    human: Float64s, metric: Float64s, groups: Int64s, weights: Float64s, gaps: Float64s, gains: Float64s
) -> None:
    """Subtract each concordant pair's weight where the ascending `gaps` reach its own difference."""
    for row in range(len(human)):
        for rival in range(row + 1, len(human)):
            if groups[rival] != groups[row]:
                break
            human_difference, difference = human[row] - human[rival], metric[row] - metric[rival]
            is_concordant = difference != 0 and human_difference != 0 and (human_difference > 0) == (difference > 0)
            if is_concordant and abs(difference) <= gaps[-1]:
                gains[np.searchsorted(gaps, abs(difference))] -= weights[row]


def tie_gains(human: Float64s, metric: Float64s, groups: Int64s, weights: Float64s, ties: int) -> tuple[Float64s, Float64s]:
    """Differences of the metric, ascending, in the `ties` pairs that people alone tie, and the weight gained at each; (ties,).

    A metric that ties all pairs up to a difference wins the pairs that people tie and loses concordant ones.
    """
    gaps, gains = np.empty(ties), np.empty(ties)
    order = np.argsort(groups, kind="stable")
    rows = human[order], metric[order], groups[order], weights[order]
    _tie_gaps(*rows, gaps, gains)
    order = np.argsort(gaps, kind="stable")
    gaps, gains = gaps[order], gains[order]
    _subtract_concordant(*rows, gaps, gains)
    return gaps, np.cumsum(gains)
