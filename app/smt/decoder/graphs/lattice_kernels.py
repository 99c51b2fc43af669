"""Sums over all derivations of a search: forward and backward through its hypotheses, and the ways that lead to them.

Arcs stand by the node that they lead to, nodes by the number of words that are translated; node 0 is the one without words.
"""

import numpy as np
from numba import njit

from app.arrays import Float64s, Int32s, Int64s
from app.smt.decoder.stack_kernels import ARCS, OPTION, PREVIOUS

__all__ = ["arcs_of", "inside_outside", "ways_of", "windows_of"]


@njit(cache=True, nogil=True)
def arcs_of(
    hypotheses: Int64s, scores: Float64s, arcs: Int64s, arc_scores: Float64s, items: Int64s, counts: Int64s, length: int
) -> tuple[Int64s, Int64s, Int64s, Float64s, int]:
    """The arcs of a search in CSR form: where those of each node begin, nodes before, options, what they add; how many nodes end.

    The first arc into a node is that of its best way.
    """
    nodes, most = 0, 0
    node_of = np.full(len(hypotheses), -1)
    for k in range(length + 1):
        for i in range(counts[3 + k]):
            node_of[items[k, i]] = nodes
            nodes += 1
            arc = hypotheses[items[k, i], ARCS]
            most += 1
            while arc >= 0:
                most += 1
                arc = arcs[arc, 2]
    offsets = np.zeros(nodes + 1, np.int64)
    before, options, gains = np.empty(most, np.int64), np.empty(most, np.int64), np.empty(most)
    at, node = 0, 0
    for k in range(length + 1):
        for i in range(counts[3 + k]):
            h = items[k, i]
            if k:
                before[at], options[at] = node_of[hypotheses[h, PREVIOUS]], hypotheses[h, OPTION]
                gains[at] = scores[h, 0] - scores[hypotheses[h, PREVIOUS], 0]
                at += 1
                arc = hypotheses[h, ARCS]
                while arc >= 0:
                    before[at], options[at] = node_of[arcs[arc, 0]], arcs[arc, 1]
                    gains[at] = arc_scores[arc] - scores[arcs[arc, 0], 0]
                    at += 1
                    arc = arcs[arc, 2]
            node += 1
            offsets[node] = at
    return offsets, before[:at], options[:at], gains[:at], counts[3 + length]


@njit(cache=True, inline="always")
def _added(one: float, other: float) -> float:
    """log(exp(one) + exp(other))"""
    if one < other:
        one, other = other, one
    return one if other == -np.inf else one + np.log1p(np.exp(other - one))


@njit(cache=True, inline="always")
def _behind(needed: Int32s, j: int, words: Int32s, begin: int, end: int, must: bool) -> int:
    """How many needed words there are after the words of an option; -1 where it has others."""
    if not must:
        return 0
    if j + end - begin > len(needed):
        return -1
    for t in range(begin, end):
        if words[t] != needed[j + t - begin]:
            return -1
    return j + end - begin


@njit(cache=True, nogil=True)
def inside_outside(
    offsets: Int64s, before: Int64s, options: Int64s, gains: Float64s, ends: int, word_offsets: Int64s, words: Int32s,
    needed: Int32s, must: bool,
) -> tuple[float, Float64s]:  # fmt: skip
    """The logarithm of the sum of exp(score) over derivations, and the share of each arc in it.

    Where the translation `must` be the `needed` words, derivations of others do not count; `words` are those of options in the same
    numbers. -inf and shares of 0 where there is none.
    """
    nodes, width = len(offsets) - 1, len(needed) + 1 if must else 1
    inside, outside = np.full((nodes, width), -np.inf), np.full((nodes, width), -np.inf)
    inside[0, 0] = 0.0
    for n in range(1, nodes):
        for a in range(offsets[n], offsets[n + 1]):
            for j in range(width):
                if inside[before[a], j] > -np.inf:
                    to = _behind(needed, j, words, word_offsets[options[a]], word_offsets[options[a] + 1], must)
                    if to >= 0:
                        inside[n, to] = _added(inside[n, to], inside[before[a], j] + gains[a])
    whole = -np.inf
    for n in range(nodes - ends, nodes):
        whole = _added(whole, inside[n, width - 1])
        outside[n, width - 1] = 0.0
    shares = np.zeros(len(before))
    if whole == -np.inf:
        return whole, shares
    for n in range(nodes - 1, 0, -1):
        for a in range(offsets[n], offsets[n + 1]):
            for j in range(width):
                if inside[before[a], j] > -np.inf:
                    to = _behind(needed, j, words, word_offsets[options[a]], word_offsets[options[a] + 1], must)
                    if to >= 0 and outside[n, to] > -np.inf:
                        rest = outside[n, to] + gains[a]
                        outside[before[a], j] = _added(outside[before[a], j], rest)
                        shares[a] += np.exp(inside[before[a], j] + rest - whole)
    return whole, shares


@njit(cache=True, nogil=True)
def ways_of(offsets: Int64s, before: Int64s, options: Int64s, chosen: Int64s) -> tuple[Int64s, Int64s]:
    """Of each chosen arc the options of the best way to where it begins, and its own, in CSR form."""
    ends = np.zeros(len(chosen) + 1, np.int64)
    for i in range(len(chosen)):
        node, steps = before[chosen[i]], 1
        while node:
            node = before[offsets[node]]
            steps += 1
        ends[i + 1] = ends[i] + steps
    ways = np.empty(ends[-1], np.int64)
    for i in range(len(chosen)):
        at = ends[i + 1] - 1
        ways[at] = options[chosen[i]]
        node = before[chosen[i]]
        while node:
            at -= 1
            ways[at] = options[offsets[node]]
            node = before[offsets[node]]
    return ways, ends


@njit(cache=True, nogil=True)
def windows_of(
    ways: Int64s, ends: Int64s, whole: Int64s, word_offsets: Int64s, words: Int32s, most: int, end: int
) -> tuple[Int32s, Int64s, Int64s]:
    """The words of the last option of each way behind at most so many before them, in CSR form, and how many are before them.

    Ways that are `whole` have the word `end` behind them.
    """
    before, offsets = np.zeros(len(ends) - 1, np.int64), np.zeros(len(ends), np.int64)
    for i in range(len(before)):
        for at in range(ends[i], ends[i + 1] - 1):
            before[i] += word_offsets[ways[at] + 1] - word_offsets[ways[at]]
        before[i] = min(before[i], most)
        last = ways[ends[i + 1] - 1]
        offsets[i + 1] = offsets[i] + before[i] + word_offsets[last + 1] - word_offsets[last] + whole[i]
    out = np.empty(offsets[-1], np.int32)
    for i in range(len(before)):
        at = offsets[i + 1]
        if whole[i]:
            at -= 1
            out[at] = end
        k = ends[i + 1] - 1
        while at > offsets[i]:
            t = word_offsets[ways[k] + 1] - 1
            while t >= word_offsets[ways[k]] and at > offsets[i]:
                at -= 1
                out[at] = words[t]
                t -= 1
            k -= 1
    return out, offsets, before
