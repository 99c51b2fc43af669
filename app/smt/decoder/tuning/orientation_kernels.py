"""Orientations of the phrases of many derivations, towards the previous and the next phrases."""

import numpy as np
from numba import njit

from app.arrays import Int64s
from app.smt.decoder.reordering import JUMP_LEFT, JUMP_RIGHT, MONOTONE, SWAP

__all__ = ["orientation_of", "orientations"]


@njit(cache=True, inline="always")
def orientation_of(previous_start: int, previous_end: int, start: int, end: int) -> int:
    """Return the orientation of a phrase towards the phrase or block translated before it."""
    if start == previous_end:
        return MONOTONE
    if end == previous_start:
        return SWAP
    return JUMP_RIGHT if start > previous_end else JUMP_LEFT


@njit(cache=True, nogil=True)
def orientations(starts: Int64s, ends: Int64s, offsets: Int64s, hierarchical: bool) -> tuple[Int64s, Int64s]:
    """Orientations of each phrase of derivations in CSR form: towards the previous phrase, and of the next phrase, -1 for the last.

    If `hierarchical`, largest blocks take the place of single phrases.
    """
    previous_orientations, next_orientations = np.empty(len(starts), np.int64), np.full(len(starts), -1)
    blocks = np.empty((len(starts) + 1, 2), np.int64)
    coverage = np.zeros(ends.max() + 2 if len(ends) else 2, np.bool_)
    for d in range(len(offsets) - 1):
        coverage[:] = False
        top = 0
        for k in range(offsets[d], offsets[d + 1]):
            start, end = starts[k], ends[k]
            previous_start, previous_end = -1, 0
            if k > offsets[d]:
                previous_start, previous_end = starts[k - 1], ends[k - 1]
                orientation = orientation_of(previous_start, previous_end, start, end)
                if hierarchical and orientation >= JUMP_LEFT:
                    if start > previous_end and not coverage[previous_end]:
                        orientation = MONOTONE
                    elif end < previous_start and not coverage[previous_start - 1]:
                        orientation = SWAP
                next_orientations[k - 1] = orientation
            if hierarchical and top:
                previous_start, previous_end = blocks[top - 1]
            previous_orientations[k] = orientation_of(previous_start, previous_end, start, end)
            coverage[start:end] = True
            while top and (blocks[top - 1, 1] == start or blocks[top - 1, 0] == end):
                top -= 1
                start, end = min(start, blocks[top, 0]), max(end, blocks[top, 1])
            blocks[top, 0], blocks[top, 1] = start, end
            top += 1
    return previous_orientations, next_orientations
