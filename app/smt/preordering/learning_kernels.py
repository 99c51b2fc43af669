"""Learning of split weights: a perceptron with margin and latent trees, updated at the largest violation of the search.

The target is the best tree of the least Kendall loss, its rival the best of all trees. Losses add to their scores, and both grow by
splits in a beam. The update takes the step at which the rival is furthest ahead (Huang et al. 2012; Nakagawa 2015 updates early).
"""

import numpy as np
from numba import njit

from app.arrays import Float64s, Int64s, UInt64s
from app.smt.preordering.feature_kernels import ROOT, feature_count, split_slots
from app.smt.preordering.loss_kernels import least_losses, wrong_pairs
from app.smt.preordering.search_kernels import empty_cache, search, splits_of

__all__ = ["learn_pass"]

NO_TABLE = np.empty((0, 0), np.int64)


@njit(cache=True, nogil=True)
def _add(hashes: UInt64s, splits: Int64s, amount: float, time: float, weights: Float64s, sums: Float64s) -> None:
    """Add an amount to the weights of all features of splits, and the amount times `time` to sums for the average."""
    slots = np.empty(feature_count(hashes.shape[1]), np.int64)
    # Kind of the split above the smallest span so far that begins at each word.
    above = np.full(len(hashes), ROOT)
    for begin, middle, end, orientation in splits:
        split_slots(hashes, begin, middle, end, above[begin], len(weights) - 1, slots)
        for slot in slots:
            weights[slot, orientation] += amount
            sums[slot, orientation] += amount * time
        above[begin], above[middle] = 1 + 2 * orientation, 2 + 2 * orientation


@njit(cache=True, nogil=True)
def learn_pass(
    order: Int64s, offsets: Int64s, hashes: UInt64s, places: Int64s, beam: int, margin: float, time: float,
    weights: Float64s, sums: Float64s,
) -> int:  # fmt: skip
    """Pass over sentences [offsets[i], offsets[i + 1]) in an order; return the number of updates.

    `time` counts the sentences of passes before. The average of weights over time t is `weights - sums / t`.
    """
    updates = 0
    for number in order:
        words = hashes[offsets[number] : offsets[number + 1]]
        time += 1
        if len(words) < 2:
            continue
        pairs = wrong_pairs(places[offsets[number] : offsets[number + 1]])
        cache, scores = empty_cache(len(words)), np.empty(1024)
        targets, target_rows, _, scores = search(words, weights, beam, pairs, least_losses(pairs), margin, cache, scores)
        rivals, rival_rows, _, scores = search(words, weights, beam, pairs, NO_TABLE, margin, cache, scores)
        steps, violation = 0, 0.0
        for step in range(len(words) - 1):
            if rivals[step, 0] - targets[step, 0] > violation:
                steps, violation = step + 1, rivals[step, 0] - targets[step, 0]
        if steps:
            _add(words, splits_of(target_rows, steps, 0), 1.0, time, weights, sums)
            _add(words, splits_of(rival_rows, steps, 0), -1.0, time, weights, sums)
            updates += 1
    return updates
