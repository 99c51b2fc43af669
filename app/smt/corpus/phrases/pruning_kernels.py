"""Number of sentence pairs that two phrases share, and the surprise of this number."""

from math import lgamma, log

import numpy as np
from numba import njit

from app.arrays import Float64s, Int32s, Int64s

__all__ = ["shared_counts", "surprise"]


@njit(cache=True, nogil=True)
def shared_counts(
    sources: Int64s, targets: Int64s, source_offsets: Int64s, source_rows: Int32s, target_offsets: Int64s, target_rows: Int32s
) -> Int64s:
    """Number of sentences in the sorted lists of both phrases of each row; shape (rows,). Searches the longer list."""
    counts = np.zeros(len(sources), np.int64)
    for row in range(len(sources)):
        shorter = source_rows[source_offsets[sources[row]] : source_offsets[sources[row] + 1]]
        longer = target_rows[target_offsets[targets[row]] : target_offsets[targets[row] + 1]]
        if len(longer) < len(shorter):
            shorter, longer = longer, shorter
        low = 0
        for sentence in shorter:
            # Galloping search: doubled steps, then bisection.
            step, high = 1, low
            while high < len(longer) and longer[high] < sentence:
                low = high + 1
                high += step
                step *= 2
            high = min(high, len(longer))
            while low < high:
                middle = (low + high) >> 1
                if longer[middle] < sentence:
                    low = middle + 1
                else:
                    high = middle
            if low == len(longer):
                break
            counts[row] += longer[low] == sentence
    return counts


@njit(cache=True, nogil=True)
def surprise(shared: Int64s, source: Int64s, target: Int64s, sentences: int) -> Float64s:
    """-ln p of Fisher's exact test (hypergeometric, one-sided) of each row; shape (rows,).

    p is the probability of at least `shared` sentence pairs with both phrases by chance. `source` and `target` count the sentences
    with each phrase, among `sentences`.
    """
    result = np.empty(len(shared))
    log_total = lgamma(sentences + 1.0)
    for row in range(len(shared)):
        k, a, b = shared[row], source[row], target[row]
        minimum = max(0, a + b - sentences)
        if k <= minimum:
            result[row] = 0.0
            continue
        # Each term relative to the first; the recursion gives it from the previous term.
        first = (
            lgamma(a + 1.0) + lgamma(sentences - a + 1.0) + lgamma(b + 1.0) + lgamma(sentences - b + 1.0) - log_total
            - lgamma(k + 1.0) - lgamma(a - k + 1.0) - lgamma(b - k + 1.0) - lgamma(sentences - a - b + k + 1.0)
        )  # fmt: skip
        total, term, scale = 1.0, 1.0, 0.0
        while k < min(a, b):
            term *= (a - k) * (b - k) / ((k + 1.0) * (sentences - a - b + k + 1.0))
            total += term
            k += 1
            if total > 1e200:
                scale += log(total)
                term /= total
                total = 1.0
            if term < 1e-17 * total and (a - k) * (b - k) < (k + 1.0) * (sentences - a - b + k + 1.0):
                break
        result[row] = max(0.0, -(first + scale + log(total)))
    return result
