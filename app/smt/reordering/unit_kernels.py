"""Units of aligned sentences in compiled code: orders from links, minimal phrases (digest 2.1 and 2.2)."""

import numpy as np
from numba import njit

from app.arrays import Float64s, Int64s

__all__ = ["minimal_phrases", "order_of_targets"]


@njit(cache=True, nogil=True)
def order_of_targets(targets: Float64s, attach_right: bool) -> Int64s:
    """Ranks of positions by their target place; NaN takes the place of the nearest linked neighbour on a side, else on the other.

    Equal places keep the order of the source (thesis, section 2.5.2).
    """
    n = len(targets)
    places = targets.copy()
    for turn in range(2):
        rightward = attach_right == (turn == 0)
        nearest = np.nan
        for step in range(n):
            i = n - 1 - step if rightward else step
            if not np.isnan(targets[i]):
                nearest = targets[i]
            elif np.isnan(places[i]):
                places[i] = nearest
    ranks = np.empty(n, np.int64)
    order = np.argsort(places, kind="mergesort")
    for rank in range(n):
        ranks[order[rank]] = rank
    return ranks


@njit(cache=True, nogil=True)
def _root(parents: Int64s, i: int) -> int:
    while parents[i] != i:
        parents[i] = parents[parents[i]]
        i = parents[i]
    return i


@njit(cache=True, nogil=True)
def _merge_overlaps(begins: Int64s, ends: Int64s, parents: Int64s) -> bool:
    """Join components whose intervals [begin, end] overlap; return True if any did. Bounds stay those of the first members."""
    order = np.argsort(begins, kind="mergesort")
    last, merged = order[0], False
    for k in range(1, len(order)):
        i = order[k]
        if begins[i] <= ends[last]:
            first, second = _root(parents, last), _root(parents, i)
            if first != second:
                parents[second] = first
                merged = True
            if ends[i] > ends[last]:
                last = i
        else:
            last = i
    return merged


@njit(cache=True, nogil=True)
def minimal_phrases(sources: Int64s, targets: Int64s) -> tuple[Int64s, Int64s]:
    """Source spans [begin, end) of minimal phrases in source order, shape (m, 2), and their ranks in target order, shape (m,).

    Phrases that overlap on either side are one phrase. Words without a link lie in a phrase only if linked words surround them.
    """
    links = len(sources)
    parents = np.arange(links)
    # Bounds of each link's component: source begin and end, target begin and end.
    bounds = np.empty((4, links), np.int64)
    bounds[0], bounds[1], bounds[2], bounds[3] = sources, sources, targets, targets
    merging = links > 0
    while merging:
        merging = _merge_overlaps(bounds[0], bounds[1], parents)
        merging = _merge_overlaps(bounds[2], bounds[3], parents) or merging
        for i in range(links):
            root = _root(parents, i)
            for side in (0, 2):
                bounds[side, root] = min(bounds[side, root], bounds[side, i])
                bounds[side + 1, root] = max(bounds[side + 1, root], bounds[side + 1, i])
        for i in range(links):
            bounds[:, i] = bounds[:, _root(parents, i)]
    heads = np.array([i for i in range(links) if parents[i] == i], np.int64)
    heads = heads[np.argsort(bounds[0][heads])]
    spans, ranks = np.empty((len(heads), 2), np.int64), np.empty(len(heads), np.int64)
    order = np.argsort(bounds[2][heads])
    for k in range(len(heads)):
        spans[k, 0], spans[k, 1] = bounds[0, heads[k]], bounds[1, heads[k]] + 1
        ranks[order[k]] = k
    return spans, ranks
