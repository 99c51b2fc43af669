"""Agreement of predicted and gold tags."""

from dataclasses import dataclass

import numpy as np

from app.arrays import Float64s, Int8s

__all__ = ["TagAccuracy", "best_threshold", "tag_accuracy"]


@dataclass(frozen=True)
class TagAccuracy:
    """F1 of both tags, their product, Matthews' correlation, and the share of BAD among gold and predicted tags."""

    mcc: float
    f1_ok: float
    f1_bad: float
    f1_product: float
    bad: float
    predicted_bad: float
    tags: int


def _mcc(tp: Float64s, fp: Float64s, fn: Float64s, tn: Float64s) -> Float64s:
    below = np.sqrt((tp + fp) * (tp + fn) * (tn + fp) * (tn + fn))
    out = np.zeros(np.shape(below))
    np.divide(tp * tn - fp * fn, below, out=out, where=below > 0)
    return out


def tag_accuracy(gold: Int8s, predicted: Int8s) -> TagAccuracy:
    """Compare tags, 1 for BAD."""
    tp, fp = float(((gold == 1) & (predicted == 1)).sum()), float(((gold == 0) & (predicted == 1)).sum())
    fn, tn = float(((gold == 1) & (predicted == 0)).sum()), float(((gold == 0) & (predicted == 0)).sum())
    f1_bad = 2 * tp / (2 * tp + fp + fn) if tp + fp + fn else 0.0
    f1_ok = 2 * tn / (2 * tn + fp + fn) if tn + fp + fn else 0.0
    mcc = float(_mcc(np.array(tp), np.array(fp), np.array(fn), np.array(tn)))
    n = max(1, len(gold))
    return TagAccuracy(mcc, f1_ok, f1_bad, f1_ok * f1_bad, (tp + fn) / n, (tp + fp) / n, len(gold))


def best_threshold(gold: Int8s, probabilities: Float64s) -> float:
    """The threshold on the probability of BAD with the highest MCC."""
    order = np.argsort(-probabilities, kind="stable")
    sorted_gold, values = gold[order].astype(np.float64), probabilities[order]
    tp, fp = np.cumsum(sorted_gold), np.cumsum(1 - sorted_gold)
    # A threshold separates different probabilities.
    last = np.append(values[1:] != values[:-1], True) if len(values) else np.zeros(0, np.bool_)
    scores = np.where(last, _mcc(tp, fp, tp[-1] - tp, fp[-1] - fp), -1.0) if len(values) else np.zeros(0)
    return float(values[int(np.argmax(scores))]) if len(scores) else 0.5
