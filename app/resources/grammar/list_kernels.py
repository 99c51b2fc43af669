"""The k best trees of a sentence, lazily (Huang and Chiang 2005, algorithm 3).

A vertex is a symbol over a span, or the sequence of trees from a word on. Its derivations come in order, and only as many as
a list above needs. Candidates of a vertex are its k best edges, and successors of derivations that are in its list.
"""

import numpy as np
from numba import njit

from app.arrays import Float32s, Float64s, Int32s, Int64s

__all__ = ["FULL", "best_trees"]

MINUS_INFINITY = -np.inf
# Number of trees in place of a result if there is no room for the vertices.
FULL = -1


@njit(cache=True)
def _number(code: int, vertices: Int64s, codes: Int64s, size: Int64s) -> int:
    """Number of a vertex, which is new at its first use; -1 if there is no room."""
    if vertices[code] < 0:
        if size[0] == len(codes):
            return -1
        vertices[code] = size[0]
        codes[size[0]] = code
        size[0] += 1
    return int(vertices[code])


@njit(cache=True)
def _best_of(code: int, best: Float64s, tops: Float64s) -> float:
    symbols = best.shape[1]
    cells = best.shape[0]
    return best[code // symbols, code % symbols] if code < cells * symbols else tops[code - cells * symbols]


@njit(cache=True)
def _edges(
    code: int, n: int, best: Float64s, tops: Float64s, roots: Float64s, go_on: float, of_parent: Int64s, parent_offsets: Int64s,
    lefts: Int32s, rights: Int32s, rule_logs: Float32s,
) -> tuple[Float64s, Float64s, Int64s]:  # fmt: skip
    """Edges of a vertex: totals, own logs, and codes of the left and right child (-1: none); shapes (e,), (e,), (e, 2)."""
    cells, symbols = best.shape
    stop = np.log1p(-np.exp(go_on))
    if code >= cells * symbols:
        begin = code - cells * symbols
        room = (n - begin) * symbols
    else:
        begin, end = code // symbols // (n + 1), code // symbols % (n + 1)
        symbol = code % symbols
        room = (end - begin - 1) * (parent_offsets[symbol + 1] - parent_offsets[symbol])
    totals, logs, children = np.empty(room), np.empty(room), np.empty((room, 2), np.int64)
    count = 0
    if code >= cells * symbols:
        for end in range(begin + 1, n + 1):
            cell = begin * (n + 1) + end
            further = stop if end == n else go_on
            for symbol in range(symbols):
                total = best[cell, symbol] + roots[symbol] + further + (0.0 if end == n else tops[end])
                if total > MINUS_INFINITY:
                    totals[count], logs[count] = total, further + roots[symbol]
                    children[count, 0] = cell * symbols + symbol
                    children[count, 1] = -1 if end == n else cells * symbols + end
                    count += 1
    else:
        for middle in range(begin + 1, end):
            left, right = begin * (n + 1) + middle, middle * (n + 1) + end
            for k in range(parent_offsets[symbol], parent_offsets[symbol + 1]):
                rule = of_parent[k]
                total = best[left, lefts[rule]] + best[right, rights[rule]] + rule_logs[rule]
                if total > MINUS_INFINITY:
                    totals[count], logs[count] = total, rule_logs[rule]
                    children[count, 0] = left * symbols + lefts[rule]
                    children[count, 1] = right * symbols + rights[rule]
                    count += 1
    return totals[:count], logs[:count], children[:count]


@njit(cache=True, nogil=True)
def best_trees(
    best: Float64s, tops: Float64s, roots: Float64s, go_on: float, n: int, of_parent: Int64s, parent_offsets: Int64s,
    lefts: Int32s, rights: Int32s, rule_logs: Float32s, limit: int, room: int,
) -> tuple[int, Float64s]:  # fmt: skip
    """Number of trees, at most `limit`, and their natural logs, best first; the number is `FULL` if `room` is too small."""
    cells, symbols = best.shape
    vertices = np.full(cells * symbols + n + 1, -1, np.int64)
    codes, size = np.empty(room, np.int64), np.zeros(1, np.int64)
    is_open, is_complete = np.zeros(room, np.bool_), np.zeros(room, np.bool_)
    # Derivations in order: their logs, and the children (vertex, rank) of each side.
    counts, successors = np.zeros(room, np.int64), np.zeros(room, np.int64)
    values, links = np.empty((room, limit)), np.empty((room, limit, 4), np.int32)
    # Candidates of each vertex, unsorted, with the log of their edge.
    waiting = np.zeros(room, np.int64)
    totals, logs = np.empty((room, 3 * limit)), np.empty((room, 3 * limit))
    ends = np.empty((room, 3 * limit, 4), np.int32)
    own_logs = np.empty((room, limit))
    stack = np.empty((4 * n + 8, 2), np.int64)
    root = _number(cells * symbols, vertices, codes, size)
    if tops[0] == MINUS_INFINITY:
        return 0, values[root, :0]
    depth = 1
    stack[0, 0], stack[0, 1] = root, limit - 1
    while depth:
        vertex, rank = stack[depth - 1]
        if not is_open[vertex]:
            is_open[vertex] = True
            code = codes[vertex]
            span = 0
            if code < cells * symbols:
                span = code // symbols % (n + 1) - code // symbols // (n + 1)
            if span == 1:
                values[vertex, 0] = best[code // symbols, code % symbols]
                counts[vertex], is_complete[vertex] = 1, True
            else:
                edge_totals, edge_logs, children = _edges(
                    code, n, best, tops, roots, go_on, of_parent, parent_offsets, lefts, rights, rule_logs
                )
                order = np.argsort(-edge_totals)[:limit]
                for place in range(len(order)):
                    edge = order[place]
                    totals[vertex, place], logs[vertex, place] = edge_totals[edge], edge_logs[edge]
                    left = _number(children[edge, 0], vertices, codes, size)
                    right = -1 if children[edge, 1] < 0 else _number(children[edge, 1], vertices, codes, size)
                    if left < 0 or (right < 0 and children[edge, 1] >= 0):
                        return FULL, values[root, :0]
                    ends[vertex, place, 0], ends[vertex, place, 1] = left, 0
                    ends[vertex, place, 2], ends[vertex, place, 3] = right, 0
                waiting[vertex] = len(order)
        if counts[vertex] > rank or is_complete[vertex]:
            depth -= 1
            continue
        if successors[vertex] < counts[vertex]:
            # Successors of the last derivation: the next derivation of a child, on the right only below the first on the left.
            last = successors[vertex]
            left, left_rank, right, right_rank = links[vertex, last]
            if counts[left] <= left_rank + 1 and not is_complete[left]:
                stack[depth, 0], stack[depth, 1] = left, left_rank + 1
                depth += 1
                continue
            if right >= 0 and left_rank == 0 and counts[right] <= right_rank + 1 and not is_complete[right]:
                stack[depth, 0], stack[depth, 1] = right, right_rank + 1
                depth += 1
                continue
            edge_log = own_logs[vertex, last]
            for side in range(2):
                if side == 1 and (right < 0 or left_rank > 0):
                    continue
                next_left, next_right = left_rank + (side == 0), right_rank + (side == 1)
                if counts[left] <= next_left or (right >= 0 and counts[right] <= next_right and next_right > 0):
                    continue
                at = waiting[vertex]
                total = edge_log + values[left, next_left]
                if right >= 0:
                    total += values[right, next_right] if next_right else _best_of(codes[right], best, tops)
                totals[vertex, at], logs[vertex, at] = total, edge_log
                ends[vertex, at, 0], ends[vertex, at, 1] = left, next_left
                ends[vertex, at, 2], ends[vertex, at, 3] = right, next_right
                waiting[vertex] = at + 1
            successors[vertex] += 1
            continue
        count = waiting[vertex]
        if not count:
            is_complete[vertex] = True
            continue
        place_of_best = int(totals[vertex, :count].argmax())
        place = counts[vertex]
        values[vertex, place], own_logs[vertex, place] = totals[vertex, place_of_best], logs[vertex, place_of_best]
        links[vertex, place] = ends[vertex, place_of_best]
        counts[vertex] += 1
        totals[vertex, place_of_best], logs[vertex, place_of_best] = totals[vertex, count - 1], logs[vertex, count - 1]
        ends[vertex, place_of_best] = ends[vertex, count - 1]
        waiting[vertex] = count - 1
        if counts[vertex] == limit:
            is_complete[vertex] = True
    return counts[root], values[root, : counts[root]].copy()
