"""Compiled hashing of features and values into buckets."""

import numpy as np
from numba import njit

from app.arrays import Int32s, UInt64s
from app.text.hashing import combine

__all__ = ["hashed_buckets"]


@njit(cache=True, nogil=True)
def hashed_buckets(keys: UInt64s, seeds: UInt64s, buckets: int) -> Int32s:
    """The bucket of each key (k, positions) under the seed of its feature (k,); shape (positions, k)."""
    features, positions = keys.shape
    out = np.empty((positions, features), np.int32)
    size = np.uint64(buckets)
    for k in range(features):
        for i in range(positions):
            out[i, k] = np.int32(combine(seeds[k], keys[k, i]) % size)
    return out
