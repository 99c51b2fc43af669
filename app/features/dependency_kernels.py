"""Shapes of dependency trees, and dependencies shared by two linked trees."""

import numpy as np
from numba import njit

from app.arrays import Float32s, Float64s, Int32s, Int64s

__all__ = ["matched_dependencies", "tree_shapes"]

LINK_PROBABILITY = 0.1


@njit(cache=True, nogil=True)
def tree_shapes(heads: Int32s, offsets: Int64s, no_head: int) -> Float64s:
    """Depth (a root alone: 1), most dependents of one word, and mean distance to the head, of each segment; (n, 3).

    A cycle, which no parser should make, is cut at its end.
    """
    n = len(offsets) - 1
    out = np.zeros((n, 3))
    for i in range(n):
        begin, size = offsets[i], offsets[i + 1] - offsets[i]
        dependents = np.zeros(size, np.int64)
        depths = np.zeros(size, np.int64)
        arcs = 0
        for k in range(size):
            head = heads[begin + k]
            if head != no_head:
                dependents[head] += 1
                out[i, 2] += abs(head - k)
                arcs += 1
            at, steps = k, 1
            while heads[begin + at] != no_head and steps <= size and depths[at] == 0:
                at = heads[begin + at]
                steps += 1
            depths[k] = steps + max(0, depths[at] - 1) if at != k else steps
            out[i, 0] = max(out[i, 0], min(depths[k], size))
        for k in range(size):
            out[i, 1] = max(out[i, 1], dependents[k])
        if arcs:
            out[i, 2] /= arcs
    return out


@njit(cache=True, nogil=True)
def matched_dependencies(
    source_heads: Int32s,
    source_offsets: Int64s,
    target_heads: Int32s,
    target_offsets: Int64s,
    links: Int32s,
    probabilities: Float32s,
    no_head: int,
) -> Float64s:
    """Per segment: target dependencies that links carry to source dependencies; (n, 4).

    Equal head and dependent, either direction, either direction with good links, and the larger number of dependencies.
    `links` are places in the source segment, -1 for none, per target token.
    """
    n = len(source_offsets) - 1
    out = np.zeros((n, 4))
    for i in range(n):
        source, target = source_offsets[i], target_offsets[i]
        of_source = of_target = 0
        for k in range(source_offsets[i + 1] - source):
            of_source += source_heads[source + k] != no_head
        for k in range(target_offsets[i + 1] - target):
            head = target_heads[target + k]
            if head == no_head:
                continue
            of_target += 1
            a, b = links[target + head], links[target + k]
            if a < 0 or b < 0 or a == b:
                continue
            down, up = source_heads[source + b] == a, source_heads[source + a] == b
            out[i, 0] += down
            out[i, 1] += down or up
            if (down or up) and probabilities[target + head] > LINK_PROBABILITY and probabilities[target + k] > LINK_PROBABILITY:
                out[i, 2] += 1
        out[i, 3] = max(of_source, of_target)
    return out
