"""Sums over all derivations of a search, forward and backward through its hypotheses, and the best ways to them.

Arcs are sorted by end node, and nodes by the number of translated words; node 0 is the empty hypothesis.
"""

import numpy as np
from numba import njit

from app.arrays import Float64s, Int32s, Int64s
from app.smt.decoder.search_kernels import prefix_end
from app.smt.decoder.stack_kernels import ARCS, OPTION, PREVIOUS

__all__ = ["arcs_of", "inside_outside", "ways_of", "windows_of"]


@njit(cache=True, nogil=True)
def arcs_of(
    hypotheses: Int64s, scores: Float64s, arcs: Int64s, arc_scores: Float64s, items: Int64s, counts: Int64s, length: int
) -> tuple[Int64s, Int64s, Int64s, Float64s, int]:
    """Arcs of a search by end node, in CSR form: offsets, begin nodes, options, gains, and the number of final nodes.

    The first arc into a node belongs to its best way.
    """
    nodes, arc_count = 0, 0
    node_of = np.full(len(hypotheses), -1)
    for k in range(length + 1):
        for i in range(counts[3 + k]):
            node_of[items[k, i]] = nodes
            nodes += 1
            arc = hypotheses[items[k, i], ARCS]
            arc_count += 1
            while arc >= 0:
                arc_count += 1
                arc = arcs[arc, 2]
    offsets = np.zeros(nodes + 1, np.int64)
    previous, options, gains = np.empty(arc_count, np.int64), np.empty(arc_count, np.int64), np.empty(arc_count)
    at, node = 0, 0
    for k in range(length + 1):
        for i in range(counts[3 + k]):
            h = items[k, i]
            if k:
                previous[at], options[at] = node_of[hypotheses[h, PREVIOUS]], hypotheses[h, OPTION]
                gains[at] = scores[h, 0] - scores[hypotheses[h, PREVIOUS], 0]
                at += 1
                arc = hypotheses[h, ARCS]
                while arc >= 0:
                    previous[at], options[at] = node_of[arcs[arc, 0]], arcs[arc, 1]
                    gains[at] = arc_scores[arc] - scores[arcs[arc, 0], 0]
                    at += 1
                    arc = arcs[arc, 2]
            node += 1
            offsets[node] = at
    return offsets, previous[:at], options[:at], gains[:at], counts[3 + length]


@njit(cache=True, inline="always")
def _log_sum(first: float, second: float) -> float:
    """log(exp(first) + exp(second))."""
    if first < second:
        first, second = second, first
    return first if second == -np.inf else first + np.log1p(np.exp(second - first))


@njit(cache=True, nogil=True)
def inside_outside(
    offsets: Int64s, previous: Int64s, options: Int64s, gains: Float64s, ends: int, word_offsets: Int64s, words: Int32s,
    target: Int32s, must: bool,
) -> tuple[float, Float64s]:  # fmt: skip
    """Logarithm of the sum of exp(score) over derivations, and the share of each arc in it; -inf and 0 without any.

    If `must`, only derivations of the `target` count; `words` are those of options in the same numbers.
    """
    nodes, width = len(offsets) - 1, len(target) + 1 if must else 1
    inside, outside = np.full((nodes, width), -np.inf), np.full((nodes, width), -np.inf)
    inside[0, 0] = 0.0
    for n in range(1, nodes):
        for a in range(offsets[n], offsets[n + 1]):
            for j in range(width):
                if inside[previous[a], j] > -np.inf:
                    first, last = word_offsets[options[a]], word_offsets[options[a] + 1]
                    next_length = prefix_end(target, j, words, first, last, False) if must else 0
                    if next_length >= 0:
                        inside[n, next_length] = _log_sum(inside[n, next_length], inside[previous[a], j] + gains[a])
    total = -np.inf
    for n in range(nodes - ends, nodes):
        total = _log_sum(total, inside[n, width - 1])
        outside[n, width - 1] = 0.0
    shares = np.zeros(len(previous))
    if total == -np.inf:
        return total, shares
    for n in range(nodes - 1, 0, -1):
        for a in range(offsets[n], offsets[n + 1]):
            for j in range(width):
                if inside[previous[a], j] > -np.inf:
                    first, last = word_offsets[options[a]], word_offsets[options[a] + 1]
                    next_length = prefix_end(target, j, words, first, last, False) if must else 0
                    if next_length >= 0 and outside[n, next_length] > -np.inf:
                        rest = outside[n, next_length] + gains[a]
                        outside[previous[a], j] = _log_sum(outside[previous[a], j], rest)
                        shares[a] += np.exp(inside[previous[a], j] + rest - total)
    return total, shares


@njit(cache=True, nogil=True)
def ways_of(offsets: Int64s, previous: Int64s, options: Int64s, arcs: Int64s) -> tuple[Int64s, Int64s]:
    """Options of the best way to each of the `arcs`, including its own, in CSR form."""
    ends = np.zeros(len(arcs) + 1, np.int64)
    for i in range(len(arcs)):
        node, steps = previous[arcs[i]], 1
        while node:
            node = previous[offsets[node]]
            steps += 1
        ends[i + 1] = ends[i] + steps
    ways = np.empty(ends[-1], np.int64)
    for i in range(len(arcs)):
        at = ends[i + 1] - 1
        ways[at] = options[arcs[i]]
        node = previous[arcs[i]]
        while node:
            at -= 1
            ways[at] = options[offsets[node]]
            node = previous[offsets[node]]
    return ways, ends


@njit(cache=True, nogil=True)
def windows_of(
    ways: Int64s, ends: Int64s, complete: Int64s, word_offsets: Int64s, words: Int32s, context_limit: int, end: int
) -> tuple[Int32s, Int64s, Int64s]:
    """Words of the last option of each way behind a context of up to `context_limit` words, in CSR form, and context lengths.

    The word `end` follows ways that are `complete`.
    """
    context_lengths, offsets = np.zeros(len(ends) - 1, np.int64), np.zeros(len(ends), np.int64)
    for i in range(len(context_lengths)):
        for at in range(ends[i], ends[i + 1] - 1):
            context_lengths[i] += word_offsets[ways[at] + 1] - word_offsets[ways[at]]
        context_lengths[i] = min(context_lengths[i], context_limit)
        last = ways[ends[i + 1] - 1]
        offsets[i + 1] = offsets[i] + context_lengths[i] + word_offsets[last + 1] - word_offsets[last] + complete[i]
    window_words = np.empty(offsets[-1], np.int32)
    for i in range(len(context_lengths)):
        at = offsets[i + 1]
        if complete[i]:
            at -= 1
            window_words[at] = end
        k = ends[i + 1] - 1
        while at > offsets[i]:
            t = word_offsets[ways[k] + 1] - 1
            while t >= word_offsets[ways[k]] and at > offsets[i]:
                at -= 1
                window_words[at] = words[t]
                t -= 1
            k -= 1
    return window_words, offsets, context_lengths
