"""Correlations of metric scores with human judgements; better translations have higher values on both sides."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Final

import numpy as np

from app.arrays import Float64s, Int64s
from app.metrics.meta_evaluation.pair_kernel import count_pairs, pair_gaps

__all__ = [
    "AGREEMENTS",
    "AgreementMeasure",
    "PairwiseAccuracy",
    "pair_count",
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


def _accuracy(human: Float64s, metric: Float64s, groups: Int64s) -> float:
    counts = count_pairs(human, metric, groups, 0.0)
    return _ratio(counts[0] + counts[-1], sum(counts))


def pairwise_accuracy(human: Float64s, metric: Float64s, groups: Int64s) -> PairwiseAccuracy:
    """Pairwise accuracy with ties at the best tie threshold ε (Deutsch et al. 2023).

    The candidates for ε are 0 and all differences of metric scores inside a group; of equally good ones, the smallest wins.
    """
    concordant, discordant, human_ties, metric_ties, shared_ties = count_pairs(human, metric, groups, 0.0)
    best_count, epsilon = concordant + shared_ties, 0.0
    if human_ties:
        # A larger ε gains pairs that people tie, and nothing else.
        tie_gaps, concordant_gaps = pair_gaps(human, metric, groups, human_ties + shared_ties, concordant)
        correct = np.searchsorted(tie_gaps, tie_gaps, "right") + concordant - np.searchsorted(concordant_gaps, tie_gaps, "right")
        best = int(np.argmax(correct))
        if correct[best] > best_count:
            best_count, epsilon = int(correct[best]), float(tie_gaps[best])
    pairs = concordant + discordant + human_ties + metric_ties + shared_ties
    return PairwiseAccuracy(_ratio(best_count, pairs), epsilon)


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
        AgreementMeasure("accuracy", "share of pairs ordered, or tied, as people do", _accuracy),
        AgreementMeasure(
            "accuracy-calibrated",
            "accuracy at the tie threshold that fits best",
            lambda human, metric, groups: pairwise_accuracy(human, metric, groups).accuracy,
        ),
    )
}


def warm_up_agreements() -> None:
    """Compile the kernels of pairs, so that no request waits for the compiler."""
    pairwise_accuracy(np.array([1.0, 1.0]), np.array([1.0, 2.0]), np.zeros(2, np.int64))
