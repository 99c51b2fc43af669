"""Compiled search of the best paths through a confusion network."""

import numpy as np
from numba import njit

from app.arrays import Float64s, Int32s, Int64s

__all__ = ["best_paths"]


@njit(cache=True, nogil=True)
def best_paths(scores: Float64s, offsets: Int64s, limit: int) -> Int32s:
    """Return at most `limit` paths with the highest sums of arc scores, best first; shape (paths, slots).

    Slot t has the arcs ``offsets[t]:offsets[t + 1]`` of `scores`; a path has one arc per slot. Of equal paths, earlier arcs come
    first.
    """
    slots = len(offsets) - 1
    totals = np.zeros(1)
    parents = np.zeros((slots, limit), np.int32)
    arcs = np.zeros((slots, limit), np.int32)
    for t in range(slots):
        width = offsets[t + 1] - offsets[t]
        sums = np.empty(len(totals) * width)
        for p in range(len(totals)):
            for a in range(width):
                sums[p * width + a] = totals[p] + scores[offsets[t] + a]
        order = np.argsort(-sums, kind="mergesort")[:limit]
        totals = sums[order]
        for k in range(len(order)):
            parents[t, k] = order[k] // width
            arcs[t, k] = offsets[t] + order[k] % width
    out = np.zeros((len(totals), slots), np.int32)
    for k in range(len(totals)):
        place = k
        for t in range(slots - 1, -1, -1):
            out[k, t] = arcs[t, place]
            place = parents[t, place]
    return out
