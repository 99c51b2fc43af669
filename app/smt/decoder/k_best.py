"""The k best derivations of a search, read from its recombined hypotheses.

Every hypothesis has its best derivation and, as arcs, the last steps of those that lost against it. Another derivation differs from
the best one where it takes an arc. The heap holds only the next candidates at these places. The k best are exact among derivations
that were not pruned, in O(k × length × log k).
"""

from heapq import heappop, heappush

import numpy as np
from numba import njit

from app.arrays import Float64s, Int64s
from app.smt.decoder.stack_kernels import ARCS, OPTION, PREVIOUS, Stacks

__all__ = ["k_best"]


def k_best(stacks: Stacks, length: int, count: int) -> tuple[Int64s, Int64s, Float64s]:
    """The best `count` derivations, or as many as exist: options in target order as CSR, and scores.

    Options of derivation d are ``options[offsets[d]:offsets[d + 1]]``; the best derivation comes first.
    """
    size = int(stacks.counts[3 + length])
    ends = stacks.items[length, :size]
    # Every hypothesis has one best step. Arcs lie in the list of a hypothesis or in the free list.
    step_limit = len(stacks.hypotheses) + int(stacks.counts[1]) + size
    options, offsets, scores = _best_first(
        stacks.hypotheses, stacks.scores, stacks.arcs, stacks.arc_scores, ends, step_limit, length, count
    )
    return options, offsets, scores


@njit(cache=True, nogil=True)
def _best_first(
    hypotheses: Int64s, scores: Float64s, arcs: Int64s, arc_scores: Float64s, ends: Int64s, step_limit: int, length: int, count: int
) -> tuple[Int64s, Int64s, Float64s]:
    # Steps into node h + 1 (hypothesis h), the best first. Node 0 is a common end after all complete translations.
    begins, stops = np.full(len(hypotheses) + 1, -1), np.zeros(len(hypotheses) + 1, np.int64)
    steps, losses = np.empty((step_limit, 2), np.int64), np.empty(step_limit)
    step_count = 0
    # Nodes and ranks of their steps, from the common end backwards.
    paths = np.empty((64, 2), np.int64)
    offsets, path_losses = np.zeros(count + 1, np.int64), np.zeros(count)
    path_count = 0
    # Entries: loss, serial number that keeps ties in order, derivation of origin, place of deviation, rank of the step there.
    heap = [(0.0, 0, -1, 0, 0)]
    if not len(ends):
        heappop(heap)
    serial = 1
    while heap and path_count < count:
        loss, _, origin, place, rank = heappop(heap)
        begin = offsets[path_count]
        while begin + length + 1 > len(paths):
            paths = np.concatenate((paths, np.empty_like(paths)))
        at = begin
        if origin >= 0:
            for i in range(offsets[origin], offsets[origin] + place):
                paths[at] = paths[i]
                at += 1
            node = paths[offsets[origin] + place, 0]
        else:
            node = 0
        while True:
            if begins[node] < 0:
                begins[node] = step_count
                if node == 0:
                    order = np.argsort(-scores[ends, 0], kind="mergesort")
                    for i in range(len(ends)):
                        steps[step_count, 0], steps[step_count, 1] = ends[order[i]], -1
                        losses[step_count] = scores[ends[order[0]], 0] - scores[ends[order[i]], 0]
                        step_count += 1
                else:
                    steps[step_count, 0], steps[step_count, 1] = hypotheses[node - 1, PREVIOUS], hypotheses[node - 1, OPTION]
                    losses[step_count] = 0.0
                    step_count += 1
                    arc = hypotheses[node - 1, ARCS]
                    while arc >= 0:
                        steps[step_count, 0], steps[step_count, 1] = arcs[arc, 0], arcs[arc, 1]
                        losses[step_count] = scores[node - 1, 0] - arc_scores[arc]
                        step_count += 1
                        arc = arcs[arc, 2]
                    order = begins[node] + np.argsort(losses[begins[node] : step_count], kind="mergesort")
                    steps[begins[node] : step_count], losses[begins[node] : step_count] = steps[order], losses[order]
                stops[node] = step_count
            paths[at, 0], paths[at, 1] = node, rank
            at += 1
            previous = steps[begins[node] + rank, 0]
            if hypotheses[previous, PREVIOUS] < 0:
                break
            node, rank = previous + 1, 0
        offsets[path_count + 1], path_losses[path_count] = at, loss
        for i in range(begin + place, at):
            node, rank = paths[i]
            step = begins[node] + rank
            if step + 1 < stops[node]:
                heappush(heap, (loss - losses[step] + losses[step + 1], serial, path_count, i - begin, rank + 1))
                serial += 1
        path_count += 1
    # The common end is no phrase.
    options = np.empty(offsets[path_count] - path_count, np.int64)
    for d in range(path_count):
        for i in range(offsets[d] + 1, offsets[d + 1]):
            options[offsets[d + 1] - i - 1 + offsets[d] - d] = steps[begins[paths[i, 0]] + paths[i, 1], 1]
    best = scores[steps[0, 0], 0] if path_count else 0.0
    return options, offsets[: path_count + 1] - np.arange(path_count + 1), best - path_losses[:path_count]
