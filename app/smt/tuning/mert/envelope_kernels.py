"""Compiled upper envelopes: along a direction, each hypothesis is a line (Och 2003; Macherey et al. 2008)."""

import numpy as np
from numba import njit

from app.arrays import Float64s, Int64s

__all__ = ["sum_along", "trace_envelopes"]


@njit(cache=True, nogil=True, error_model="numpy")
def trace_envelopes(
    intercepts: Float64s, slopes: Float64s, offsets: Int64s, statistics: Float64s
) -> tuple[Int64s, Float64s, Int64s, Int64s]:
    """Find the changes of the best hypothesis along γ; hypothesis h scores ``intercepts[h] + γ · slopes[h]``.

    Returns the best hypothesis of each list at γ = -∞ (n,); then, list by list, each change: its γ, the old best hypothesis and
    the new one. Of equal lines the first counts. A change between equal rows of `statistics` (h, s) is left out.
    """
    n = len(offsets) - 1
    longest = 1
    for i in range(n):
        longest = max(longest, offsets[i + 1] - offsets[i])
    first = np.empty(n, np.int64)
    places = np.empty(len(slopes), np.float64)
    before = np.empty(len(slopes), np.int64)
    after = np.empty(len(slopes), np.int64)
    hull = np.empty(longest + 1, np.int64)
    begins = np.empty(longest + 1, np.float64)
    numbers = np.empty((4, longest), np.float64)
    members = np.empty((2, longest), np.int64)
    edges = np.empty((longest + 2, 5), np.int64)
    count = 0
    for i in range(n):
        top = _hull(intercepts, slopes, offsets[i], offsets[i + 1], hull, begins, numbers, members, edges)
        line = hull[0]
        first[i] = line
        for k in range(1, top):
            if _differ(statistics, line, hull[k]):
                places[count], before[count], after[count] = begins[k], line, hull[k]
                count += 1
                line = hull[k]
    return first, places[:count], before[:count], after[:count]


@njit(cache=True, nogil=True)
def _differ(statistics: Float64s, first: int, second: int) -> bool:
    for k in range(statistics.shape[1]):  # noqa: SIM110 - as compiled
        if statistics[first, k] != statistics[second, k]:
            return True
    return False


@njit(cache=True, nogil=True, error_model="numpy")
def _hull(
    intercepts: Float64s,
    slopes: Float64s,
    begin: int,
    end: int,
    hull: Int64s,
    begins: Float64s,
    numbers: Float64s,
    members: Int64s,
    edges: Int64s,
) -> int:
    """Write the envelope of one list into `hull`, and the begin of each line into `begins`; return the number of lines.

    Between two lines of the envelope, another line belongs to it only if it passes above their crossing; the highest one there
    does. It divides the rest: flatter lines can only lie to its left, steeper ones to its right (Barber et al. 1996).
    """
    low = high = begin
    flattest = steepest = slopes[begin]
    height_l = height_r = intercepts[begin]
    for h in range(begin + 1, end):
        steep, height = slopes[h], intercepts[h]
        if steep <= flattest and (steep < flattest or height > height_l):
            low, flattest, height_l = h, steep, height
        if steep >= steepest and (steep > steepest or height > height_r):
            high, steepest, height_r = h, steep, height
    hull[0], begins[0], top = low, -np.inf, 1
    if slopes[high] == slopes[low]:
        return top
    heights, steeps, spare_heights, spare_steeps = numbers[0], numbers[1], numbers[2], numbers[3]
    ids, spare_ids = members[0], members[1]
    place = (intercepts[low] - intercepts[high]) / (slopes[high] - slopes[low])
    level = max(intercepts[low] + place * slopes[low], intercepts[high] + place * slopes[high])
    size, best, best_value = 0, -1, level
    for h in range(begin, end):
        value = intercepts[h] + place * slopes[h]
        # Always written, even if it does not stay: an unpredictable branch costs more than it saves.
        heights[size], steeps[size], ids[size] = intercepts[h], slopes[h], h
        size += value > level
        if value > best_value:
            best, best_value = h, value
    # An edge: its two lines, the line between them or -1, and the range of the lines above their crossing.
    edges[0, 0], edges[0, 1], edges[0, 2], edges[0, 3], edges[0, 4] = low, high, best, 0, size
    waiting = 1
    while waiting:
        waiting -= 1
        low, high, middle, lo, hi = edges[waiting, 0], edges[waiting, 1], edges[waiting, 2], edges[waiting, 3], edges[waiting, 4]
        if middle < 0:
            place = (intercepts[low] - intercepts[high]) / (slopes[high] - slopes[low])
            # Rounding must not swap two changes: no weights choose the hypothesis between swapped ones.
            hull[top], begins[top] = high, max(place, begins[top - 1])
            top += 1
            continue
        a, b = intercepts[middle], slopes[middle]
        place_l = (intercepts[low] - a) / (b - slopes[low])
        place_r = (a - intercepts[high]) / (slopes[high] - b)
        level_l = max(intercepts[low] + place_l * slopes[low], a + place_l * b)
        level_r = max(intercepts[high] + place_r * slopes[high], a + place_r * b)
        best_l, best_r, most_l, most_r = -1, -1, level_l, level_r
        left, right = 0, lo
        for k in range(lo, hi):
            height, steep, h = heights[k], steeps[k], ids[k]
            value_l, value_r = height + place_l * steep, height + place_r * steep
            above_l = (steep < b) & (value_l > level_l)
            above_r = (steep > b) & (value_r > level_r)
            spare_heights[left], spare_steeps[left], spare_ids[left] = height, steep, h
            left += above_l
            heights[right], steeps[right], ids[right] = height, steep, h
            right += above_r
            if above_l & (value_l > most_l):
                best_l, most_l = h, value_l
            if above_r & (value_r > most_r):
                best_r, most_r = h, value_r
        end_l = right + left
        for k in range(left):
            heights[right + k], steeps[right + k], ids[right + k] = spare_heights[k], spare_steeps[k], spare_ids[k]
        edges[waiting, 0], edges[waiting, 1], edges[waiting, 2] = middle, high, best_r
        edges[waiting, 3], edges[waiting, 4] = lo, right
        waiting += 1
        edges[waiting, 0], edges[waiting, 1], edges[waiting, 2] = low, middle, best_l
        edges[waiting, 3], edges[waiting, 4] = right, end_l
        waiting += 1
    return top


@njit(cache=True, nogil=True)
def sum_along(statistics: Float64s, base: Float64s, before: Int64s, after: Int64s) -> Float64s:
    """Return sums of statistics: `base` (s,), then after each change of `before` to `after`; (m + 1, s), column-major."""
    sums = np.empty((len(base), len(before) + 1))
    sums[:, 0] = base
    running = base.copy()
    for j in range(len(before)):
        for k in range(len(base)):
            running[k] += statistics[after[j], k] - statistics[before[j], k]
            sums[k, j + 1] = running[k]
    return sums.T
