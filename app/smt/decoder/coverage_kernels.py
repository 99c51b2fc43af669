"""Interned coverages of a sentence, as bits, lengths of jumps, and interned stacks of blocks for hierarchical reordering."""

import numpy as np
from numba import njit

from app.arrays import Float64s, Int64s, UInt64s

__all__ = ["OUT_OF_REACH", "cover", "doubled_slots", "future_cost", "is_free", "join_block", "jump_length", "mix"]

# Distance of nodes of a lattice without a path between them.
OUT_OF_REACH = 1 << 30


@njit(cache=True, inline="always")
def is_free(bits: UInt64s, t: int) -> bool:
    """Return True if word t is not translated yet."""
    return (bits[t >> 6] >> np.uint64(t & 63)) & np.uint64(1) == np.uint64(0)


@njit(cache=True, inline="always")
def mix(key: int) -> int:
    """Return a hash of a number."""
    key = np.int64(key) * np.int64(-7046029254386353131)
    return key ^ ((key >> 29) & np.int64(0x7FFFFFFFF))


@njit(cache=True, inline="always")
def jump_length(distances: Int64s, first: int, second: int) -> int:
    """Words that a jump skips: the difference of places in a text, the shortest path in a lattice."""
    return abs(second - first) if len(distances) == 1 else distances[first, second]


@njit(cache=True, nogil=True)
def cover(coverages: UInt64s, slots: Int64s, counts: Int64s, parent: int, start: int, end: int) -> int:
    """Intern the coverage of `parent` with words `start` to before `end`, and return its number; new bits follow the last row."""
    new = counts[0]
    mark = np.int64(17)
    for w in range(coverages.shape[1]):
        coverages[new, w] = coverages[parent, w]
    for t in range(start, end):
        coverages[new, t >> 6] |= np.uint64(1) << np.uint64(t & 63)
    for w in range(coverages.shape[1]):
        mark = mix(mark ^ np.int64(coverages[new, w]))
    mask = len(slots) - 1
    at = mark & mask
    while slots[at] >= 0:
        equal = True
        for w in range(coverages.shape[1]):
            equal = equal and coverages[slots[at], w] == coverages[new, w]
        if equal:
            return slots[at]
        at = (at + 1) & mask
    slots[at] = new
    counts[0] = new + 1
    return new


@njit(cache=True, nogil=True)
def future_cost(bits: UInt64s, future: Float64s) -> float:
    """Future cost of the words that are not translated: the sum over their gaps, in natural logarithms."""
    length = len(future) - 1
    total = 0.0
    begin = -1
    for t in range(length + 1):
        free = t < length and is_free(bits, t)
        if free and begin < 0:
            begin = t
        elif not free and begin >= 0:
            total += future[begin, t]
            begin = -1
    return total


@njit(cache=True, nogil=True)
def join_block(blocks: Int64s, slots: Int64s, counts: Int64s, top: int, start: int, end: int) -> tuple[int, int]:
    """Push a phrase on a stack of blocks and join adjacent blocks; return the new stack, and the distance from the old top.

    A row of `blocks` holds begin, end (exclusive) and the row below it; row 0 is the empty stack. The distance is 1 if the phrase
    continues to the right, -1 if it continues to the left.
    """
    if top == 0:
        distance = start + 1
    elif start > blocks[top, 0]:
        distance = start - blocks[top, 1] + 1
    else:
        distance = end - 1 - blocks[top, 0]
    while top > 0 and (blocks[top, 1] == start or blocks[top, 0] == end):
        start, end = min(start, blocks[top, 0]), max(end, blocks[top, 1])
        top = blocks[top, 2]
    mask = len(slots) - 1
    at = mix(mix(top * 1048576 + start) ^ end) & mask
    while slots[at] >= 0:
        row = slots[at]
        if blocks[row, 0] == start and blocks[row, 1] == end and blocks[row, 2] == top:
            return row, distance
        at = (at + 1) & mask
    new = counts[1]
    blocks[new, 0], blocks[new, 1], blocks[new, 2] = start, end, top
    slots[at] = new
    counts[1] = new + 1
    return new, distance


@njit(cache=True, nogil=True)
def doubled_slots(slots: Int64s) -> Int64s:
    """Twice as many slots, all free; the caller enters the interned rows again."""
    return np.full(2 * len(slots), -1, np.int64)
