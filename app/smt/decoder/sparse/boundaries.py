"""Boundary scores for the search of one sentence: numbered contexts of options, and tables of scores."""

from collections.abc import Hashable, Mapping, Sequence
from typing import Final, NamedTuple

import numpy as np

from app.arrays import Float64s, Int64s
from app.smt.decoder.sparse.boundary_features import BEGIN, END, BoundaryFeature
from app.smt.decoder.sparse.features import SparseFeatures, SparseWeights

__all__ = ["NO_BOUNDARIES", "Boundaries", "boundaries_of"]


class Boundaries(NamedTuple):
    """Contexts to the left of boundaries, and their scores; context 0 is the begin of a sentence.

    Other contexts are classes of options' last words that have weights. Option o has the arrival ``arrives[o]``, and leaves the
    context ``leaves[o]``, or -1 (an unchanged context) if it has no words. ``scores[context, arrival]`` are weighted;
    ``ends[context]`` are scores of the sentence's end behind it.
    """

    arrives: Int64s
    leaves: Int64s
    scores: Float64s
    ends: Float64s


NO_BOUNDARIES: Final = Boundaries(np.zeros(0, np.int64), np.zeros(0, np.int64), np.zeros((1, 1)), np.zeros(1))


def boundaries_of(
    features: SparseFeatures, weights: SparseWeights, phrases: Sequence[tuple[Sequence[str], Sequence[str]]]
) -> Boundaries:
    """Boundaries of options, from their source and target words; `NO_BOUNDARIES` if no boundary has a weight."""
    if not any(weights.by_classes):
        return NO_BOUNDARIES
    indices = [k for k, (_, target) in enumerate(phrases) if target]
    arrives, leaves = np.zeros(len(phrases), np.int64), np.full(len(phrases), -1)
    firsts: list[list[Hashable]] = [[] for _ in indices]
    lasts: list[list[Hashable]] = [[] for _ in indices]
    sides = []
    for feature, feature_weights in zip(features.boundaries, weights.by_classes, strict=True):
        if not feature_weights:
            continue
        side = _BoundarySide(feature, feature_weights, [phrases[k] for k in indices])
        for row, first in zip(firsts, side.arrives.tolist(), strict=True):
            row.append(first)
        for row, last in zip(lasts, side.leaves.tolist(), strict=True):
            row.append(last)
        sides.append(side)
    # No option leaves the context of the begin.
    contexts: dict[tuple[Hashable, ...], int] = {(0,) * len(sides): 0}
    arrivals: dict[tuple[Hashable, ...], int] = {}
    for k, first_row, last_row in zip(indices, firsts, lasts, strict=True):
        arrives[k] = arrivals.setdefault(tuple(first_row), len(arrivals))
        leaves[k] = contexts.setdefault(tuple(last_row), len(contexts))
    left, right = np.array(list(contexts), np.int64), np.array(list(arrivals), np.int64).reshape(len(arrivals), len(sides))
    scores, ends = np.zeros((len(contexts), max(1, len(arrivals)))), np.zeros(len(contexts))
    for number, side in enumerate(sides):
        ends += side.ends[left[:, number]]
        if len(arrivals):
            scores += side.scores[left[:, number]][:, right[:, number]]
    if len(contexts) == 1:
        # The kernel takes a single context as no boundaries, so the rows are doubled.
        scores, ends = np.repeat(scores, 2, axis=0), np.repeat(ends, 2)
    return Boundaries(arrives, leaves, scores, ends)


class _BoundarySide:
    """Scores of one feature by numbered classes.

    Classes of last words: 0 the begin, 1 without weights. Classes of first words: 0 without weights.
    """

    def __init__(
        self,
        feature: BoundaryFeature,
        weights: Mapping[str, Mapping[str, float]],
        phrases: Sequence[tuple[Sequence[str], Sequence[str]]],
    ) -> None:
        classes = [feature.sides(source, target) for source, target in phrases]
        rights = {first for first, _ in classes if first is not None}
        columns: dict[str, int] = {}
        rows: dict[str, dict[str, float]] = {}
        for left in {BEGIN, *(last for _, last in classes if last is not None)}:
            left_weights = weights.get(left, {})
            relevant_weights = {right: left_weights[right] for right in left_weights.keys() & (rights | {END})}
            if relevant_weights or left == BEGIN:
                rows[left] = relevant_weights
            for right in relevant_weights.keys() - {END}:
                columns.setdefault(right, len(columns) + 1)
        begin = rows.pop(BEGIN)
        numbers = {left: number for number, left in enumerate(sorted(rows), 2)}
        self.scores, self.ends = np.zeros((len(rows) + 2, len(columns) + 1)), np.zeros(len(rows) + 2)
        for number, row in [(0, begin), *((numbers[left], row) for left, row in rows.items())]:
            for right, weight in row.items():
                if right in columns:
                    self.scores[number, columns[right]] = weight
            self.ends[number] = row.get(END, 0.0)
        self.arrives = np.array([columns.get(first, 0) if first is not None else 0 for first, _ in classes], np.int64)
        self.leaves = np.array([numbers.get(last, 1) if last is not None else 1 for _, last in classes], np.int64)
