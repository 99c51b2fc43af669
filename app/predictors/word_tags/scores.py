"""Agreement of predicted and gold tags."""

from dataclasses import dataclass

import numpy as np

from app.arrays import Float64s, Int8s

__all__ = ["TagAccuracy", "accuracy_of_counts", "best_threshold", "tag_accuracy", "tag_counts"]


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
    return accuracy_of_counts(tag_counts(gold, predicted))


def tag_counts(gold: Int8s, predicted: Int8s) -> Float64s:
    """Numbers of tags by gold tag and predicted tag, 1 for BAD; (2, 2)."""
    return np.bincount(2 * gold.astype(np.int64) + predicted, minlength=4).reshape(2, 2).astype(np.float64)


def accuracy_of_counts(counts: Float64s) -> TagAccuracy:
    """Measures of numbers of tags (2, 2), as `tag_counts` returns them."""
    (tn, fp), (fn, tp) = counts.tolist()
    f1_bad = 2 * tp / (2 * tp + fp + fn) if tp + fp + fn else 0.0
    f1_ok = 2 * tn / (2 * tn + fp + fn) if tn + fp + fn else 0.0
    mcc = float(_mcc(np.array(tp), np.array(fp), np.array(fn), np.array(tn)))
    total = tp + fp + fn + tn
    n = max(1.0, total)
    return TagAccuracy(mcc, f1_ok, f1_bad, f1_ok * f1_bad, (tp + fn) / n, (tp + fp) / n, int(total))


def best_threshold(gold: Int8s, probabilities: Float64s) -> float:
    """The threshold on the probability of BAD with the highest MCC."""
    order = np.argsort(-probabilities, kind="stable")
    sorted_gold, values = gold[order].astype(np.float64), probabilities[order]
    tp, fp = np.cumsum(sorted_gold), np.cumsum(1 - sorted_gold)
    # A threshold separates different probabilities.
    last = np.append(values[1:] != values[:-1], True) if len(values) else np.zeros(0, np.bool_)
    scores = np.where(last, _mcc(tp, fp, tp[-1] - tp, fp[-1] - fp), -1.0) if len(values) else np.zeros(0)
    return float(values[int(np.argmax(scores))]) if len(scores) else 0.5
