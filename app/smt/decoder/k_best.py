"""The best derivations of a search, from what was recombined in it.

Every hypothesis has its best derivation and, as arcs, the last steps of those that lost against it. A derivation is the best one
but for the places where it takes an arc; the heap holds the next candidates for each of these places alone, so the k best are
exact for what was not pruned, in O(k × length × log k).
"""

from heapq import heappop, heappush

import numpy as np
from numba import njit

from app.arrays import Float64s, Int64s
from app.smt.decoder.stack_kernels import ARCS, OPTION, PREVIOUS, Stacks

__all__ = ["k_best"]


def k_best(stacks: Stacks, length: int, count: int) -> tuple[Int64s, Int64s, Float64s]:
    """The best derivations, `count` or as many as there are: the options of each in the order of the target, and scores.

    Those of derivation d are ``options[offsets[d]:offsets[d + 1]]``; the best comes first.
    """
    size = int(stacks.counts[3 + length])
    ends = stacks.items[length, :size]
    # As many hypotheses have a best step, and arcs are in the list of one hypothesis or in that of free ones.
    most = len(stacks.hypotheses) + int(stacks.counts[1]) + size
    options, offsets, scores = _best_first(
        stacks.hypotheses, stacks.scores, stacks.arcs, stacks.arc_scores, ends, most, length, count
    )
    return options, offsets, scores


@njit(cache=True, nogil=True)
def _best_first(
    hypotheses: Int64s, scores: Float64s, arcs: Int64s, arc_scores: Float64s, ends: Int64s, most: int, length: int, count: int
) -> tuple[Int64s, Int64s, Float64s]:
    # Steps into node h + 1, which is hypothesis h, the best first; into node 0, the end of all, from every whole translation.
    begins, behind = np.full(len(hypotheses) + 1, -1), np.zeros(len(hypotheses) + 1, np.int64)
    steps, losses = np.empty((most, 2), np.int64), np.empty(most)
    taken = 0
    # Nodes and ranks of their steps, from the end of all backwards.
    paths = np.empty((64, 2), np.int64)
    offsets, lost = np.zeros(count + 1, np.int64), np.zeros(count)
    done = 0
    # What is lost, a number that keeps equals in order; of which derivation it is another, from which place on, by which step.
    heap = [(0.0, 0, -1, 0, 0)]
    if not len(ends):
        heappop(heap)
    made = 1
    while heap and done < count:
        loss, _, origin, place, rank = heappop(heap)
        begin = offsets[done]
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
                begins[node] = taken
                if node == 0:
                    order = np.argsort(-scores[ends, 0], kind="mergesort")
                    for i in range(len(ends)):
                        steps[taken, 0], steps[taken, 1] = ends[order[i]], -1
                        losses[taken] = scores[ends[order[0]], 0] - scores[ends[order[i]], 0]
                        taken += 1
                else:
                    steps[taken, 0], steps[taken, 1] = hypotheses[node - 1, PREVIOUS], hypotheses[node - 1, OPTION]
                    losses[taken] = 0.0
                    taken += 1
                    arc = hypotheses[node - 1, ARCS]
                    while arc >= 0:
                        steps[taken, 0], steps[taken, 1] = arcs[arc, 0], arcs[arc, 1]
                        losses[taken] = scores[node - 1, 0] - arc_scores[arc]
                        taken += 1
                        arc = arcs[arc, 2]
                    order = begins[node] + np.argsort(losses[begins[node] : taken], kind="mergesort")
                    steps[begins[node] : taken], losses[begins[node] : taken] = steps[order], losses[order]
                behind[node] = taken
            paths[at, 0], paths[at, 1] = node, rank
            at += 1
            previous = steps[begins[node] + rank, 0]
            if hypotheses[previous, PREVIOUS] < 0:
                break
            node, rank = previous + 1, 0
        offsets[done + 1], lost[done] = at, loss
        for i in range(begin + place, at):
            node, rank = paths[i]
            step = begins[node] + rank
            if step + 1 < behind[node]:
                heappush(heap, (loss - losses[step] + losses[step + 1], made, done, i - begin, rank + 1))
                made += 1
        done += 1
    # The end of all is no phrase.
    options = np.empty(offsets[done] - done, np.int64)
    for d in range(done):
        for i in range(offsets[d] + 1, offsets[d + 1]):
            options[offsets[d + 1] - i - 1 + offsets[d] - d] = steps[begins[paths[i, 0]] + paths[i, 1], 1]
    best = scores[steps[0, 0], 0] if done else 0.0
    return options, offsets[: done + 1] - np.arange(done + 1), best - lost[:done]
