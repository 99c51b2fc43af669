"""Compiled naive Bayes over the bytes of texts: an automaton finds the n-grams of a model, whose weights add up."""

import math

import numpy as np
from numba import njit

from app.arrays import Float32s, Float64s, Int32s, Int64s, UInt8s, UInt16s, UInt32s

__all__ = ["language_probabilities"]

# log(1 + n) for numbers of visits, most of which are small.
LOGARITHMS = np.log1p(np.arange(64)).astype(np.float32)
# Between the exponents of half and of single precision.
EXPONENT = np.float32(2.0**112)


@njit(cache=True, nogil=True)
def language_probabilities(
    data: UInt8s,
    ends: Int64s,
    moves: UInt32s,
    states: Int32s,
    weights: UInt16s,
    priors: Float32s,
    class_codes: Int64s,
    code_count: int,
) -> Float64s:
    """Probability of each code for each text; shape (texts, code_count). O(n-grams × classes) for a text.

    Text k is ``data[ends[k - 1]:ends[k]]``. Each row of `states` is a state of the automaton: the begin of its `moves`, of a state
    for each byte, and its feature, -1 for none. `weights` are bits of half-precision numbers, (features, classes); classes have
    `priors` and codes. The temperature of the softmax is the root of a text's number of bytes.
    """
    classes = len(priors)
    probabilities = np.zeros((len(ends), code_count))
    counts, text_features = np.zeros(len(weights), np.int32), np.empty(len(data), np.int64)
    sums, scores = np.empty(classes, np.float32), np.empty(classes)
    # The bits of a half-precision number, moved to those of single precision, are the number without `EXPONENT`.
    bits = np.empty(classes, np.uint32)
    numbers = bits.view(np.float32)
    begin = 0
    for text in range(len(ends)):
        size, state = 0, np.int64(0)
        for at in range(begin, ends[text]):
            state = np.int64(moves[states[state, 0] + data[at]])
            feature = states[state, 1]
            if feature >= 0:
                if counts[feature] == 0:
                    text_features[size] = feature
                    size += 1
                counts[feature] += 1
        sums[:] = 0.0
        for feature in text_features[:size]:
            count = counts[feature]
            counts[feature] = 0
            factor = LOGARITHMS[count] if count < len(LOGARITHMS) else np.float32(math.log1p(count))
            row = weights[feature]
            for k in range(classes):
                half = np.uint32(row[k])
                bits[k] = (half & np.uint32(0x8000)) << np.uint32(16) | (half & np.uint32(0x7FFF)) << np.uint32(13)
            for k in range(classes):
                sums[k] += factor * numbers[k]
        scores[:] = 0.0
        if size:
            temperature = math.sqrt(ends[text] - begin)
            for k in range(classes):
                scores[k] = (np.float64(sums[k] * EXPONENT) + np.float64(priors[k])) / temperature
        scores = np.exp(scores - scores.max())
        scores /= scores.sum()
        for k in range(classes):
            probabilities[text, class_codes[k]] += scores[k]
        begin = ends[text]
    return probabilities
