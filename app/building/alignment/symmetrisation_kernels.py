"""Compiled loops of symmetrisation: a segment's links of both directions in one matrix, which grows."""

import numpy as np
from numba import njit

from app.arrays import Int32s, Int64s, UInt8s

__all__ = ["INTERSECTION", "UNION", "symmetrise_segments"]

# Bits of a cell: linked by one direction, linked by the other, linked in the result.
FORWARD, BACKWARD, LINK = 1, 2, 4
# Growth: how many of the neighbours below count. Final: which end of a link must still be free.
INTERSECTION, UNION = 0, -1
NEIGHBOURS = ((-1, 0), (0, -1), (1, 0), (0, 1), (-1, -1), (-1, 1), (1, -1), (1, 1))


@njit(cache=True, nogil=True)
def _grow(cells: UInt8s, sources: UInt8s, targets: UInt8s, neighbours: int, immediate: bool) -> None:
    """Add neighbours of links, of the union and with a free end, until none is left.

    Links are gone through by source word, then by target word. A round starts from the links before it, or, `immediate`, also from
    those that were added in this round and stand later.
    """
    rows, columns = cells.shape
    before = cells.copy()
    has_new_links = True
    while has_new_links:
        has_new_links = False
        if not immediate:
            before[:] = cells
        for i in range(rows):
            for j in range(columns):
                if not (cells if immediate else before)[i, j] & LINK:
                    continue
                for step in range(neighbours):
                    a, b = i + NEIGHBOURS[step][0], j + NEIGHBOURS[step][1]
                    if a < 0 or b < 0 or a >= rows or b >= columns or cells[a, b] == 0 or cells[a, b] & LINK:
                        continue
                    if sources[a] == 0 or targets[b] == 0:
                        cells[a, b] |= LINK
                        sources[a] = targets[b] = 1
                        has_new_links = True


@njit(cache=True, nogil=True)
def _size(offsets: Int64s, positions: Int32s, s: int, other_offsets: Int64s, other_positions: Int32s) -> int:
    """Words of a segment up to the last one that has a link."""
    size = 0
    for k in range(offsets[s], offsets[s + 1]):
        size = max(size, positions[k] + 1)
    for k in range(other_offsets[s], other_offsets[s + 1]):
        size = max(size, other_positions[k] + 1)
    return size


@njit(cache=True, nogil=True)
def symmetrise_segments(
    straight_offsets: Int64s,
    straight_source: Int32s,
    straight_target: Int32s,
    inverse_offsets: Int64s,
    inverse_source: Int32s,
    inverse_target: Int32s,
    neighbours: int,
    final: int,
    immediate: bool,
) -> tuple[Int64s, Int32s, Int32s]:
    """Offsets, source and target places of the links of two directions symmetrised; O(I × J) a round of a segment.

    `neighbours` is `UNION`, `INTERSECTION`, or how many kinds of neighbours links grow to (4 or 8). Then `final` adds the links
    of either direction with 1 at least one end free, 2 both ends free, 0 none.
    """
    n = len(straight_offsets) - 1
    capacity = len(straight_source) + len(inverse_source)
    offsets = np.zeros(n + 1, np.int64)
    source, target = np.empty(capacity, np.int32), np.empty(capacity, np.int32)
    at = 0
    for s in range(n):
        rows = _size(straight_offsets, straight_source, s, inverse_offsets, inverse_source)
        columns = _size(straight_offsets, straight_target, s, inverse_offsets, inverse_target)
        cells = np.zeros((rows, columns), np.uint8)
        sources, targets = np.zeros(rows, np.uint8), np.zeros(columns, np.uint8)
        for k in range(straight_offsets[s], straight_offsets[s + 1]):
            cells[straight_source[k], straight_target[k]] |= FORWARD
        for k in range(inverse_offsets[s], inverse_offsets[s + 1]):
            cells[inverse_source[k], inverse_target[k]] |= BACKWARD
        for i in range(rows):
            for j in range(columns):
                if cells[i, j] == FORWARD | BACKWARD or (neighbours == UNION and cells[i, j]):
                    cells[i, j] |= LINK
                    sources[i] = targets[j] = 1
        if neighbours > 0:
            _grow(cells, sources, targets, neighbours, immediate)
        for direction in (FORWARD, BACKWARD):
            for i in range(rows):
                for j in range(columns):
                    free = (sources[i] == 0) + (targets[j] == 0)
                    if final and cells[i, j] & direction and free >= final:
                        cells[i, j] |= LINK
                        sources[i] = targets[j] = 1
        for i in range(rows):
            for j in range(columns):
                if cells[i, j] & LINK:
                    source[at], target[at] = i, j
                    at += 1
        offsets[s + 1] = at
    return offsets, source[:at].copy(), target[:at].copy()
