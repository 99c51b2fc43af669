"""Rankings of systems from judgements in segments: ranges of ranks, clusters, sign tests (Koehn 2012, WMT 2013)."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from app.arrays import Float64s, Int64s
from app.metrics.meta_evaluation.resampling import SAMPLES, group_counts
from app.metrics.meta_evaluation.wins import expected_wins, won_cells
from app.running.deadline import check_deadline

__all__ = ["RankRange", "clusters", "rank_ranges", "sign_test"]


@dataclass(frozen=True)
class RankRange:
    """The ranks, 1 for the best, that a system has in 95 % of the samples; None without a comparison."""

    best: int | None
    worst: int | None


def sign_test(wins: int, losses: int) -> float:
    """Two-sided p-value of the binomial test that wins and losses are equally likely; ties do not count."""
    # Imported here, because scipy.stats takes longer to load than most commands run.
    from scipy.stats import binomtest

    return float(binomtest(wins, wins + losses).pvalue) if wins + losses else 1.0


def rank_ranges(
    labels: Float64s, groups: Int64s, systems: Int64s, count: int, samples: int = SAMPLES, seed: int = 12345
) -> list[RankRange]:
    """Ranges of ranks by Expected Wins in samples of groups with replacement; arguments as in `count_wins`.

    The range leaves out 2.5 % of the samples at each end. Equal systems share the better rank.
    """
    _, places = np.unique(groups, return_inverse=True)
    cells, cell_groups = won_cells(labels, places, systems, count)
    ranks: list[list[int]] = [[] for _ in range(count)]
    for counts in group_counts(int(places.max()) + 1, samples, seed):
        check_deadline()
        wins = np.bincount(cells, counts[cell_groups].astype(np.float64), count * count)
        scores = expected_wins(wins.astype(np.float64).reshape(count, count))
        for system in np.flatnonzero(~np.isnan(scores)).tolist():
            # A rounding error makes no rank.
            ranks[system].append(1 + int((scores > scores[system] + 1e-12).sum()))
    return [_range(sorted(row)) for row in ranks]


def _range(ranks: Sequence[int]) -> RankRange:
    if not ranks:
        return RankRange(None, None)
    cut = int(0.025 * len(ranks))
    return RankRange(ranks[cut], ranks[len(ranks) - 1 - cut])


def clusters(ranges: Sequence[RankRange]) -> list[int | None]:
    """Number of each system's cluster, 1 for the best; `ranges` begin with the best system.

    A cluster ends where no range of a better system overlaps with one of a worse system.
    """
    pairs = [(row.best, row.worst) for row in ranges if row.best is not None and row.worst is not None]
    best = np.array([first for first, _ in pairs], np.int64)
    worst = np.array([last for _, last in pairs], np.int64)
    begins = np.maximum.accumulate(worst[:-1]) < np.minimum.accumulate(best[:0:-1])[::-1]
    numbers = iter(np.cumsum(np.append(1, begins)).tolist())
    return [None if row.best is None else next(numbers) for row in ranges]
