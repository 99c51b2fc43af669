"""Zones and walls in the search: which spans may come next is a matter of what is translated, and not of the order of that."""

import numpy as np
from numba import njit

from app.arrays import Int64s, UInt64s
from app.smt.decoder.coverage_kernels import is_free

__all__ = ["count_free", "in_order"]


@njit(cache=True, nogil=True)
def count_free(bits: UInt64s, zones: Int64s, walls: Int64s) -> tuple[Int64s, Int64s]:
    """How many words of each zone, and before each wall, are not translated."""
    of_zones, of_walls = np.zeros(len(zones), np.int64), np.zeros(len(walls), np.int64)
    for z in range(len(zones)):
        for t in range(zones[z, 0], zones[z, 1]):
            of_zones[z] += is_free(bits, t)
    for w in range(len(walls)):
        for t in range(walls[w, 0], walls[w, 1]):
            of_walls[w] += is_free(bits, t)
    return of_zones, of_walls


@njit(cache=True, nogil=True)
def in_order(
    zones: Int64s, walls: Int64s, of_zones: Int64s, of_walls: Int64s, gap: int, start: int, end: int, distortion: int
) -> bool:
    """Whether words start to before end, none of which is translated, may come next, the first that is not translated being `gap`.

    A phrase over the edge of a zone may begin it or end it, one over a wall has to leave nothing before it.
    """
    for z in range(len(zones)):
        begin, stop, free = zones[z, 0], zones[z, 1], of_zones[z]
        inside = min(end, stop) - max(start, begin)
        touches = inside > 0
        if free == 0 or (touches and inside == free):
            continue
        begun = free < stop - begin
        if begun and (not touches or start < begin or end > stop):
            return False
        # Its last word would be beyond the reach of the first gap.
        if touches and start != gap and gap < begin and distortion >= 0 and stop - gap > distortion:
            return False
    for w in range(len(walls)):
        begin, wall, stop = walls[w, 0], walls[w, 1], walls[w, 2]
        if start < stop and end > wall and of_walls[w] > max(0, min(end, wall) - max(start, begin)):
            return False
    return True
