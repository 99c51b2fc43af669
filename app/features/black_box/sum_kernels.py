"""Compiled sums over the words of segments, for features of language models, corpora and lexical tables.

Sums run from the first word to the last, as those of NumPy's `bincount` do.
"""

import numpy as np
from numba import njit

from app.arrays import Bools, Float64s, Int32s, Int64s, UInt8s, UInt64s
from app.features.kernels import FIGURE, NAME
from app.text.hashing import find_key

__all__ = ["carried_shapes", "link_sums", "model_numbers", "translation_sums"]


@njit(cache=True, nogil=True)
def model_numbers(log_prob: Float64s, unknown: Int64s, orders: Int64s, offsets: Int64s, largest: float) -> Float64s:
    """Numbers of segments under a language model; shape (n, 6).

    Columns: log-probability; exponents of the perplexity with and without the end of sentence, up to `largest`, -inf without words;
    unknown words; sum of the orders of known n-grams; number of words with the end.
    """
    n = len(log_prob)
    out = np.empty((n, 6))
    for i in range(n):
        length = offsets[i + 1] - offsets[i]
        out[i, 0] = log_prob[i]
        for k in range(2):
            count = length - unknown[i] + 1 - k
            out[i, 1 + k] = min(max(-log_prob[i] / count, 0.0), largest) if count > 0 else -np.inf
        out[i, 3] = unknown[i]
        out[i, 4] = orders[i]
        out[i, 5] = length + 1
    return out


@njit(cache=True, nogil=True)
def translation_sums(
    source: UInt64s, translations: Int64s, words: UInt64s, word_counts: Int64s, hashes: UInt64s, ids: Int32s, offsets: Int64s
) -> Float64s:
    """Sums over the words of each segment: translations at k thresholds, times and over the word's frequency; shape (n, 3 k).

    `translations` (words of `source`, k) are those of the lexical table; `word_counts` are the frequencies of the sorted `words`.
    """
    thresholds = translations.shape[1]
    per_word = np.zeros((len(hashes), 3 * thresholds))
    for word in range(len(hashes)):
        row = find_key(source, hashes[word], 0, len(source))
        if row < 0:
            continue
        place = find_key(words, hashes[word], 0, len(words))
        frequency = float(word_counts[place]) if place >= 0 else 0.0
        for k in range(thresholds):
            count = float(translations[row, k])
            per_word[word, k] = count
            per_word[word, thresholds + k] = count * frequency
            per_word[word, 2 * thresholds + k] = count / frequency if frequency != 0.0 else 0.0
    out = np.zeros((len(offsets) - 1, 3 * thresholds))
    for i in range(len(offsets) - 1):
        for t in range(offsets[i], offsets[i + 1]):
            for k in range(3 * thresholds):
                out[i, k] += per_word[ids[t], k]
    return out


@njit(cache=True, nogil=True)
def link_sums(logs: Float64s, place: Int32s, offsets: Int64s, opposite_logs: Float64s) -> Float64s:
    """Sums over the words of each segment by their links; shape (n, 4).

    Log-probabilities of the words (tokens,) less the segment's `opposite_logs` (n,), words without a link, neighbouring linked
    words whose places run backwards, and all neighbouring linked words.
    """
    out = np.zeros((len(offsets) - 1, 4))
    for i in range(len(offsets) - 1):
        previous = -1
        for t in range(offsets[i], offsets[i + 1]):
            out[i, 0] += logs[t] - opposite_logs[i]
            if place[t] < 0:
                out[i, 1] += 1
                continue
            if previous >= 0:
                out[i, 2] += place[t] < previous
                out[i, 3] += 1
            previous = place[t]
    return out


@njit(cache=True, nogil=True)
def carried_shapes(shapes: UInt8s, ids: Int32s, offsets: Int64s, copy_mask: Bools) -> Float64s:
    """Names of each segment, and shares of its names and of its figures with a mark in `copy_mask` (tokens,); shape (n, 3).

    `shapes` (vocabulary,) have the flags NAME and FIGURE. The first word of a segment is no name. A share is 1 without such words.
    """
    out = np.zeros((len(offsets) - 1, 3))
    for i in range(len(offsets) - 1):
        names = figures = carried_names = carried_figures = 0
        for t in range(offsets[i], offsets[i + 1]):
            shape = shapes[ids[t]]
            if shape & NAME and t > offsets[i]:
                names += 1
                carried_names += copy_mask[t]
            if shape & FIGURE:
                figures += 1
                carried_figures += copy_mask[t]
        out[i, 0] = names
        out[i, 1] = carried_names / names if names else 1.0
        out[i, 2] = carried_figures / figures if figures else 1.0
    return out
