"""Compiled sampling of hypothesis pairs from a list."""

import numpy as np
from numba import njit

from app.arrays import Float64s, Int64s

__all__ = ["admissible_pairs", "strongest_pairs"]


@njit(cache=True, nogil=True)
def strongest_pairs(
    gains: Float64s, top: Int64s, begin: int, end: int, draws: Float64s, limit: int, keep: int, minimum: float, distinct: bool
) -> tuple[Int64s, Int64s, int]:
    """Return the `keep` drawn pairs with the largest difference (the first of equal ones), and the number of admissible draws.

    Draw k takes its first hypothesis from `top` and its second from ``begin:end``, by the fractions ``draws[:, k]``. A pair is
    admissible if its gains differ by more than `minimum`; drawing ends after `limit` admissible pairs. `distinct` keeps each
    unordered pair once.
    """
    first = np.empty(keep, np.int64)
    second = np.empty(keep, np.int64)
    differences = np.empty(keep)
    count, admissible, bound = 0, 0, minimum
    for k in range(draws.shape[1]):
        a = top[int(draws[0, k] * len(top))]
        b = begin + int(draws[1, k] * (end - begin))
        distance = abs(gains[a] - gains[b])
        # Counted without a branch, whose direction no processor could predict; few draws pass the bound.
        admissible += distance > minimum
        if distance > bound and not (distinct and _has_pair(first[:count], second[:count], a, b)):
            at = count if count < keep else keep - 1
            while at > 0 and differences[at - 1] < distance:
                first[at], second[at], differences[at] = first[at - 1], second[at - 1], differences[at - 1]
                at -= 1
            first[at], second[at], differences[at] = a, b, distance
            count = min(count + 1, keep)
            bound = max(minimum, differences[keep - 1]) if count == keep else minimum
        if admissible == limit:
            break
    return first[:count], second[:count], admissible


@njit(cache=True, nogil=True)
def _has_pair(first: Int64s, second: Int64s, a: int, b: int) -> bool:
    """Return True if an unordered pair is among the pairs."""
    is_member = False
    for k in range(len(first)):
        is_member = is_member or (first[k] == a and second[k] == b) or (first[k] == b and second[k] == a)
    return is_member


@njit(cache=True, nogil=True)
def admissible_pairs(gains: Float64s, offsets: Int64s, minimum: float) -> Int64s:
    """Count the unordered pairs of each list with a difference above `minimum`; (n,)."""
    n = len(offsets) - 1
    out = np.zeros(n, np.int64)
    for i in range(n):
        list_gains = np.sort(gains[offsets[i] : offsets[i + 1]])
        below = 0
        for k in range(len(list_gains)):
            while below < k and list_gains[k] - list_gains[below] > minimum:
                below += 1
            out[i] += below
    return out
