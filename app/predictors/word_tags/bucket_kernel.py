"""Compiled hashing of features and values into buckets."""

import numpy as np
from numba import njit

from app.arrays import Float64s, Int32s, Int64s, UInt64s
from app.text.hashing import combine

__all__ = ["NO_NUMBER", "buckets_of_keys", "buckets_of_numbers", "hashed_buckets"]

# Stands for no places, and for no second key.
NO_NUMBER = -1
EDGE, EMPTY = np.uint64(1), np.uint64(2)


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


@njit(cache=True, inline="always")
def _key_at(keys: UInt64s, begin: int, places: Int64s, number: int, position: int) -> np.uint64:
    """The key that begins at `begin` of the token at a position; `EDGE` beyond the segment, `EMPTY` without a link."""
    if number == NO_NUMBER:
        return keys[begin + position]
    place = places[number, position]
    if place >= 0:
        return keys[begin + place]
    return EDGE if place == -1 else EMPTY


@njit(cache=True, nogil=True)
def buckets_of_keys(
    keys: UInt64s, begins: Int64s, places: Int64s, steps: Int64s, seeds: UInt64s, buckets: int, out: Int32s
) -> None:
    """Write the buckets of features that are keys into `out` (positions, k).

    Key array m begins at ``begins[m]`` of `keys`. `places` (p, positions) are places of tokens in such arrays. A row of `steps` has
    the column of `out`, then the numbers of an array and of places for both keys. `NO_NUMBER` stands for none.
    """
    size = np.uint64(buckets)
    for step in steps:
        column, seed = step[0], seeds[step[0]]
        for position in range(len(out)):
            key = _key_at(keys, begins[step[1]], places, step[2], position)
            if step[3] != NO_NUMBER:
                key = combine(key, _key_at(keys, begins[step[3]], places, step[4], position))
            out[position, column] = np.int32(combine(seed, key) % size)


@njit(cache=True, nogil=True)
def buckets_of_numbers(numbers: Float64s, edges: Float64s, columns: Int64s, seeds: UInt64s, buckets: int, out: Int32s) -> None:
    """Write the buckets of numbers (k, positions), binned at their `edges` (k, bins - 1), into `columns` (k,) of `out`."""
    size = np.uint64(buckets)
    for k in range(len(columns)):
        for position in range(numbers.shape[1]):
            # As np.searchsorted, which puts what is no number behind all edges.
            place = 0
            while place < edges.shape[1] and not numbers[k, position] <= edges[k, place]:
                place += 1
            out[position, columns[k]] = np.int32(combine(seeds[columns[k]], np.uint64(place)) % size)
