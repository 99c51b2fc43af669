"""Accuracy of predictions, as the WMT quality-estimation tasks measure it."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np

from app.arrays import Float64s
from app.errors import InputError

__all__ = ["Accuracy", "GradeAccuracy", "correlation_bound", "delta_avg", "evaluate_grades", "evaluate_predictions"]

# 97.5 % of a normal distribution lie below.
NORMAL_QUANTILE: Final = 1.959964


@dataclass(frozen=True)
class Accuracy:
    """Measures over n segments; correlations (Kendall's is tau-b) are 0 where one side is constant."""

    segments: int
    pearson: float
    spearman: float
    kendall: float
    mae: float
    rmse: float
    delta_avg: float


def correlation_bound(pearson: float, segments: int) -> float:
    """Lower bound of the 95 % interval of Pearson's r over n segments, by Fisher's transformation; -1 for n <= 3."""
    if segments <= 3:
        return -1.0
    if abs(pearson) >= 1:
        return math.copysign(1.0, pearson)
    return math.tanh(math.atanh(pearson) - NORMAL_QUANTILE / math.sqrt(segments - 3))


def delta_avg(gold: Float64s, predicted: Float64s) -> float:
    """DeltaAvg (Callison-Burch et al. 2012): higher must be better for both.

    Mean over n = 2 … ⌊|S| / 2⌋ of the mean head quality of n - 1 quantile prefixes minus the overall mean; O(|S| log |S|).
    """
    size = len(gold)
    if size < 4:
        return 0.0
    sorted_gold = gold[np.argsort(-predicted, kind="stable")]
    heads = np.cumsum(sorted_gold) / np.arange(1, size + 1)
    # Many n have quantiles of equal size q, and share the heads at its multiples.
    total, n, last = 0.0, 2, size // 2
    while n <= last:
        q = size // n
        counts = np.arange(n, min(last, size // q) + 1)
        total += float((np.cumsum(heads[q - 1 :: q])[counts - 2] / (counts - 1)).sum())
        n = int(counts[-1]) + 1
    return total / (last - 1) - float(gold.mean())


def evaluate_predictions(gold: Float64s, predicted: Float64s, higher_is_better: bool) -> Accuracy:
    """All measures of one predictor on one data set."""
    if len(gold) != len(predicted):
        raise InputError("unequal-lengths", f"{len(gold)} labels but {len(predicted)} predictions")
    if len(gold) < 2:
        raise InputError("empty-input", "at least two labelled segments are needed to evaluate a model")
    # The import takes half a second.
    from scipy.stats import kendalltau, pearsonr, spearmanr

    has_variance = float(np.ptp(gold)) > 0 and float(np.ptp(predicted)) > 0
    error = predicted - gold
    sign = 1.0 if higher_is_better else -1.0
    return Accuracy(
        len(gold),
        float(pearsonr(gold, predicted).statistic) if has_variance else 0.0,
        float(spearmanr(gold, predicted).statistic) if has_variance else 0.0,
        float(kendalltau(gold, predicted).statistic) if has_variance else 0.0,
        float(np.abs(error).mean()),
        float(np.sqrt((error**2).mean())),
        delta_avg(sign * gold, sign * predicted),
    )


@dataclass(frozen=True)
class GradeAccuracy:
    """Predictions of one grade, which `segments` have: precision, recall and F1, None if they are 0 / 0."""

    grade: float
    segments: int
    precision: float | None
    recall: float | None
    f1: float | None


def evaluate_grades(gold: Float64s, predicted: Float64s, classes: Sequence[float]) -> tuple[GradeAccuracy, ...]:
    """Accuracy of predicted grades (n,) for every class; empty if some label is not one of the grades."""
    if not classes or not np.isin(gold, classes).all():
        return ()
    rows = []
    for grade in classes:
        segments, predictions = int((gold == grade).sum()), int((predicted == grade).sum())
        hits = int(((gold == grade) & (predicted == grade)).sum())
        rows.append(
            GradeAccuracy(
                grade, segments, _share(hits, predictions), _share(hits, segments), _share(2 * hits, segments + predictions)
            )
        )
    return tuple(rows)


def _share(part: int, total: int) -> float | None:
    return part / total if total else None
