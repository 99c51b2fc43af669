"""Compiled walk of an automaton over the bytes of a text, which finds the byte n-grams of a language model."""

import numpy as np
from numba import njit

from app.arrays import Float32s, Int32s, Int64s, UInt8s, UInt16s, UInt32s

__all__ = ["visited_features", "widened_rows"]


@njit(cache=True, nogil=True)
def visited_features(data: UInt8s, moves: UInt32s, rows: Int64s, outputs: Int32s) -> tuple[Int64s, Float32s]:
    """Features of a text in the order of their first visit, and their numbers of visits; shape (visited,) each.

    Byte b leads from state s to state ``moves[rows[s] + b]``, which has the feature ``outputs[state]``, -1 for none.
    """
    # An open-addressed hash table of the places of features among the visited ones, at most half full.
    slots = 16
    while slots < 2 * len(data):
        slots *= 2
    places = np.full(slots, -1, np.int64)
    features, counts = np.empty(len(data), np.int64), np.zeros(len(data), np.float32)
    size = 0
    state = np.int64(0)
    for byte in data:
        state = np.int64(moves[rows[state] + byte])
        feature = outputs[state]
        if feature < 0:
            continue
        slot = (feature * 0x9E3779B1) & (slots - 1)
        while places[slot] >= 0 and features[places[slot]] != feature:
            slot = (slot + 1) & (slots - 1)
        if places[slot] < 0:
            places[slot] = size
            features[size] = feature
            size += 1
        counts[places[slot]] += 1
    return features[:size].copy(), counts[:size].copy()


@njit(cache=True, nogil=True)
def widened_rows(halves: UInt16s, rows: Int64s) -> UInt32s:
    """Bits of single-precision numbers: those of the half-precision `halves` (n, m) in `rows` (r,), over 2^112; shape (r, m)."""
    out = np.empty((len(rows), halves.shape[1]), np.uint32)
    for i in range(len(rows)):
        for k in range(halves.shape[1]):
            bits = np.uint32(halves[rows[i], k])
            out[i, k] = (bits & np.uint32(0x8000)) << np.uint32(16) | (bits & np.uint32(0x7FFF)) << np.uint32(13)
    return out
