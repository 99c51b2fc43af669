"""Compiled sampling of hypothesis pairs from lists."""

import numpy as np
from numba import njit

from app.arrays import Float64s, Int64s

__all__ = ["admissible_pairs", "strongest_pairs"]


@njit(cache=True, nogil=True)
def strongest_pairs(
    gains: Float64s,
    tops: Int64s,
    top_offsets: Int64s,
    spans: Int64s,
    draws: Float64s,
    limit: int,
    keep: int,
    minimum: float,
    distinct: bool,
) -> tuple[Int64s, Int64s, Int64s, Int64s]:
    """The `keep` drawn pairs of each list with the largest difference, the first of equal ones.

    Draw k of list i takes its first hypothesis from ``tops[top_offsets[i]:top_offsets[i + 1]]`` and its second from
    ``spans[i, 0]:spans[i, 1]``, by the fractions ``draws[i, :, k]``. A pair is admissible if its gains differ by more than
    `minimum`; drawing ends after `limit` admissible pairs. `distinct` keeps each unordered pair once.
    Returns the first and second hypotheses of all pairs, list by list; the number of pairs of each list; and that of its
    admissible draws.
    """
    lists, size = len(spans), draws.shape[2]
    first, second = np.empty((2, lists * keep), np.int64)
    counts, admissible = np.zeros(lists, np.int64), np.zeros(lists, np.int64)
    differences = np.empty(size)
    best, places = np.empty(keep), np.empty(keep, np.int64)
    total = 0
    for i in range(lists):
        top, begin, end = tops[top_offsets[i] : top_offsets[i + 1]], spans[i, 0], spans[i, 1]
        _measure(draws[i], gains[top], gains[begin:end], differences)
        stop = size
        for k in range(size):
            admissible[i] += differences[k] > minimum
        if admissible[i] > limit:
            admissible[i] = stop = 0
            while admissible[i] < limit:
                admissible[i] += differences[stop] > minimum
                stop += 1
        count, bound = 0, minimum
        first_of_list, second_of_list = first[total : total + keep], second[total : total + keep]
        for k in range(stop):
            difference = differences[k]
            if not difference > bound:
                continue
            a, b = top[int(draws[i, 0, k] * len(top))], begin + int(draws[i, 1, k] * (end - begin))
            if distinct and _has_pair(first_of_list[:count], second_of_list[:count], a, b):
                continue
            # Pairs stay at their places, and the order of places changes: it is short.
            place, at = (count, count) if count < keep else (places[keep - 1], keep - 1)
            while at > 0 and best[at - 1] < difference:
                best[at], places[at] = best[at - 1], places[at - 1]
                at -= 1
            best[at], places[at] = difference, place
            first_of_list[place], second_of_list[place] = a, b
            count = min(count + 1, keep)
            bound = max(minimum, best[keep - 1]) if count == keep else minimum
        order = places[:count]
        first_of_list[:count], second_of_list[:count] = first_of_list[order], second_of_list[order]
        counts[i] = count
        total += count
    return first[:total], second[:total], counts, admissible


@njit(cache=True, nogil=True)
def _measure(draws: Float64s, first: Float64s, second: Float64s, differences: Float64s) -> None:
    """Write the differences of gains of all draws: a loop without branches, which compiles to vectors."""
    for k in range(len(differences)):
        a, b = np.uint64(draws[0, k] * len(first)), np.uint64(draws[1, k] * len(second))
        differences[k] = abs(first[a] - second[b])


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
