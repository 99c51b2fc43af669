"""Counts of pairs of translations that people and a metric order alike, differently, or tie."""

import numpy as np
from numba import njit

from app.arrays import Float64s, Int64s

__all__ = ["count_pairs", "pair_gaps"]


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
def _count_sorted(human: Float64s, ranks: Int64s, groups: Int64s, gap: float) -> Int64s:
    """Counts over rows in the order of groups, human scores and ranks of the metric, which are dense and begin at 1."""
    counts = np.zeros(5, np.int64)
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
        counts[0] += concordant
        counts[1] += lower - begin - concordant - metric_ties
        counts[2] += human_run - run
        counts[3] += metric_ties
        counts[4] += run
    return counts


def count_pairs(human: Float64s, metric: Float64s, groups: Int64s, gap: float) -> tuple[int, int, int, int, int]:
    """Numbers of concordant and discordant pairs, and of pairs tied by people alone, the metric alone, and both.

    Pairs lie inside groups. Untied pairs whose human scores differ by less than `gap` are left out. O(n log n).
    """
    ranks = np.unique(metric, return_inverse=True)[1].astype(np.int64) + 1
    order = np.lexsort((ranks, human, groups))
    counts = _count_sorted(human[order], ranks[order], groups[order], gap)
    concordant, discordant, human_ties, metric_ties, shared_ties = (int(count) for count in counts)
    return concordant, discordant, human_ties, metric_ties, shared_ties


@njit(cache=True, nogil=True)
def _gaps_sorted(human: Float64s, metric: Float64s, groups: Int64s, tie_gaps: Float64s, concordant_gaps: Float64s) -> None:
    tied_count = concordant_count = 0
    for row in range(len(human)):
        for rival in range(row + 1, len(human)):
            if groups[rival] != groups[row]:
                break
            human_difference, difference = human[row] - human[rival], metric[row] - metric[rival]
            if human_difference == 0:
                tie_gaps[tied_count] = abs(difference)
                tied_count += 1
            elif difference != 0 and (human_difference > 0) == (difference > 0):
                concordant_gaps[concordant_count] = abs(difference)
                concordant_count += 1


def pair_gaps(human: Float64s, metric: Float64s, groups: Int64s, ties: int, concordant: int) -> tuple[Float64s, Float64s]:
    """Sorted differences of the metric, one per pair tied by people, (`ties`,), and per concordant pair, (`concordant`,)."""
    gaps = np.empty(ties), np.empty(concordant)
    order = np.argsort(groups, kind="stable")
    _gaps_sorted(human[order], metric[order], groups[order], *gaps)
    for part in gaps:
        part.sort()
    return gaps
