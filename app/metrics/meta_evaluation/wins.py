"""Wins of systems over each other in judged segments, and the rankings that follow (Stanojević's thesis, 2.32 and 2.33)."""

import numpy as np

from app.arrays import Float64s, Int64s
from app.metrics.meta_evaluation.correlation import pairs_inside

__all__ = ["count_wins", "expected_wins", "ratio_of_wins"]


def count_wins(labels: Float64s, groups: Int64s, systems: Int64s, count: int) -> Float64s:
    """Wins (count, count) of each system (rows) over each other one; ties count for neither.

    Row i has a label (higher is better), a group, which is the segment, and the number of its system.
    """
    first, second = pairs_inside(groups)
    wins = np.zeros((count, count))
    for winners, losers in ((first, second), (second, first)):
        mask = (labels[winners] > labels[losers]) & (systems[winners] != systems[losers])
        np.add.at(wins, (systems[winners[mask]], systems[losers[mask]]), 1.0)
    return wins


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
