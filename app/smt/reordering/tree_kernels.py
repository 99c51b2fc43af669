"""Permutation trees in compiled code (thesis on permutation trees, section 2.5.3; digest 2.3–2.5).

A tree is a set of arrays. Its nodes stand in postorder, so that the root is the last. `children[offsets[i] : offsets[i + 1]]` are
the children of node i: a node's index, or -1 - p for the leaf at position p. `places` has the place of each child in the output.
"""

import numpy as np
from numba import njit

from app.arrays import Int64s

__all__ = ["binarise", "block_starts", "flat_tree", "left_tree"]

STRAIGHT, INVERSE, PRIME = 1, 2, 3


@njit(cache=True, nogil=True)
def left_tree(ranks: Int64s) -> tuple[Int64s, Int64s, Int64s]:
    """Offsets, children and places of the left-branching tree of ranks 0 … n - 1, by shift and reduce; O(n²)."""
    n = len(ranks)
    offsets, children, places = np.zeros(n + 1, np.int64), np.empty(2 * n, np.int64), np.empty(2 * n, np.int64)
    codes, lows, highs, sizes = np.empty(n, np.int64), np.empty(n, np.int64), np.empty(n, np.int64), np.empty(n, np.int64)
    depth = nodes = end = 0
    for i in range(n):
        codes[depth], lows[depth], highs[depth], sizes[depth] = -1 - i, ranks[i], ranks[i], 1
        depth += 1
        reduced = True
        while reduced:
            reduced = False
            low, high, size = lows[depth - 1], highs[depth - 1], sizes[depth - 1]
            for begin in range(depth - 2, -1, -1):
                low, high, size = min(low, lows[begin]), max(high, highs[begin]), size + sizes[begin]
                if high - low + 1 != size:
                    continue
                order = np.argsort(lows[begin:depth])
                for place in range(depth - begin):
                    places[end + order[place]] = place
                    children[end + place] = codes[begin + place]
                end += depth - begin
                codes[begin], lows[begin], highs[begin], sizes[begin] = nodes, low, high, size
                nodes += 1
                offsets[nodes] = end
                depth = begin + 1
                reduced = True
                break
    return offsets[: nodes + 1].copy(), children[:end].copy(), places[:end].copy()


@njit(cache=True, nogil=True)
def _longest_stops(ranks: Int64s) -> Int64s:
    """Last position of the longest block from each position on; O(n) (Bergeron, Chauve, de Montgolfier and Raffinot 2008).

    Positions are taken as values of the inverse sequence. The blocks are the ranges of values that both a bound from above and a
    bound from below admit; each family of bounds is nested.
    """
    n = len(ranks)
    inverse = np.empty(n, np.int64)
    for i in range(n):
        inverse[ranks[i]] = i
    upper, lower = _bounds(inverse, ranks, False), _bounds(inverse, ranks, True)
    stops = np.arange(n)
    parents, stack = np.zeros(n, np.int64), np.zeros(n, np.int64)
    depth = 1
    for i in range(1, n):
        while upper[stack[depth - 1]] < i:
            depth -= 1
        parents[i] = stack[depth - 1]
        stack[depth] = i
        depth += 1
    for i in range(n - 1, 0, -1):
        parent = parents[i]
        if lower[stops[i]] <= parent and stops[i] <= upper[parent]:
            stops[parent] = max(stops[parent], stops[i])
    return stops


@njit(cache=True, nogil=True)
def _bounds(sequence: Int64s, places: Int64s, mirrored: bool) -> Int64s:
    """Bound u of each value v: all of v … u lie in the stretch around v without smaller values; shape (n,).

    The bounds are the largest such u, or mirrored the smallest u in stretches without larger values.
    """
    n = len(sequence)
    begins, ends = np.zeros(n, np.int64), np.full(n, n - 1, np.int64)
    stack = np.empty(n, np.int64)
    depth = 0
    for i in range(n):
        while depth and (sequence[stack[depth - 1]] > sequence[i]) != mirrored:
            depth -= 1
            ends[sequence[stack[depth]]] = i - 1
        begins[sequence[i]] = stack[depth - 1] + 1 if depth else 0
        stack[depth] = i
        depth += 1
    bounds = np.empty(n, np.int64)
    step = -1 if mirrored else 1
    for k in range(n):
        value = k if mirrored else n - 1 - k
        bound = value
        while 0 <= bound + step < n and begins[value] <= places[bound + step] <= ends[value]:
            bound = bounds[bound + step]
        bounds[value] = bound
    return bounds


@njit(cache=True, nogil=True)
def block_starts(ranks: Int64s) -> Int64s:
    """First position of the longest block that ends at each position; a block has contiguous values; shape (n,); O(n)."""
    n = len(ranks)
    stops = _longest_stops(ranks[::-1].copy())
    return n - 1 - stops[::-1].copy()


@njit(cache=True, nogil=True)
def flat_tree(ranks: Int64s) -> tuple[Int64s, Int64s, Int64s]:
    """Offsets, children and places of the flat tree: chains of one binary operator are one node.

    The time is linear but for the order of the children of prime nodes, which is sorted.
    """
    n = len(ranks)
    starts = block_starts(ranks)
    kinds, lows, highs = np.zeros(2 * n, np.int64), np.empty(2 * n, np.int64), np.empty(2 * n, np.int64)
    begins, firsts, lasts, following = (
        np.empty(2 * n, np.int64),
        np.empty(2 * n, np.int64),
        np.empty(2 * n, np.int64),
        np.full(2 * n, -1),
    )
    stack = np.empty(n, np.int64)
    depth, count = 0, n
    for i in range(n):
        lows[i], highs[i], begins[i] = ranks[i], ranks[i], i
        node = i
        while depth and starts[i] <= begins[stack[depth - 1]]:
            top = stack[depth - 1]
            above, below = lows[node] == highs[top] + 1, highs[node] == lows[top] - 1
            if (above and kinds[top] == STRAIGHT) or (below and kinds[top] == INVERSE):
                following[lasts[top]] = node
                lasts[top] = node
                lows[top], highs[top] = min(lows[top], lows[node]), max(highs[top], highs[node])
                node = top
                depth -= 1
                continue
            kinds[count] = STRAIGHT if above else INVERSE if below else PRIME
            lasts[count], lows[count], highs[count] = node, lows[node], highs[node]
            while True:
                depth -= 1
                top = stack[depth]
                following[top] = node
                node = top
                lows[count], highs[count] = min(lows[count], lows[top]), max(highs[count], highs[top])
                if highs[count] - lows[count] == i - begins[top]:
                    break
            firsts[count], begins[count] = node, begins[node]
            node = count
            count += 1
        stack[depth] = node
        depth += 1
    return _in_postorder(n, count, stack[0], firsts, following, lows)


@njit(cache=True, nogil=True)
def _in_postorder(n: int, count: int, root: int, firsts: Int64s, following: Int64s, lows: Int64s) -> tuple[Int64s, Int64s, Int64s]:
    """Offsets, children and places of linked nodes; the numbers below n are leaves."""
    total = count - n
    offsets, children, places = np.zeros(total + 1, np.int64), np.empty(count, np.int64), np.empty(count, np.int64)
    order, numbers, stack = np.empty(total, np.int64), np.empty(count, np.int64), np.empty(count, np.int64)
    stack[0] = root
    depth, at = 1 if total else 0, total
    # A node, then its children from the last to the first: backwards this is the postorder.
    while depth:
        depth -= 1
        node = stack[depth]
        at -= 1
        order[at] = node
        numbers[node] = at
        child = firsts[node]
        while child >= 0:
            if child >= n:
                stack[depth] = child
                depth += 1
            child = following[child]
    end = 0
    for i in range(total):
        begin = end
        child = firsts[order[i]]
        while child >= 0:
            children[end] = numbers[child] if child >= n else -1 - child
            places[end] = lows[child]
            end += 1
            child = following[child]
        ordered_children = np.argsort(places[begin:end])
        for place in range(end - begin):
            places[begin + ordered_children[place]] = place
        offsets[i + 1] = end
    return offsets, children[:end].copy(), places[:end].copy()


@njit(cache=True, nogil=True)
def binarise(offsets: Int64s, children: Int64s, places: Int64s, right: bool) -> tuple[Int64s, Int64s, Int64s]:
    """Offsets, children and places of a flat tree whose binary nodes branch to the left, or else to the right."""
    total = len(offsets) - 1
    size = len(children)
    new_offsets, new_children, new_places = np.zeros(size + 1, np.int64), np.empty(2 * size, np.int64), np.empty(2 * size, np.int64)
    numbers = np.empty(total, np.int64)
    nodes = end = 0
    for i in range(total):
        begin, stop = offsets[i], offsets[i + 1]
        straight = places[begin] == 0
        binary = _monotone(places[begin:stop], straight)
        if not binary:
            for k in range(begin, stop):
                new_children[end] = numbers[children[k]] if children[k] >= 0 else children[k]
                new_places[end] = places[k]
                end += 1
            numbers[i] = nodes
            nodes += 1
            new_offsets[nodes] = end
            continue
        head = stop - 1 if right else begin
        rest = numbers[children[head]] if children[head] >= 0 else children[head]
        for step in range(1, stop - begin):
            k = stop - 1 - step if right else begin + step
            child = numbers[children[k]] if children[k] >= 0 else children[k]
            new_children[end], new_children[end + 1] = (child, rest) if right else (rest, child)
            new_places[end], new_places[end + 1] = (0, 1) if straight else (1, 0)
            end += 2
            rest = nodes
            nodes += 1
            new_offsets[nodes] = end
        numbers[i] = rest
    return new_offsets[: nodes + 1].copy(), new_children[:end].copy(), new_places[:end].copy()


@njit(cache=True, nogil=True)
def _monotone(places: Int64s, straight: bool) -> bool:
    """Return True if places rise one by one, or else fall one by one."""
    step, monotone = 1 if straight else -1, True
    for k in range(1, len(places)):
        monotone = monotone and places[k] - places[k - 1] == step
    return monotone
