"""How many sentence pairs two phrases share, and how surprising that is."""

from math import lgamma, log

import numpy as np
from numba import njit

from app.arrays import Float64s, Int32s, Int64s

__all__ = ["surprise", "together"]


@njit(cache=True, nogil=True)
def together(
    sources: Int64s, targets: Int64s, source_offsets: Int64s, source_rows: Int32s, target_offsets: Int64s, target_rows: Int32s
) -> Int64s:
    """Sentences that are in the lists of both phrases of each row; lists are sorted, the shorter one is looked up in the longer
    one.
    """
    counts = np.zeros(len(sources), np.int64)
    for row in range(len(sources)):
        one = source_rows[source_offsets[sources[row]] : source_offsets[sources[row] + 1]]
        other = target_rows[target_offsets[targets[row]] : target_offsets[targets[row] + 1]]
        if len(other) < len(one):
            one, other = other, one
        low = 0
        for sentence in one:
            # In steps that double, then by halves.
            step, high = 1, low
            while high < len(other) and other[high] < sentence:
                low = high + 1
                high += step
                step *= 2
            high = min(high, len(other))
            while low < high:
                middle = (low + high) >> 1
                if other[middle] < sentence:
                    low = middle + 1
                else:
                    high = middle
            if low == len(other):
                break
            counts[row] += other[low] == sentence
    return counts


@njit(cache=True, nogil=True)
def surprise(both: Int64s, source: Int64s, target: Int64s, sentences: int) -> Float64s:
    """-ln p of Fisher's exact test: p is the probability of as many sentence pairs with both phrases, or more, by chance.

    `source` and `target` are numbers of sentences with either, of `sentences` in all (hypergeometric, one-sided).
    """
    result = np.empty(len(both))
    whole = lgamma(sentences + 1.0)
    for row in range(len(both)):
        k, a, b = both[row], source[row], target[row]
        least = max(0, a + b - sentences)
        if k <= least:
            result[row] = 0.0
            continue
        # Terms relative to the first one, each from the one before.
        first = (
            lgamma(a + 1.0) + lgamma(sentences - a + 1.0) + lgamma(b + 1.0) + lgamma(sentences - b + 1.0) - whole
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
