"""Stacks of hypotheses, one for each number of translated words, with recombination, histogram and threshold pruning."""

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

# Columns of a hypothesis; the first five identify its state (`find`).
COVERAGE, STATE, KEY, BLOCKS, TARGET, OPTION, PREVIOUS, ARCS = range(8)


class Stacks(NamedTuple):
    """Hypotheses and the stacks that hold them.

    ``hypotheses[h]`` are the columns above; ``scores[h]`` are the score so far, and the score with future cost. `items` lists the
    hypotheses of each stack in order of arrival, and `slots` by hash. `best` and `worst` are total scores of each stack. `arcs` are
    recombined derivations: previous hypothesis, option, next arc of the same hypothesis. `counts`: free hypotheses, used arcs,
    first free arc, then the size of each stack.
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
def new_stacks(length: int, stack: int, capacity: int, keep_arcs: bool) -> Stacks:
    """Empty stacks for a sentence of `length` words, with room for `capacity` hypotheses at a time."""
    width = 2 * stack
    size = 4
    while size < 2 * width:
        size *= 2
    arcs = 1024 if keep_arcs else 1
    counts = np.zeros(length + 4, np.int64)
    counts[0] = capacity
    counts[2] = -1
    return Stacks(
        np.zeros((capacity, 8), np.int64), np.zeros((capacity, 2)), np.zeros((length + 1, width), np.int64),
        np.full((length + 1, size), -1), np.full(length + 1, -np.inf), np.full(length + 1, -np.inf),
        np.arange(capacity)[::-1].copy(), np.zeros((arcs, 3), np.int64), np.zeros(arcs), counts, stack, keep_arcs,
    )  # fmt: skip


@njit(cache=True, inline="always")
def _slot_of(coverage: int, state: int, key: int, blocks: int, target: int, size: int) -> int:
    key_hash = np.int64(coverage) * np.int64(-7046029254386353131) ^ np.int64(state)
    key_hash = (key_hash ^ ((key_hash >> 29) & np.int64(0x7FFFFFFFF))) * np.int64(-7046029254386353131) ^ np.int64(key)
    key_hash = (key_hash ^ ((key_hash >> 29) & np.int64(0x7FFFFFFFF))) * np.int64(-7046029254386353131) ^ np.int64(blocks)
    key_hash = (key_hash ^ ((key_hash >> 29) & np.int64(0x7FFFFFFFF))) * np.int64(-7046029254386353131) ^ np.int64(target)
    key_hash = (key_hash ^ ((key_hash >> 29) & np.int64(0x7FFFFFFFF))) * np.int64(-7046029254386353131)
    return (key_hash ^ ((key_hash >> 29) & np.int64(0x7FFFFFFFF))) & (size - 1)


@njit(cache=True, inline="always")
def find(hypotheses: Int64s, slots: Int64s, k: int, coverage: int, state: int, key: int, blocks: int, target: int) -> int:
    """Slot of stack k with a hypothesis of equal state, or the free slot for it.

    Arguments are arrays and not `Stacks`, since counting references to all arrays would cost more than the search.
    """
    size = slots.shape[1]
    at = _slot_of(coverage, state, key, blocks, target, size)
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
    """Store a derivation that lost against that of hypothesis h."""
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
    """Prune stack k to its size limit, and to hypotheses within `beam` of the best total."""
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
    count = 0
    # Ties keep their order of arrival.
    better_count = 0
    for i in range(size):
        better_count += stacks.scores[items[i], 1] > bound
    ties = stacks.stack - better_count
    stacks.slots[k] = -1
    slots = stacks.slots[k]
    for i in range(size):
        h = items[i]
        total = stacks.scores[h, 1]
        if total > bound or (total == bound and ties > 0):
            ties -= total == bound
            items[count] = h
            count += 1
            row = stacks.hypotheses[h]
            at = _slot_of(row[COVERAGE], row[STATE], row[KEY], row[BLOCKS], row[TARGET], len(slots))
            while slots[at] >= 0:
                at = (at + 1) & (len(slots) - 1)
            slots[at] = h
        else:
            _release(stacks, h)
    stacks.counts[3 + k] = count


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
