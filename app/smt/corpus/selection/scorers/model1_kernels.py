"""Compiled loop of scores of IBM model 1."""

import numpy as np
from numba import njit

from app.arrays import Float32s, Float64s, Int32s, Int64s, UInt64s
from app.text.hashing import combine, find_key

__all__ = ["score_model1"]


@njit(cache=True, nogil=True)
def score_model1(
    source: UInt64s,
    source_ids: Int32s,
    source_offsets: Int64s,
    target: UInt64s,
    target_ids: Int32s,
    target_offsets: Int64s,
    keys: UInt64s,
    probabilities: Float32s,
    floor: float,
) -> Float64s:
    """Mean log-probability of a target word of each segment, 0 for an empty target; shape (segments,).

    ``source`` and ``target`` are hashes of words; the hash of the empty word is 0. A pair of words has the probability of its key,
    but at least `floor`.
    """
    out = np.zeros(len(source_offsets) - 1)
    for s in range(len(out)):
        begin, end = source_offsets[s], source_offsets[s + 1]
        total = 0.0
        for j in range(target_offsets[s], target_offsets[s + 1]):
            word = target[target_ids[j]]
            probability = 0.0
            for i in range(begin - 1, end):
                source_word = np.uint64(0) if i < begin else source[source_ids[i]]
                row = find_key(keys, combine(source_word, word), 0, len(keys))
                probability += max(floor, probabilities[row]) if row >= 0 else floor
            total += np.log(probability / (end - begin + 1))
        length = target_offsets[s + 1] - target_offsets[s]
        out[s] = total / length if length else 0.0
    return out
