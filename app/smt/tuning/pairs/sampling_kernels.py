"""Pairs of hypotheses drawn from a list, compiled."""

import numpy as np
from numba import njit

from app.arrays import Float64s, Int64s

__all__ = ["admissible_pairs", "strongest_pairs"]


@njit(cache=True, nogil=True)
def strongest_pairs(
    gains: Float64s, top: Int64s, begin: int, end: int, draws: Float64s, most: int, keep: int, least: float, distinct: bool
) -> tuple[Int64s, Int64s, int]:
    """The `keep` drawn pairs that lie furthest apart, of equal ones those drawn first; and how many were far enough apart.

    Draw k takes its first hypothesis from `top` and its second from ``begin:end`` by the fractions ``draws[:, k]``. A pair is
    admissible where its gains differ by more than `least`; after `most` admissible ones nothing is drawn any more. If `distinct`, a
    pair is kept once, whichever of the two was drawn first.
    """
    first = np.empty(keep, np.int64)
    second = np.empty(keep, np.int64)
    apart = np.empty(keep)
    kept, admissible = 0, 0
    for k in range(draws.shape[1]):
        a = top[int(draws[0, k] * len(top))]
        b = begin + int(draws[1, k] * (end - begin))
        distance = abs(gains[a] - gains[b])
        if not distance > least:
            continue
        admissible += 1
        if (kept < keep or distance > apart[kept - 1]) and not (distinct and _is_kept(first[:kept], second[:kept], a, b)):
            at = kept if kept < keep else keep - 1
            while at > 0 and apart[at - 1] < distance:
                first[at], second[at], apart[at] = first[at - 1], second[at - 1], apart[at - 1]
                at -= 1
            first[at], second[at], apart[at] = a, b, distance
            kept = min(kept + 1, keep)
        if admissible == most:
            break
    return first[:kept], second[:kept], admissible


@njit(cache=True, nogil=True)
def _is_kept(first: Int64s, second: Int64s, a: int, b: int) -> bool:
    """Whether a pair, either way round, is among those kept."""
    kept = False
    for k in range(len(first)):
        kept = kept or (first[k] == a and second[k] == b) or (first[k] == b and second[k] == a)
    return kept


@njit(cache=True, nogil=True)
def admissible_pairs(gains: Float64s, offsets: Int64s, least: float) -> Int64s:
    """How many unordered pairs of each list have gains that differ by more than `least`; (n,)."""
    n = len(offsets) - 1
    out = np.zeros(n, np.int64)
    for i in range(n):
        ordered = np.sort(gains[offsets[i] : offsets[i + 1]])
        below = 0
        for k in range(len(ordered)):
            while below < k and ordered[k] - ordered[below] > least:
                below += 1
            out[i] += below
    return out
