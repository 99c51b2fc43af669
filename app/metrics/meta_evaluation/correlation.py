"""Correlations of metric scores with human judgements; better translations have higher values on both sides."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Final

import numpy as np

from app.arrays import Float64s, Int64s
from app.metrics.meta_evaluation.pair_kernel import count_pairs, tie_gains

__all__ = [
    "AGREEMENTS",
    "AgreementMeasure",
    "PairwiseAccuracy",
    "pair_count",
    "pair_weights",
    "pairs_inside",
    "pairwise_accuracy",
    "pearson",
    "spearman",
    "warm_up_agreements",
]

# Smallest difference of direct assessments (0-100) that counts as a preference in relative rankings.
DARR_GAP: Final = 25.0


def pearson(human: Float64s, metric: Float64s) -> float:
    """Pearson's r of two arrays (n,); 0 if one is constant."""
    a, b = human - human.mean(), metric - metric.mean()
    scale = np.sqrt((a @ a) * (b @ b))
    return float(np.clip(a @ b / scale, -1.0, 1.0)) if scale > 0 else 0.0


def spearman(human: Float64s, metric: Float64s) -> float:
    """Spearman's ρ: Pearson's r of mid-ranks."""
    # Imported here, because scipy.stats takes longer to load than most commands run.
    from scipy.stats import rankdata

    return pearson(rankdata(human), rankdata(metric))


@dataclass(frozen=True)
class AgreementMeasure:
    """A measure of agreement: name, description, and a function of human scores, metric scores and groups, (n,) each."""

    name: str
    description: str
    measure: Callable[[Float64s, Float64s, Int64s], float]


@dataclass(frozen=True)
class PairwiseAccuracy:
    """Share of pairs that the metric orders or ties as people do, and the tie threshold ε of that share."""

    accuracy: float
    epsilon: float


def _ratio(numerator: float, denominator: float) -> float:
    return numerator / denominator if denominator else 0.0


def _tau(kind: str) -> Callable[[Float64s, Float64s, Int64s], float]:
    def measure(human: Float64s, metric: Float64s, groups: Int64s) -> float:
        concordant, discordant, human_ties, metric_ties, shared_ties = count_pairs(human, metric, groups, 0.0)
        untied_pairs = concordant + discordant
        if kind == "a":
            return _ratio(concordant - discordant, untied_pairs + human_ties + metric_ties + shared_ties)
        if kind == "b":
            return _ratio(concordant - discordant, np.sqrt(float(untied_pairs + human_ties) * float(untied_pairs + metric_ties)))
        if kind == "09":
            # WMT 2009-2012: a tie of the metric is a wrong answer.
            return _ratio(concordant - discordant - metric_ties, untied_pairs + metric_ties)
        if kind == "14":
            # WMT 2014-2016: a tie of the metric is neither right nor wrong, but counts in the denominator.
            return _ratio(concordant - discordant, untied_pairs + metric_ties)
        return _ratio(concordant - discordant, untied_pairs)

    return measure


def _darr(human: Float64s, metric: Float64s, groups: Int64s) -> float:
    concordant, discordant, _, metric_ties, _ = count_pairs(human, metric, groups, DARR_GAP)
    return _ratio(concordant - discordant - metric_ties, concordant + discordant + metric_ties)


def _kappa(expected: Callable[[float, float], float]) -> Callable[[Float64s, Float64s, Int64s], float]:
    """Cohen's κ of better, equal and worse; `expected` is the agreement by chance, from the shares of ties of both sides."""

    def measure(human: Float64s, metric: Float64s, groups: Int64s) -> float:
        concordant, discordant, human_ties, metric_ties, shared_ties = count_pairs(human, metric, groups, 0.0)
        pairs = concordant + discordant + human_ties + metric_ties + shared_ties
        chance = expected(_ratio(human_ties + shared_ties, pairs), _ratio(metric_ties + shared_ties, pairs))
        return _ratio(_ratio(concordant + shared_ties, pairs) - chance, 1 - chance) if pairs else 0.0

    return measure


def _chance(human_ties: float, metric_ties: float) -> float:
    # Both orders of a pair count, so a preference is as often "better" as "worse".
    return human_ties * metric_ties + (1 - human_ties) * (1 - metric_ties) / 2


def _accuracy(human: Float64s, metric: Float64s, groups: Int64s) -> float:
    weights, total = pair_weights(groups)
    counts = count_pairs(human, metric, groups, 0.0, weights)
    return _share(counts[0] + counts[-1], total)


def _share(weight: float, total: float) -> float:
    # Weights of unequal groups add up to the total with rounding.
    return min(1.0, _ratio(weight, total))


def pairwise_accuracy(human: Float64s, metric: Float64s, groups: Int64s) -> PairwiseAccuracy:
    """Pairwise accuracy with ties at the best tie threshold ε (Deutsch et al. 2023), a mean over groups as in WMT's acc*eq.

    The candidates for ε are 0 and all differences of metric scores inside a group; of equally good ones, the smallest wins.
    """
    weights, total = pair_weights(groups)
    concordant, _, _, _, shared_ties = count_pairs(human, metric, groups, 0.0, weights)
    correct, epsilon = concordant + shared_ties, 0.0
    human_ties = count_pairs(human, metric, groups, 0.0)[2]
    if human_ties:
        # A larger ε gains pairs that people tie, and nothing else.
        gaps, gains = tie_gains(human, metric, groups, weights, int(human_ties))
        is_last = np.append(gaps[1:] != gaps[:-1], True)
        # Rounding makes sums of equal weights equal, whatever their order.
        best = int(np.argmax(np.where(is_last, np.round(gains / total, 12), -np.inf)))
        if round(gains[best] / total, 12) > 0:
            correct, epsilon = correct + float(gains[best]), float(gaps[best])
    return PairwiseAccuracy(_share(correct, total), epsilon)


def pair_weights(groups: Int64s) -> tuple[Float64s, float]:
    """Weight of each pair in a mean over groups of shares of pairs, by row (n,), and the weight of all pairs.

    A pair of the largest groups weighs 1, so that the sums of groups of one size are numbers of pairs. Groups of one row weigh 0.
    """
    _, places, sizes = np.unique(groups, return_inverse=True, return_counts=True)
    pairs = sizes * (sizes - 1) / 2
    weights = np.divide(pairs.max(initial=0.0), pairs, out=np.zeros(len(pairs)), where=pairs > 0)
    return weights[places], float(pairs.max(initial=0.0) * (pairs > 0).sum())


def pair_count(groups: Int64s) -> int:
    """Number of pairs inside groups (n,)."""
    _, sizes = np.unique(groups, return_counts=True)
    return int((sizes * (sizes - 1) // 2).sum())


def pairs_inside(groups: Int64s) -> tuple[Int64s, Int64s]:
    """Rows of the first and of the second member of every pair inside a group (n,); shape (pairs,) each."""
    order = np.argsort(groups, kind="stable")
    parts = np.split(order, np.flatnonzero(np.diff(groups[order])) + 1)
    pairs = [(part[a], part[b]) for part in parts for a, b in [np.triu_indices(len(part), 1)]]
    return np.concatenate([first for first, _ in pairs]), np.concatenate([second for _, second in pairs])


AGREEMENTS: Final[Mapping[str, AgreementMeasure]] = {
    agreement.name: agreement
    for agreement in (
        AgreementMeasure("pearson", "linear correlation", lambda human, metric, groups: pearson(human, metric)),
        AgreementMeasure(
            "spearman", "correlation of ranks, ties at their middle", lambda human, metric, groups: spearman(human, metric)
        ),
        AgreementMeasure("tau-a", "Kendall's τ over all pairs", _tau("a")),
        AgreementMeasure("tau-b", "Kendall's τ corrected for ties", _tau("b")),
        AgreementMeasure("tau-wmt09", "WMT 2009-2012: human ties dropped, metric ties wrong", _tau("09")),
        AgreementMeasure("tau-wmt14", "WMT 2014-2016: human ties dropped, metric ties counted as neither", _tau("14")),
        AgreementMeasure("tau-no-ties", "both sides' ties dropped (the theses)", _tau("none")),
        AgreementMeasure("darr", "WMT 2017-2021: pairs 25 points or more apart, metric ties wrong", _darr),
        AgreementMeasure("kappa", "Cohen's κ of better, equal and worse", _kappa(_chance)),
        AgreementMeasure("kappa-uniform", "κ with a chance of one third for each answer", _kappa(lambda human, metric: 1 / 3)),
        AgreementMeasure("accuracy", "mean over groups of the share of pairs ordered, or tied, as people do", _accuracy),
        AgreementMeasure(
            "accuracy-calibrated",
            "WMT 2023-2025, acc*eq: accuracy at the tie threshold that fits best",
            lambda human, metric, groups: pairwise_accuracy(human, metric, groups).accuracy,
        ),
    )
}


def warm_up_agreements() -> None:
    """Compile the kernels of pairs, so that no request waits for the compiler."""
    pairwise_accuracy(np.array([1.0, 1.0]), np.array([1.0, 2.0]), np.zeros(2, np.int64))
