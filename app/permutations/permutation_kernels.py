"""Similarities of permutations to the identity (the thesis on permutation trees, figures 4.1, 4.2 and 4.4).

A permutation forest is the set of all spans whose values are contiguous, so its measures are computed on the
table of those spans: no tree is built. A span with split points into two such spans is binary and its
inferences are its split points; one without is a prime permutation with a single inference.
"""

from math import lgamma

import numpy as np
from numba import njit

from app.arrays import Bools, Float64s, Int64s
from app.permutations.similarities import SIMILARITIES

__all__ = ["LONGEST_QUADRATIC", "permutation_similarities", "ranks_of_links"]

# Limit of words for measures that compare all pairs of words: two seconds at worst, sixteen for twice as many words.
LONGEST_QUADRATIC = 1000


@njit(cache=True, nogil=True)
def _flat(ranks: Int64s, out: Float64s) -> None:
    """Kendall, Hamming, Spearman, Ulam and fuzzy of n > 1 ranks."""
    n = len(ranks)
    ordered_pairs = fixed_points = squares = 0
    chunks = 1
    tails = np.empty(n, np.int64)
    longest = 0
    for i in range(n):
        for j in range(i + 1, n):
            ordered_pairs += ranks[i] < ranks[j]
        fixed_points += ranks[i] == i
        squares += (ranks[i] - i) ** 2
        if i and ranks[i] != ranks[i - 1] + 1:
            chunks += 1
        at = np.searchsorted(tails[:longest], ranks[i])
        tails[at] = ranks[i]
        longest = max(longest, at + 1)
    out[0] = ordered_pairs / (n * (n - 1) / 2)
    out[1] = fixed_points / n
    out[2] = 1 - 3 * squares / (n * (n * n - 1))
    out[3] = (longest - 1) / (n - 1)
    out[4] = 1 - (chunks - 1) / (n - 1)


@njit(cache=True, nogil=True)
def _blocks(ranks: Int64s) -> Bools:
    """Flags of spans [i, j) with contiguous values; shape (n + 1, n + 1)."""
    n = len(ranks)
    block = np.zeros((n + 1, n + 1), np.bool_)
    for i in range(n):
        low = high = ranks[i]
        for j in range(i, n):
            low = min(low, ranks[j])
            high = max(high, ranks[j])
            block[i, j + 1] = high - low == j - i
    return block


@njit(cache=True, nogil=True)
def _next_child(block: Bools, at: int, begin: int, end: int) -> int:
    """End of the child that begins at `at`: the longest block inside the prime span [begin, end)."""
    for stop in range(end if at > begin else end - 1, at, -1):
        if block[at, stop]:
            return stop
    return at + 1


@njit(cache=True, nogil=True)
def _recursive(ranks: Int64s, block: Bools, beta: float, forest: bool) -> float:
    """RECPEF, or RECPET of the left-branching tree; every span of the forest once."""
    n = len(ranks)
    goodness = np.ones((n + 1, n + 1))
    for size in range(2, n + 1):
        for i in range(n - size + 1):
            j = i + size
            if not block[i, j]:
                continue
            operator = total = 0.0
            inferences = 0
            for at in range(size - 1):
                # From the right, so that the first split found is the left-branching tree's.
                k = j - 1 - at
                if not (block[i, k] and block[k, j]):
                    continue
                operator = 1.0 if ranks[i] < ranks[k] else 0.0
                wide = (k - i > 1) + (j - k > 1)
                if wide:
                    total += ((goodness[i, k] if k - i > 1 else 0.0) + (goodness[k, j] if j - k > 1 else 0.0)) / wide
                inferences += 1
                if not forest:
                    break
            if inferences == 0:
                at, wide = i, 0
                while at < j:
                    stop = _next_child(block, at, i, j)
                    if stop - at > 1:
                        total += goodness[at, stop]
                        wide += 1
                    at = stop
                if wide == 0:
                    goodness[i, j] = 0.0
                    continue
                goodness[i, j] = (1 - beta) * total / wide
            elif size == 2:
                goodness[i, j] = operator
            else:
                goodness[i, j] = beta * operator + (1 - beta) * total / inferences
    return goodness[0, n]


@njit(cache=True, nogil=True)
def _log_catalan(n: int) -> float:
    return lgamma(2 * n + 1) - 2 * lgamma(n + 1) - np.log(n + 1)


@njit(cache=True, nogil=True)
def _tree(ranks: Int64s, block: Bools, out: Float64s) -> None:
    """Size, arity, number of trees and shares of node kinds of n > 1 ranks."""
    n = len(ranks)
    nodes = widest = monotone_nodes = inverted_nodes = nodes_of_four = larger_nodes = 0
    log_trees = 0.0
    stack = np.empty((n + 1, 2), np.int64)
    stack[0, 0], stack[0, 1] = 0, n
    depth = 1
    while depth:
        depth -= 1
        i, j = stack[depth]
        if j - i < 2:
            continue
        begin, children, split = i, 0, -1
        for k in range(i + 1, j):
            if block[i, k] and block[k, j]:
                stack[depth, 0], stack[depth, 1] = begin, k
                depth += 1
                children += 1
                split = begin = k
        if children:
            stack[depth, 0], stack[depth, 1] = begin, j
            depth += 1
            nodes += children
            widest = max(widest, 2)
            log_trees += _log_catalan(children)
            if ranks[i] < ranks[split]:
                monotone_nodes += children
            else:
                inverted_nodes += children
            continue
        at = i
        while at < j:
            stop = _next_child(block, at, i, j)
            stack[depth, 0], stack[depth, 1] = at, stop
            depth += 1
            children += 1
            at = stop
        nodes += 1
        widest = max(widest, children)
        nodes_of_four += children == 4
        larger_nodes += children > 4
    out[5] = (nodes - 1) / (n - 2) if n > 2 else 1.0
    out[6] = 1 - (widest - 2) / (n - 2) if n > 2 else 1.0
    if n > 2:
        # (trees - 1) / (Catalan - 1) without leaving the logarithms of numbers too large for a float.
        largest_log = _log_catalan(n - 1)
        out[7] = np.exp(log_trees - largest_log) * (-np.expm1(-log_trees)) / (-np.expm1(-largest_log))
    else:
        out[7] = 1.0
    out[10], out[11], out[12], out[13] = monotone_nodes / nodes, inverted_nodes / nodes, nodes_of_four / nodes, larger_nodes / nodes


@njit(cache=True, nogil=True)
def permutation_similarities(ranks: Int64s, offsets: Int64s, beta: float, measure: int) -> Float64s:
    """The measures of `SIMILARITIES` for each permutation of 0 … n - 1; shape (rows, 14).

    All are in [0, 1] and 1 for the identity but for the shares of nodes. No word gives 0 and one word 1 everywhere
    (shares: 0). `measure` is the position of one measure, or -1 for all; the rest may then be 0.
    """
    out = np.zeros((len(offsets) - 1, len(SIMILARITIES)))
    for i in range(len(offsets) - 1):
        row = ranks[offsets[i] : offsets[i + 1]]
        if len(row) == 1:
            out[i, :10] = 1.0
        if len(row) < 2:
            continue
        if measure < 5:
            _flat(row, out[i])
        if measure < 0 or measure > 4:
            block = _blocks(row)
            if measure < 0 or measure == 8:
                out[i, 8] = _recursive(row, block, beta, False)
            if measure < 0 or measure == 9:
                out[i, 9] = _recursive(row, block, beta, True)
            if measure != 8 and measure != 9:
                _tree(row, block, out[i])
    return out


@njit(cache=True, nogil=True)
def ranks_of_links(links: Int64s, offsets: Int64s) -> tuple[Int64s, Int64s]:
    """Permutations: linked words in hypothesis order, each as the rank of its reference position (from 0); CSR.

    Words without a link drop out on both sides (the thesis on permutation trees, section 4.2). Equal positions,
    which only alignments of the caller have, keep the order of the hypothesis.
    """
    ranks = np.empty(len(links), np.int64)
    ends = np.zeros(len(offsets), np.int64)
    at = 0
    for i in range(len(offsets) - 1):
        begin = at
        places = np.empty(offsets[i + 1] - offsets[i], np.int64)
        for k in range(offsets[i], offsets[i + 1]):
            if links[k] >= 0:
                places[at - begin] = links[k]
                at += 1
        order = np.argsort(places[: at - begin], kind="mergesort")
        for rank in range(at - begin):
            ranks[begin + order[rank]] = rank
        ends[i + 1] = at
    return ranks[:at].copy(), ends
