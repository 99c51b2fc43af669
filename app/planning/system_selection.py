"""Selection among translations of several systems by predicted quality (Specia et al. 2010; Shah and Specia 2014)."""

from collections.abc import Sequence, Set
from dataclasses import dataclass

import numpy as np

from app.arrays import Bools, Float64s
from app.metrics.significance.paired_tests import holm, paired_bootstrap
from app.predictors.prediction import share_below

__all__ = ["BaselineComparison", "Ranking", "SegmentRanking", "SystemStanding", "better_probability", "rank_systems"]

RESAMPLES = 1000
SEED = 12345


@dataclass(frozen=True)
class SegmentRanking:
    """Systems from best to worst with their predicted scores and standard deviations.

    `better_probability` is the probability that the first system is better than the second, with independent normal prediction
    errors. It is 1 with a single candidate, and where only the second has an error.
    """

    systems: tuple[str, ...]
    scores: tuple[float, ...]
    stds: tuple[float, ...]
    better_probability: float


@dataclass(frozen=True)
class BaselineComparison:
    """Means of a system and the baseline over the segments that both translate, and the p-value of their paired bootstrap.

    `corrected_p_value` has Holm's correction for all systems.
    """

    segments: int
    mean: float
    baseline_mean: float
    p_value: float
    corrected_p_value: float


@dataclass(frozen=True)
class SystemStanding:
    """Predicted quality of a system over all its segments.

    `wins` counts segments with the system before another; ties are shared equally. `mean` is the mean predicted score, `interval`
    its 95 % bootstrap interval, `best_share` the share of bootstrap resamples in which no system has a better mean. The last two
    are None for a single segment, whose resamples are all equal. `against_baseline` is None for the baseline, and without a common
    segment.
    """

    system: str
    segments: int
    wins: float
    mean: float
    interval: tuple[float, float] | None
    best_share: float | None
    against_baseline: BaselineComparison | None = None


@dataclass(frozen=True)
class Ranking:
    """Segments in the order of the request; systems from best mean to worst; `baseline` is empty without systems."""

    segments: tuple[SegmentRanking, ...]
    systems: tuple[SystemStanding, ...]
    baseline: str


def rank_systems(
    names: Sequence[Sequence[str]],
    scores: Float64s,
    stds: Float64s,
    higher_is_better: bool,
    errors: Sequence[bool] | None = None,
    baseline: str | None = None,
    empty: Sequence[bool] | None = None,
) -> Ranking:
    """Rank the candidates of each segment, and compare systems with `baseline`, by default the first system.

    ``names[i]`` are the systems of segment i; `scores`, `stds`, `errors` and `empty` (no text) hold one value per candidate,
    segment after segment. A win needs two candidates with a text. Candidates with an error follow all others, as do
    systems without another candidate. Equal scores keep the order of the request.
    """
    mask = np.zeros(len(scores), bool) if errors is None else np.asarray(errors, bool)
    text_mask = np.ones(len(scores), bool) if empty is None else ~np.asarray(empty, bool)
    sign = 1.0 if higher_is_better else -1.0
    systems = list(dict.fromkeys(name for row in names for name in row))
    table = np.full((len(names), len(systems)), np.nan)
    useful: set[str] = set()
    wins = dict.fromkeys(systems, 0.0)
    segments: list[SegmentRanking] = []
    at = 0
    for i, row in enumerate(names):
        predicted, spread, behind = scores[at : at + len(row)], stds[at : at + len(row)], mask[at : at + len(row)]
        rivals = int(text_mask[at : at + len(row)].sum())
        at += len(row)
        order = np.lexsort((-sign * predicted, behind))
        first = np.flatnonzero((predicted == predicted[order[0]]) & (behind == behind[order[0]]))
        for k in map(int, first) if rivals > 1 else ():
            wins[row[k]] += 1 / len(first)
        table[i, [systems.index(name) for name in row]] = predicted
        useful.update(name for name, has_error in zip(row, behind.tolist(), strict=True) if not has_error)
        segments.append(
            SegmentRanking(
                tuple(row[int(k)] for k in order),
                tuple(float(predicted[k]) for k in order),
                tuple(float(spread[k]) for k in order),
                _better(predicted, spread, behind, order),
            )
        )
    baseline = baseline if baseline in systems else next(iter(systems), "")
    return Ranking(tuple(segments), _standings(systems, table, wins, sign, baseline, useful), baseline)


def _better(scores: Float64s, stds: Float64s, behind: Bools, order: np.ndarray) -> float:
    if len(order) < 2 or behind[order[0]] != behind[order[1]]:
        return 1.0
    a, b = order[0], order[1]
    return better_probability(float(abs(scores[a] - scores[b])), float(np.hypot(stds[a], stds[b])))


def better_probability(difference: float, spread: float) -> float:
    """Probability that a candidate whose score is better by `difference` is better, with a normal error of deviation `spread`."""
    if spread == 0.0:
        return 1.0 if difference else 0.5
    return float(share_below(difference / spread))


def _standings(
    systems: list[str], table: Float64s, wins: dict[str, float], sign: float, baseline: str, useful: Set[str]
) -> tuple[SystemStanding, ...]:
    n = len(table)
    if n == 0:
        return ()
    rng = np.random.default_rng(SEED)
    present = (~np.isnan(table)).astype(np.float64)
    values = np.nan_to_num(table)
    means = values.sum(0) / present.sum(0)
    # Differences from the baseline are those of segments that both systems translate.
    first = systems.index(baseline)
    common = present * present[:, [first]]
    gains = common * (values - values[:, [first]])
    sample_means = np.empty((RESAMPLES, len(systems)))
    sample_gains = np.empty_like(sample_means)
    for r in range(RESAMPLES):
        weights = np.bincount(rng.integers(0, n, n), minlength=n).astype(np.float64)
        weight = weights @ present
        # A system that is missing from a resample keeps its mean.
        sample_means[r] = np.where(weight > 0, (weights @ values) / np.maximum(weight, 1), means)
        sample_gains[r] = (weights @ gains) / np.maximum(weights @ common, 1)
    best = sign * sample_means >= (sign * sample_means).max(1, keepdims=True)
    low, high = np.percentile(sample_means, [2.5, 97.5], axis=0)
    comparisons = _comparisons(systems, first, values, common, sample_gains)
    standings = []
    for k, name in enumerate(systems):
        segments = int(present[:, k].sum())
        has_several = segments > 1
        interval = (float(low[k]), float(high[k])) if has_several else None
        best_share = float(best[:, k].mean()) if has_several else None
        standings.append(SystemStanding(name, segments, wins[name], float(means[k]), interval, best_share, comparisons.get(name)))
    return tuple(sorted(standings, key=lambda s: (s.system not in useful, -sign * s.mean)))


def _comparisons(
    systems: list[str], first: int, values: Float64s, common: Float64s, sample_gains: Float64s
) -> dict[str, BaselineComparison]:
    """Comparisons of systems with the baseline, which is number `first`, on the segments of the mask `common`."""
    counts = common.sum(0)
    rivals = [k for k in range(len(systems)) if k != first and counts[k]]
    means = {k: (common[:, k] @ values[:, [k, first]]) / counts[k] for k in rivals}
    p_values = [paired_bootstrap(float(means[k][0] - means[k][1]), sample_gains[:, k], int(counts[k])) for k in rivals]
    return {
        systems[k]: BaselineComparison(int(counts[k]), float(means[k][0]), float(means[k][1]), p_value, corrected_p_value)
        for k, p_value, corrected_p_value in zip(rivals, p_values, holm(p_values), strict=True)
    }
