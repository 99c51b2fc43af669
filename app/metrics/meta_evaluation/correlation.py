"""Correlations of metric scores with human judgements; both sides higher for better translations."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Final

import numpy as np

from app.arrays import Float64s, Int64s
from app.metrics.meta_evaluation.pair_kernel import count_pairs

__all__ = [
    "AGREEMENTS",
    "Agreement",
    "PairwiseAccuracy",
    "pair_count",
    "pairwise_accuracy",
    "pearson",
    "spearman",
    "warm_up_agreements",
]

# Least difference of direct assessments (0-100) that counts as a preference in relative rankings from them.
DARR_GAP: Final = 25.0


def pearson(human: Float64s, metric: Float64s) -> float:
    """Pearson's r; 0 where a side never varies."""
    a, b = human - human.mean(), metric - metric.mean()
    scale = np.sqrt((a @ a) * (b @ b))
    return float(np.clip(a @ b / scale, -1.0, 1.0)) if scale > 0 else 0.0


def spearman(human: Float64s, metric: Float64s) -> float:
    """Pearson's r of mid-ranks."""
    # Imported here, as it takes longer to load than most commands run.
    from scipy.stats import rankdata

    return pearson(rankdata(human), rankdata(metric))


@dataclass(frozen=True)
class Agreement:
    """A measure of agreement: what it is, and the function of human scores, metric scores and groups (n,)."""

    name: str
    description: str
    measure: Callable[[Float64s, Float64s, Int64s], float]


@dataclass(frozen=True)
class PairwiseAccuracy:
    """Share of pairs that the metric orders, or ties, as people do, and the tie threshold ε it was reached with."""

    accuracy: float
    epsilon: float


def _ratio(top: float, bottom: float) -> float:
    return top / bottom if bottom else 0.0


def _tau(kind: str) -> Callable[[Float64s, Float64s, Int64s], float]:
    def measure(human: Float64s, metric: Float64s, groups: Int64s) -> float:
        concordant, discordant, human_ties, metric_ties, both = count_pairs(human, metric, groups, 0.0)
        apart = concordant + discordant
        if kind == "a":
            return _ratio(concordant - discordant, apart + human_ties + metric_ties + both)
        if kind == "b":
            return _ratio(concordant - discordant, np.sqrt(float(apart + human_ties) * float(apart + metric_ties)))
        if kind == "09":
            # WMT 2009-2012: a tie of the metric is a wrong answer.
            return _ratio(concordant - discordant - metric_ties, apart + metric_ties)
        if kind == "14":
            # WMT 2014-2016: it is neither right nor wrong, but counts.
            return _ratio(concordant - discordant, apart + metric_ties)
        return _ratio(concordant - discordant, apart)

    return measure


def _darr(human: Float64s, metric: Float64s, groups: Int64s) -> float:
    concordant, discordant, _, metric_ties, _ = count_pairs(human, metric, groups, DARR_GAP)
    return _ratio(concordant - discordant - metric_ties, concordant + discordant + metric_ties)


def _accuracy(human: Float64s, metric: Float64s, groups: Int64s) -> float:
    return pairwise_accuracy(human, metric, groups, calibrate=False).accuracy


def _calibrated(human: Float64s, metric: Float64s, groups: Int64s) -> float:
    return pairwise_accuracy(human, metric, groups).accuracy


def pairwise_accuracy(human: Float64s, metric: Float64s, groups: Int64s, calibrate: bool = True) -> PairwiseAccuracy:
    """Pairwise accuracy with ties; with `calibrate`, at the ε up to which tied metric scores fit best (Deutsch et al. 2023).

    Every difference of metric scores inside a group is a candidate for ε; of equally good ones the smallest.
    """
    people, scores = differences(human, metric, groups)
    if not len(people):
        return PairwiseAccuracy(0.0, 0.0)
    gaps = np.abs(scores)
    right = (np.sign(people) == np.sign(scores)) & (scores != 0)
    tied = people == 0
    if not calibrate:
        return PairwiseAccuracy(float((right | (tied & (scores == 0))).mean()), 0.0)
    order = np.argsort(gaps, kind="stable")
    gaps, right, tied = gaps[order], right[order], tied[order]
    # Pairs up to a place tie, those after it do not; only the last of equal gaps is a place.
    correct = np.cumsum(tied) + right.sum() - np.cumsum(right)
    last = np.append(gaps[1:] > gaps[:-1], True)
    places, candidates = np.append(correct[last], 0), np.append(gaps[last], 0.0)
    if gaps[0] > 0:
        places[-1] = right.sum()
    best = int(np.lexsort((candidates, -places))[0])
    return PairwiseAccuracy(float(places[best] / len(gaps)), float(candidates[best]))


def pair_count(groups: Int64s) -> int:
    """How many pairs there are inside groups."""
    _, sizes = np.unique(groups, return_counts=True)
    return int((sizes * (sizes - 1) // 2).sum())


def differences(human: Float64s, metric: Float64s, groups: Int64s) -> tuple[Float64s, Float64s]:
    """Differences of both sides for every pair inside a group."""
    order = np.argsort(groups, kind="stable")
    ends = np.flatnonzero(np.diff(groups[order])) + 1
    blocks = []
    for part in np.split(order, ends):
        a, b = (part[index] for index in np.triu_indices(len(part), 1))
        blocks.append((human[a] - human[b], metric[a] - metric[b]))
    return np.concatenate([block for block, _ in blocks]), np.concatenate([block for _, block in blocks])


AGREEMENTS: Final[Mapping[str, Agreement]] = {
    agreement.name: agreement
    for agreement in (
        Agreement("pearson", "linear correlation", lambda human, metric, groups: pearson(human, metric)),
        Agreement("spearman", "correlation of ranks, ties at their middle", lambda human, metric, groups: spearman(human, metric)),
        Agreement("tau-a", "Kendall's τ over all pairs", _tau("a")),
        Agreement("tau-b", "Kendall's τ corrected for ties", _tau("b")),
        Agreement("tau-wmt09", "WMT 2009-2012: human ties dropped, metric ties wrong", _tau("09")),
        Agreement("tau-wmt14", "WMT 2014-2016: human ties dropped, metric ties counted as neither", _tau("14")),
        Agreement("tau-no-ties", "both sides' ties dropped (the theses)", _tau("none")),
        Agreement("darr", "WMT 2017-2021: pairs 25 points or more apart, metric ties wrong", _darr),
        Agreement("accuracy", "share of pairs ordered, or tied, as people do", _accuracy),
        Agreement("accuracy-calibrated", "the same at the tie threshold that fits best", _calibrated),
    )
}


def warm_up_agreements() -> None:
    """Compile what counts pairs, so that no request waits for a compiler."""
    AGREEMENTS["tau-b"].measure(np.array([1.0, 2.0]), np.array([1.0, 2.0]), np.zeros(2, np.int64))
