"""Posterior probabilities in lists: of hypotheses, of their lengths and of their n-grams.

Srivastava's thesis 4.4.3 (4.2, 4.3), after Zens and Ney 2006.
"""

from typing import Final

import numpy as np

from app.arrays import Float64s, Int64s
from app.smt.lists.reranking.list_ngrams import ListNgrams

__all__ = ["JOINING", "length_posteriors", "ngram_posteriors", "probabilities"]

# Ways to combine the n-grams of a hypothesis into one value.
JOINING: Final = ("conditional", "joint")


def probabilities(scores: Float64s, offsets: Int64s, scale: float = 1.0) -> Float64s:
    """Return Pr(e|f) of each hypothesis: the softmax of ``scale · score`` over its list; (h,) to (h,)."""
    segments = np.repeat(np.arange(len(offsets) - 1), np.diff(offsets))
    highest = np.full(len(offsets) - 1, -np.inf)
    np.maximum.at(highest, segments, scores)
    # Subtract before scaling: scaled totals could overflow.
    with np.errstate(over="ignore"):
        shares = np.exp(scale * (scores - highest[segments]))
    return np.asarray(shares / _summed(segments, shares, len(offsets) - 1)[segments])


def length_posteriors(lengths: Int64s, shares: Float64s, offsets: Int64s) -> Float64s:
    """Return ln Pr(|e| | f): the log-probability of the hypothesis' length in its list; (h,)."""
    segments = np.repeat(np.arange(len(offsets) - 1), np.diff(offsets))
    keys = segments * (int(lengths.max(initial=0)) + 1) + lengths
    _, groups = np.unique(keys, return_inverse=True)
    return _logs(_summed(groups, shares)[groups])


def ngram_posteriors(ngrams: ListNgrams, shares: Float64s, order: int = 4, joining: str = "conditional") -> Float64s:
    """Return the mean log-probability of a hypothesis' n-grams in its list; (h,), 0 without n-grams.

    ``conditional``: the mean of ln p(e_i | the order - 1 words before it), by fractional counts; the first histories are shorter.
    ``joint``: the mean of ln Pr(n-gram | f), the share of its fractional count among all n-grams of the order.
    """
    weights = shares[ngrams.hypotheses]
    if joining == "joint":
        return _mean_joint(ngrams, weights, order)
    counts = [_summed(rows[rows >= 0], weights[rows >= 0]) for rows in ngrams.rows[:order]]
    totals = _summed(ngrams.segments, weights)
    log_probs = np.empty(len(weights))
    for size in range(1, order + 1):
        # The word at position k ends an n-gram of k + 1 words, up to `order` words.
        ends = np.flatnonzero((ngrams.places == size - 1) | ((ngrams.places >= size) & (size == order)))
        begins = ends - size + 1
        total = counts[size - 1][ngrams.rows[size - 1][begins]]
        history = totals[ngrams.segments[begins]] if size == 1 else counts[size - 2][ngrams.rows[size - 2][begins]]
        log_probs[ends] = _logs(total) - _logs(history)
    return _means(log_probs, ngrams.hypotheses, len(shares))


def _mean_joint(ngrams: ListNgrams, weights: Float64s, order: int) -> Float64s:
    rows = ngrams.rows[order - 1]
    indices = np.flatnonzero(rows >= 0)
    counts = _summed(rows[indices], weights[indices])
    totals = _summed(ngrams.segments[indices], weights[indices], len(ngrams.offsets) - 1)
    log_probs = _logs(counts[rows[indices]]) - _logs(totals[ngrams.segments[indices]])
    return _means(log_probs, ngrams.hypotheses[indices], ngrams.size)


def _means(values: Float64s, owners: Int64s, size: int) -> Float64s:
    return np.asarray(_summed(owners, values, size) / np.maximum(np.bincount(owners, minlength=size), 1))


def _logs(values: Float64s) -> Float64s:
    """Return natural logs; an underflow to 0 counts as the smallest positive double."""
    return np.asarray(np.log(np.maximum(values, np.finfo(np.float64).tiny)))


def _summed(groups: Int64s, values: Float64s, size: int = 0) -> Float64s:
    return np.bincount(groups, values, size).astype(np.float64)
