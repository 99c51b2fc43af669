"""Stacks of hypotheses: one for each number of translated words, with recombination, histogram and threshold pruning."""

from typing import NamedTuple

import numpy as np
from numba import njit

from app.arrays import Float64s, Int64s

__all__ = [
    "ARCS",
    "BLOCKS",
    "COVERAGE",
    "KEY",
    "OPTION",
    "PREVIOUS",
    "STATE",
    "TARGET",
    "Stacks",
    "find",
    "keep_arc",
    "new_stacks",
    "prune",
]

# Columns of a hypothesis; the first five are what it can be told from others by (`find`).
COVERAGE, STATE, KEY, BLOCKS, TARGET, OPTION, PREVIOUS, ARCS = range(8)


class Stacks(NamedTuple):
    """All hypotheses and who stands where.

    ``hypotheses[h]`` are numbers, ``scores[h]`` the score so far and with what is hoped; `items` and `slots` of each stack are its
    hypotheses in the order in which they came and by hash; `best` and `worst` are totals of each stack. `arcs` are derivations that
    were recombined: previous hypothesis, option, next arc of the same hypothesis.
    `counts`: free hypotheses, used arcs, first free arc, then the size of each stack.
    """

    hypotheses: Int64s
    scores: Float64s
    items: Int64s
    slots: Int64s
    best: Float64s
    worst: Float64s
    free: Int64s
    arcs: Int64s
    arc_scores: Float64s
    counts: Int64s
    stack: int
    keep_arcs: bool


@njit(cache=True, nogil=True)
def new_stacks(length: int, stack: int, most: int, keep_arcs: bool) -> Stacks:
    """Empty stacks for a sentence of `length` words; `most` hypotheses can be there at a time."""
    width = 2 * stack
    size = 4
    while size < 2 * width:
        size *= 2
    arcs = 1024 if keep_arcs else 1
    counts = np.zeros(length + 4, np.int64)
    counts[0] = most
    counts[2] = -1
    return Stacks(
        np.zeros((most, 8), np.int64), np.zeros((most, 2)), np.zeros((length + 1, width), np.int64),
        np.full((length + 1, size), -1), np.full(length + 1, -np.inf), np.full(length + 1, -np.inf), np.arange(most)[::-1].copy(),
        np.zeros((arcs, 3), np.int64), np.zeros(arcs), counts, stack, keep_arcs,
    )  # fmt: skip


@njit(cache=True, inline="always")
def _place(coverage: int, state: int, key: int, blocks: int, target: int, size: int) -> int:
    mixed = np.int64(coverage) * np.int64(-7046029254386353131) ^ np.int64(state)
    mixed = (mixed ^ ((mixed >> 29) & np.int64(0x7FFFFFFFF))) * np.int64(-7046029254386353131) ^ np.int64(key)
    mixed = (mixed ^ ((mixed >> 29) & np.int64(0x7FFFFFFFF))) * np.int64(-7046029254386353131) ^ np.int64(blocks)
    mixed = (mixed ^ ((mixed >> 29) & np.int64(0x7FFFFFFFF))) * np.int64(-7046029254386353131) ^ np.int64(target)
    mixed = (mixed ^ ((mixed >> 29) & np.int64(0x7FFFFFFFF))) * np.int64(-7046029254386353131)
    return (mixed ^ ((mixed >> 29) & np.int64(0x7FFFFFFFF))) & (size - 1)


@njit(cache=True, inline="always")
def find(hypotheses: Int64s, slots: Int64s, k: int, coverage: int, state: int, key: int, blocks: int, target: int) -> int:
    """The slot of stack k with a hypothesis that is the same for all that comes next, or the free one for it.

    What it is given are arrays and not the stacks, since counting references to all of them would cost more than the search.
    """
    size = slots.shape[1]
    at = _place(coverage, state, key, blocks, target, size)
    while slots[k, at] >= 0:
        h = slots[k, at]
        if (
            hypotheses[h, 1] == state and hypotheses[h, 0] == coverage and hypotheses[h, 2] == key
            and hypotheses[h, 3] == blocks and hypotheses[h, 4] == target
        ):  # fmt: skip
            break
        at = (at + 1) & (size - 1)
    return at


@njit(cache=True, nogil=True)
def keep_arc(
    arcs: Int64s, arc_scores: Float64s, hypotheses: Int64s, counts: Int64s, h: int, o: int, previous: int, score: float
) -> None:
    """Remember a derivation that lost against the one of hypothesis h."""
    arc = counts[2]
    if arc >= 0:
        counts[2] = arcs[arc, 2]
    else:
        arc = counts[1]
        counts[1] += 1
    arcs[arc, 0], arcs[arc, 1], arcs[arc, 2] = previous, o, hypotheses[h, ARCS]
    arc_scores[arc] = score
    hypotheses[h, ARCS] = arc


@njit(cache=True, nogil=True)
def prune(stacks: Stacks, k: int, beam: float) -> None:
    """Leave the best hypotheses of stack k, as many as it may have, and none that is worse than the best by more than the beam."""
    size = stacks.counts[3 + k]
    items = stacks.items[k]
    bound = stacks.best[k] + beam
    if size > stacks.stack:
        totals = np.empty(size)
        for i in range(size):
            totals[i] = stacks.scores[items[i], 1]
        limit = np.partition(totals, size - stacks.stack)[size - stacks.stack]
        stacks.worst[k] = max(stacks.worst[k], limit)
        bound = max(bound, limit)
    kept = 0
    # Of equal totals those stay that came first.
    above = 0
    for i in range(size):
        above += stacks.scores[items[i], 1] > bound
    ties = stacks.stack - above
    stacks.slots[k] = -1
    slots = stacks.slots[k]
    for i in range(size):
        h = items[i]
        total = stacks.scores[h, 1]
        if total > bound or (total == bound and ties > 0):
            ties -= total == bound
            items[kept] = h
            kept += 1
            row = stacks.hypotheses[h]
            at = _place(row[COVERAGE], row[STATE], row[KEY], row[BLOCKS], row[TARGET], len(slots))
            while slots[at] >= 0:
                at = (at + 1) & (len(slots) - 1)
            slots[at] = h
        else:
            _release(stacks, h)
    stacks.counts[3 + k] = kept


@njit(cache=True, nogil=True)
def _release(stacks: Stacks, h: int) -> None:
    stacks.free[stacks.counts[0]] = h
    stacks.counts[0] += 1
    arc = stacks.hypotheses[h, ARCS]
    while arc >= 0:
        following = stacks.arcs[arc, 2]
        stacks.arcs[arc, 2] = stacks.counts[2]
        stacks.counts[2] = arc
        arc = following
