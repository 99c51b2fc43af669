"""Wins of systems over each other in judged segments, and the rankings that follow (Stanojević's thesis, 2.32 and 2.33)."""

import numpy as np

from app.arrays import Float64s, Int64s
from app.metrics.meta_evaluation.correlation import pairs_inside

__all__ = ["count_wins", "expected_wins", "ratio_of_wins", "won_cells"]


def count_wins(labels: Float64s, groups: Int64s, systems: Int64s, count: int) -> Float64s:
    """Wins (count, count) of each system (rows) over each other one; ties count for neither.

    Row i has a label (higher is better), a group, which is the segment, and the number of its system.
    """
    cells, _ = won_cells(labels, groups, systems, count)
    return np.bincount(cells, minlength=count * count).reshape(count, count).astype(np.float64)


def won_cells(labels: Float64s, groups: Int64s, systems: Int64s, count: int) -> tuple[Int64s, Int64s]:
    """For each win its cell in the matrix of wins, the winner times `count` plus the loser, and its group."""
    first, second = pairs_inside(groups)
    is_win = (labels[first] != labels[second]) & (systems[first] != systems[second])
    first, second = first[is_win], second[is_win]
    has_first_won = labels[first] > labels[second]
    winners, losers = np.where(has_first_won, first, second), np.where(has_first_won, second, first)
    return systems[winners] * count + systems[losers], groups[winners]


def expected_wins(wins: Float64s) -> Float64s:
    """Mean over opponents of ``win(i, j) / (win(i, j) + win(j, i))`` (2.33); (s, s) to (s,), NaN without an opponent.

    Opponents with ties alone do not count.
    """
    return _means(*_shares(wins))


def ratio_of_wins(wins: Float64s) -> Float64s:
    """Wins over all comparisons that are no ties (2.32); (s, s) to (s,), NaN without one."""
    with np.errstate(invalid="ignore"):
        return np.asarray(wins.sum(1) / (wins.sum(1) + wins.sum(0)))


def _shares(wins: Float64s) -> tuple[Float64s, Float64s]:
    """Shares of wins in untied comparisons, and 1 for pairs that have one."""
    comparisons = wins + wins.T
    has_comparison = comparisons > 0
    return np.divide(wins, comparisons, out=np.zeros_like(wins), where=has_comparison), has_comparison.astype(np.float64)


def _means(shares: Float64s, weights: Float64s) -> Float64s:
    with np.errstate(invalid="ignore"):
        return np.asarray(shares.sum(1) / weights.sum(1))
