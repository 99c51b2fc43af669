"""How the phrases of many derivations stand to what was translated before them, and to what comes next."""

import numpy as np
from numba import njit

from app.arrays import Int64s
from app.smt.decoder.reordering import JUMP_LEFT, JUMP_RIGHT, MONOTONE, SWAP

__all__ = ["orientations"]


@njit(cache=True, inline="always")
def _turn(before_start: int, before_end: int, start: int, end: int) -> int:
    if start == before_end:
        return MONOTONE
    if end == before_start:
        return SWAP
    return JUMP_RIGHT if start > before_end else JUMP_LEFT


@njit(cache=True, nogil=True)
def orientations(starts: Int64s, ends: Int64s, offsets: Int64s, hierarchical: bool) -> tuple[Int64s, Int64s]:
    """Of each phrase of derivations in CSR form: its orientation as it follows, and as it is followed, -1 for the last of each.

    Phrases stand to phrases, or where they are `hierarchical` to the largest blocks.
    """
    following, followed = np.empty(len(starts), np.int64), np.full(len(starts), -1)
    blocks = np.empty((len(starts) + 1, 2), np.int64)
    covered = np.zeros(ends.max() + 2 if len(ends) else 2, np.bool_)
    for d in range(len(offsets) - 1):
        covered[:] = False
        top = 0
        for k in range(offsets[d], offsets[d + 1]):
            start, end = starts[k], ends[k]
            before_start, before_end = -1, 0
            if k > offsets[d]:
                before_start, before_end = starts[k - 1], ends[k - 1]
                turn = _turn(before_start, before_end, start, end)
                if hierarchical and turn >= JUMP_LEFT:
                    if start > before_end and not covered[before_end]:
                        turn = MONOTONE
                    elif end < before_start and not covered[before_start - 1]:
                        turn = SWAP
                followed[k - 1] = turn
            if hierarchical and top:
                before_start, before_end = blocks[top - 1]
            following[k] = _turn(before_start, before_end, start, end)
            covered[start:end] = True
            while top and (blocks[top - 1, 1] == start or blocks[top - 1, 0] == end):
                top -= 1
                start, end = min(start, blocks[top, 0]), max(end, blocks[top, 1])
            blocks[top, 0], blocks[top, 1] = start, end
            top += 1
    return following, followed
