"""Zones and walls in the search: the coverage alone determines the spans that may come next."""

import numpy as np
from numba import njit

from app.arrays import Int64s, UInt64s
from app.smt.decoder.coverage_kernels import is_free

__all__ = ["count_free", "in_order"]


@njit(cache=True, nogil=True)
def count_free(bits: UInt64s, zones: Int64s, walls: Int64s) -> tuple[Int64s, Int64s]:
    """Numbers of free words of each zone, and before each wall."""
    zone_counts, wall_counts = np.zeros(len(zones), np.int64), np.zeros(len(walls), np.int64)
    for z in range(len(zones)):
        for t in range(zones[z, 0], zones[z, 1]):
            zone_counts[z] += is_free(bits, t)
    for w in range(len(walls)):
        for t in range(walls[w, 0], walls[w, 1]):
            wall_counts[w] += is_free(bits, t)
    return zone_counts, wall_counts


@njit(cache=True, nogil=True)
def in_order(
    zones: Int64s, walls: Int64s, zone_counts: Int64s, wall_counts: Int64s, gap: int, start: int, end: int, distortion: int
) -> bool:
    """Return True if the free words start to before end may come next; `gap` is the first free word.

    A phrase across the edge of a zone may begin or end it. A phrase across a wall must leave no free word before it.
    """
    for z in range(len(zones)):
        begin, stop, free = zones[z, 0], zones[z, 1], zone_counts[z]
        inside = min(end, stop) - max(start, begin)
        touches = inside > 0
        if free == 0 or (touches and inside == free):
            continue
        entered = free < stop - begin
        if entered and (not touches or start < begin or end > stop):
            return False
        # The last word of the zone would be out of reach of the first gap.
        if touches and start != gap and gap < begin and distortion >= 0 and stop - gap > distortion:
            return False
    for w in range(len(walls)):
        begin, wall, stop = walls[w, 0], walls[w, 1], walls[w, 2]
        if start < stop and end > wall and wall_counts[w] > max(0, min(end, wall) - max(start, begin)):
            return False
    return True
