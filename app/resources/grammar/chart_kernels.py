"""Charts of a grammar in Chomsky's normal form: inside probabilities and best trees (Cocke, Kasami, Younger).

A cell ``begin * (n + 1) + end`` holds a span. A sentence is a sequence of trees, usually of one,
so each sentence has a likelihood.
"""

import numpy as np
from numba import njit

from app.arrays import Float32s, Float64s, Int32s, Int64s

__all__ = ["best_counts", "best_rule", "fill_chart", "sentence_tops"]

MINUS_INFINITY = -np.inf


@njit(cache=True, nogil=True)
def fill_chart(
    words: Int64s, word_offsets: Int64s, word_symbols: Int32s, word_logs: Float32s,
    rule_offsets: Int64s, rights: Int32s, parents: Int32s, rule_logs: Float32s,
    rule_values: Float64s, symbols: int,
) -> tuple[Float64s, Float64s]:  # fmt: skip
    """Natural logs of the best tree and of the sum of all trees, by cell and symbol; shape ((n + 1)^2, symbols) each.

    `words` are rows of the lexicon. Rules are sorted by their left child; `rule_values` are the exponentials of their logs.
    O(n^3 rules).
    """
    n = len(words)
    best = np.full(((n + 1) * (n + 1), symbols), MINUS_INFINITY)
    # Sums of a cell are relative to the exponential of its scale, so that none underflows.
    inside = np.zeros(((n + 1) * (n + 1), symbols))
    scales = np.full((n + 1) * (n + 1), MINUS_INFINITY)
    active = np.empty(((n + 1) * (n + 1), symbols), np.int32)
    counts = np.zeros((n + 1) * (n + 1), np.int64)
    for begin in range(n):
        cell = begin * (n + 1) + begin + 1
        for k in range(word_offsets[words[begin]], word_offsets[words[begin] + 1]):
            best[cell, word_symbols[k]] = word_logs[k]
        _finish(cell, best, inside, scales, active, counts, True)
    for width in range(2, n + 1):
        for begin in range(n - width + 1):
            end = begin + width
            cell = begin * (n + 1) + end
            scale = MINUS_INFINITY
            for middle in range(begin + 1, end):
                scale = max(scale, scales[begin * (n + 1) + middle] + scales[middle * (n + 1) + end])
            if scale == MINUS_INFINITY:
                continue
            for middle in range(begin + 1, end):
                left, right = begin * (n + 1) + middle, middle * (n + 1) + end
                if scales[left] == MINUS_INFINITY or scales[right] == MINUS_INFINITY:
                    continue
                factor = np.exp(scales[left] + scales[right] - scale)
                for a in range(counts[left]):
                    symbol = active[left, a]
                    left_best, left_sum = best[left, symbol], inside[left, symbol] * factor
                    for rule in range(rule_offsets[symbol], rule_offsets[symbol + 1]):
                        right_best = best[right, rights[rule]]
                        if right_best == MINUS_INFINITY:
                            continue
                        parent = parents[rule]
                        inside[cell, parent] += left_sum * inside[right, rights[rule]] * rule_values[rule]
                        best[cell, parent] = max(best[cell, parent], left_best + right_best + rule_logs[rule])
            scales[cell] = scale
            _finish(cell, best, inside, scales, active, counts, False)
    for cell in range(len(scales)):
        for symbol in range(symbols):
            inside[cell, symbol] = np.log(inside[cell, symbol]) + scales[cell] if inside[cell, symbol] > 0 else MINUS_INFINITY
    return best, inside


@njit(cache=True)
def _finish(
    cell: int, best: Float64s, inside: Float64s, scales: Float64s, active: Int32s, counts: Int64s, is_word: bool
) -> None:  # fmt: skip
    """List the symbols of a finished cell, and make its largest sum 1; a word's sums are those of its tags."""
    if is_word:
        scales[cell] = best[cell].max()
        if scales[cell] > MINUS_INFINITY:
            inside[cell] = np.exp(best[cell] - scales[cell])
    else:
        largest = inside[cell].max()
        if largest == 0.0:
            scales[cell] = MINUS_INFINITY
        else:
            inside[cell] /= largest
            scales[cell] += np.log(largest)
    for symbol in range(best.shape[1]):
        if best[cell, symbol] > MINUS_INFINITY:
            active[cell, counts[cell]] = symbol
            counts[cell] += 1


@njit(cache=True, nogil=True)
def sentence_tops(best: Float64s, inside: Float64s, roots: Float64s, go_on: float, n: int) -> tuple[Float64s, Float64s]:
    """Natural logs of the best and of all sequences of trees from each word on; shape (n + 1,) each.

    `roots` are logs of the probabilities of the first symbol of a tree. A further tree follows with the log probability `go_on`.
    """
    tops, sums = np.full(n + 1, MINUS_INFINITY), np.full(n + 1, MINUS_INFINITY)
    stop = np.log1p(-np.exp(go_on))
    for begin in range(n - 1, -1, -1):
        for end in range(begin + 1, n + 1):
            cell = begin * (n + 1) + end
            after, after_sum = (stop, stop) if end == n else (go_on + tops[end], go_on + sums[end])
            for symbol in range(len(roots)):
                if best[cell, symbol] > MINUS_INFINITY:
                    tops[begin] = max(tops[begin], best[cell, symbol] + roots[symbol] + after)
                    sums[begin] = np.logaddexp(sums[begin], inside[cell, symbol] + roots[symbol] + after_sum)
    return tops, sums


@njit(cache=True)
def best_rule(
    begin: int, end: int, parent: int, n: int, best: Float64s, of_parent: Int64s, parent_offsets: Int64s, lefts: Int32s,
    rights: Int32s, rule_logs: Float32s,
) -> tuple[int, int]:  # fmt: skip
    """Rule and middle of the best tree of a symbol over a span of several words."""
    target, best_number, place = MINUS_INFINITY, -1, -1
    for middle in range(begin + 1, end):
        for k in range(parent_offsets[parent], parent_offsets[parent + 1]):
            rule = of_parent[k]
            value = best[begin * (n + 1) + middle, lefts[rule]] + best[middle * (n + 1) + end, rights[rule]] + rule_logs[rule]
            if value > target:
                target, best_number, place = value, rule, middle
    return best_number, place


@njit(cache=True, nogil=True)
def best_counts(
    best: Float64s, tops: Float64s, roots: Float64s, go_on: float, n: int, of_parent: Int64s, parent_offsets: Int64s,
    lefts: Int32s, rights: Int32s, rule_logs: Float32s, additions: Int64s,
) -> Int64s:  # fmt: skip
    """Sums of `additions` (symbols, k) over the nodes of the best trees; the last column is the largest depth."""
    counts = np.zeros(additions.shape[1], np.int64)
    last = additions.shape[1] - 1
    stop = np.log1p(-np.exp(go_on))
    # Open nodes: begin, end, symbol, depth above.
    waiting = np.empty((2 * n + 2, 4), np.int64)
    begin = 0
    while begin < n:
        value, top, place = MINUS_INFINITY, -1, -1
        for end in range(begin + 1, n + 1):
            after = stop if end == n else go_on + tops[end]
            for symbol in range(len(roots)):
                if best[begin * (n + 1) + end, symbol] + roots[symbol] + after > value:
                    value, top, place = best[begin * (n + 1) + end, symbol] + roots[symbol] + after, symbol, end
        size = 1
        waiting[0] = (begin, place, top, 0)
        while size:
            size -= 1
            first, end, symbol, depth = waiting[size]
            counts[:last] += additions[symbol, :last]
            depth += additions[symbol, last]
            counts[last] = max(counts[last], depth)
            if end - first > 1:
                rule, middle = best_rule(first, end, symbol, n, best, of_parent, parent_offsets, lefts, rights, rule_logs)
                waiting[size] = (middle, end, np.int64(rights[rule]), depth)
                waiting[size + 1] = (first, middle, np.int64(lefts[rule]), depth)
                size += 2
        begin = place
    return counts
