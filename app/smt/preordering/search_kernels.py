"""Top-down beam search over trees of bracketing transduction grammar (Nakagawa 2015).

A state splits the leftmost undivided span next, so each tree has one sequence of n - 1 splits, and states of a step compete.
"""

import numpy as np
from numba import njit

from app.arrays import Float64s, Int64s, UInt64s
from app.smt.preordering.feature_kernels import ABOVE, ROOT, feature_count, split_slots
from app.smt.preordering.loss_kernels import split_loss

__all__ = ["empty_cache", "order_of_splits", "search", "splits_of"]


@njit(cache=True, nogil=True)
def empty_cache(n: int) -> Int64s:
    """Offsets of the scores of spans, none known yet; shape (ABOVE, n + 1, n + 1)."""
    return np.full((ABOVE, n + 1, n + 1), -1)


@njit(cache=True, nogil=True)
def _score_span(hashes: UInt64s, weights: Float64s, begin: int, end: int, above: int, slots: Int64s, scores: Float64s) -> None:
    """Write the scores of all splits of a span, straight and inverted by turns."""
    mask = len(weights) - 1
    for middle in range(begin + 1, end):
        split_slots(hashes, begin, middle, end, above, mask, slots)
        for orientation in range(2):
            total = 0.0
            for slot in slots:
                total += weights[slot, orientation]
            scores[2 * (middle - begin - 1) + orientation] = total


@njit(cache=True, nogil=True)
def search(
    hashes: UInt64s, weights: Float64s, beam: int, sums: Int64s, minima: Int64s, margin: float, offsets: Int64s, scores: Float64s
) -> tuple[Float64s, Int64s, Int64s, Float64s]:  # fmt: skip
    """Best states of each step, the best first: totals and rows (state before, begin, middle, end, orientation), and how many.

    Shapes are (n - 1, beam), (n - 1, beam, 5) and (n - 1,); the last value is the grown `scores`. `margin` times the loss of splits
    adds to their scores. With `minima` of the shape (n + 1, n + 1) only splits on trees of the least loss take part. Both tables of
    losses may be empty. `offsets` and `scores` are a cache of the sentence's scores, which the search fills.
    """
    n = len(hashes)
    totals, rows = np.empty((n - 1, beam)), np.empty((n - 1, beam, 5), np.int64)
    counts = np.zeros(n - 1, np.int64)
    slots = np.empty(feature_count(hashes.shape[1]), np.int64)
    score_count = 0
    for above in range(ABOVE):
        for begin in range(n):
            for end in range(begin + 2, n + 1):
                if offsets[above, begin, end] >= 0:
                    score_count = max(score_count, offsets[above, begin, end] + 2 * (end - begin - 1))
    # Cells of stacks of undivided spans: begin, end, split above, cell below.
    cells = np.empty((2 * beam * n + 1, 4), np.int64)
    cells[0] = 0, n, ROOT, -1
    cell_count = 1
    stacks, next_stacks = np.zeros(beam, np.int64), np.zeros(beam, np.int64)
    before = np.zeros(beam)
    states = 1
    for step in range(n - 1):
        count = 0
        best, best_rows = totals[step], rows[step]
        for state in range(states):
            begin, end, above = cells[stacks[state], 0], cells[stacks[state], 1], cells[stacks[state], 2]
            if offsets[above, begin, end] < 0:
                size = 2 * (end - begin - 1)
                if score_count + size > len(scores):
                    larger = np.empty(2 * (score_count + size))
                    larger[:score_count] = scores[:score_count]
                    scores = larger
                _score_span(hashes, weights, begin, end, above, slots, scores[score_count : score_count + size])
                offsets[above, begin, end] = score_count
                score_count += size
            offset = offsets[above, begin, end]
            for middle in range(begin + 1, end):
                for orientation in range(2):
                    total = before[state] + scores[offset + 2 * (middle - begin - 1) + orientation]
                    if len(sums):
                        loss = split_loss(sums, begin, middle, end, orientation)
                        if len(minima) and loss + minima[begin, middle] + minima[middle, end] > minima[begin, end]:
                            continue
                        total += margin * loss
                    if count == beam and total <= best[count - 1]:
                        continue
                    # Equal totals keep the order in which they arise.
                    count = min(count + 1, beam)
                    place = count - 1
                    while place > 0 and best[place - 1] < total:
                        best[place] = best[place - 1]
                        best_rows[place] = best_rows[place - 1]
                        place -= 1
                    best[place] = total
                    best_rows[place] = state, begin, middle, end, orientation
        for place in range(count):
            state, begin, middle, end, orientation = best_rows[place]
            cell = cells[stacks[state], 3]
            # The left part is on top.
            for part in (1, 0):
                first, stop = (begin, middle) if part == 0 else (middle, end)
                if stop - first > 1:
                    cells[cell_count] = first, stop, 1 + 2 * orientation + part, cell
                    cell = cell_count
                    cell_count += 1
            next_stacks[place] = cell
        counts[step] = states = count
        before[:count] = best[:count]
        stacks, next_stacks = next_stacks, stacks
    return totals, rows, counts, scores


@njit(cache=True, nogil=True)
def splits_of(rows: Int64s, steps: int, place: int) -> Int64s:
    """Splits (begin, middle, end, orientation) of the state at a place after some steps; shape (steps, 4)."""
    splits = np.empty((steps, 4), np.int64)
    for step in range(steps - 1, -1, -1):
        splits[step] = rows[step, place, 1:]
        place = rows[step, place, 0]
    return splits


@njit(cache=True, nogil=True)
def order_of_splits(n: int, splits: Int64s) -> Int64s:
    """Source positions in output order, of splits in the order of the search."""
    # Output place of the smallest span so far that begins at each word.
    places = np.zeros(n, np.int64)
    for begin, middle, end, orientation in splits:
        if orientation:
            places[middle] = places[begin]
            places[begin] += end - middle
        else:
            places[middle] = places[begin] + middle - begin
    order = np.empty(n, np.int64)
    for word in range(n):
        order[places[word]] = word
    return order
