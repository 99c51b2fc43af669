"""Compiled chains of SampleRank over n-best lists: `chain.walk` with lists as neighbourhoods."""

import numpy as np
from numba import njit

from app.arrays import Bools, Float64s, Int32s, Int64s
from app.smt.tuning.online.feature_kernels import add_difference, row_score, squared_distance
from app.smt.tuning.online.gain_kernels import added_bleu

__all__ = ["walk_lists"]


@njit(cache=True, nogil=True)
def walk_lists(
    segments: Int64s,
    uniforms: Float64s,
    subsets: Float64s,
    offsets: Int64s,
    dense: Float64s,
    begins: Int32s,
    columns: Int32s,
    values: Float64s,
    statistics: Float64s,
    gains: Float64s,
    weights: Float64s,
    lag: Float64s,
    current: Int64s,
    sums: Float64s,
    counts: Int64s,
    scratch: Float64s,
    chooser: int,
    update: int,
    margin: int,
    step: float,
    temperature: float,
    scale: float,
    learns: bool,
    bleu: bool,
) -> None:
    """Take one step for each of `segments`, in place.

    `current` (n,) are the chain's hypotheses, `sums` the summed statistics of the batch. Random numbers `subsets` (steps, m) select
    m other hypotheses of a list; m = 0 selects all. With `bleu`, gains are BLEU times `scale`; otherwise `gains` (h,), valid for a
    single segment. ``weights - lag / counts[0]`` is the mean of the weights over learning steps. `counts` are those of `Chain`;
    chooser, update and margin are constants of `rules`.
    """
    longest = 0
    for i in segments:
        longest = max(longest, offsets[i + 1] - offsets[i])
    places = np.empty(longest, np.int64)
    marks = np.zeros(longest, np.bool_)
    scores = np.empty(longest)
    list_scores = np.empty(longest)
    for number in range(len(segments)):
        i = segments[number]
        first = offsets[i]
        size = _look_around(places, marks, offsets[i + 1] - first, current[i] - first, subsets[number])
        highest = -np.inf
        for k in range(size):
            places[k] += first
            scores[k] = row_score(dense, begins, columns, values, weights, places[k])
            highest = max(highest, scores[k])
        sample = _draw(scores, size, highest, uniforms[number], temperature)
        if learns:
            base = sums - statistics[current[i]]
            for k in range(size):
                list_scores[k] = scale * added_bleu(base, statistics, places[k]) if bleu else gains[places[k]]
            target = _oracle(chooser, scores, list_scores, size, sample)
            if (list_scores[sample] - list_scores[target]) * (scores[sample] - scores[target]) < 0.0:
                counts[1] += 1
                plus, minus = places[target], places[sample]
                length = _step_length(
                    squared_distance(dense, begins, columns, values, scratch, plus, minus),
                    list_scores[target],
                    list_scores[sample],
                    scores[target] - scores[sample],
                    update,
                    margin,
                    step,
                )
                if length > 0.0:
                    add_difference(dense, begins, columns, values, weights, plus, minus, length)
                    add_difference(dense, begins, columns, values, lag, plus, minus, length * counts[0])
                    counts[2] += 1
                    if update == 0 and length >= step:
                        counts[3] += 1
            counts[0] += 1
        next_place = places[sample]
        for k in range(len(sums)):
            sums[k] += statistics[next_place, k] - statistics[current[i], k]
        current[i] = next_place


@njit(cache=True, nogil=True)
def _look_around(places: Int64s, marks: Bools, length: int, current_place: int, uniforms: Float64s) -> int:
    """Write the selected indices below `length` into `places`, ascending; return their number."""
    count = len(uniforms)
    if count == 0 or count >= length - 1:
        for k in range(length):
            places[k] = k
        return length
    rest = length - 1
    for k in range(length):
        marks[k] = False
    for k in range(count):
        top = rest - count + k
        place = min(int(uniforms[k] * (top + 1)), top)
        if marks[place + (1 if place >= current_place else 0)]:
            place = top
        marks[place + (1 if place >= current_place else 0)] = True
    marks[current_place] = True
    size = 0
    for k in range(length):
        if marks[k]:
            places[size] = k
            size += 1
    return size


@njit(cache=True, nogil=True)
def _draw(scores: Float64s, size: int, highest: float, uniform: float, temperature: float) -> int:
    total = 0.0
    for k in range(size):
        total += np.exp((scores[k] - highest) / temperature)
    limit = uniform * total
    total = 0.0
    for k in range(size):
        total += np.exp((scores[k] - highest) / temperature)
        if total > limit:
            return k
    return size - 1


@njit(cache=True, nogil=True)
def _oracle(chooser: int, scores: Float64s, gains: Float64s, size: int, sample: int) -> int:
    target = 0
    if chooser == 2:
        target = sample
        for k in range(size):
            if gains[k] > gains[sample] and (
                target == sample or abs(scores[k] - scores[sample]) < abs(scores[target] - scores[sample])
            ):
                target = k
        return target
    for k in range(1, size):
        if chooser == 0:
            if gains[k] + scores[k] > gains[target] + scores[target]:
                target = k
        elif gains[k] > gains[target]:
            target = k
    return target


@njit(cache=True, nogil=True)
def _step_length(square: float, target: float, sample: float, lead: float, update: int, margin: int, step: float) -> float:
    if square <= 0.0:
        return 0.0
    if update == 1:
        return step if target > sample else 0.0
    behind = (max(target, 0.0) if margin == 0 else 1.0) * (target - sample) - lead
    return max(0.0, min(behind / square, step))
