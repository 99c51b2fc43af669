"""What boundaries cost in the search of one sentence: numbers of what options leave to what follows, and tables of scores."""

from collections.abc import Hashable, Mapping, Sequence
from typing import Final, NamedTuple

import numpy as np

from app.arrays import Float64s, Int64s
from app.smt.decoder.sparse.boundary_features import BEGIN, END, BoundaryFeature
from app.smt.decoder.sparse.features import SparseFeatures, SparseWeights

__all__ = ["NO_BOUNDARIES", "Boundaries", "boundaries_of"]


class Boundaries(NamedTuple):
    """What stands to the left of a boundary is a context: 0 the begin of the sentence, others by what of options' ends has weights.

    Option o arrives as ``arrives[o]`` and leaves context ``leaves[o]``, or where it has no words (-1) the one that was there.
    ``scores[context, arrival]`` is weighted, ``ends[context]`` that of the end of the sentence behind it.
    """

    arrives: Int64s
    leaves: Int64s
    scores: Float64s
    ends: Float64s


NO_BOUNDARIES: Final = Boundaries(np.zeros(0, np.int64), np.zeros(0, np.int64), np.zeros((1, 1)), np.zeros(1))


def boundaries_of(
    features: SparseFeatures, weights: SparseWeights, phrases: Sequence[tuple[Sequence[str], Sequence[str]]]
) -> Boundaries:
    """Of the source and target words of options; `NO_BOUNDARIES` where no boundary has a weight."""
    if not any(weights.by_classes):
        return NO_BOUNDARIES
    told = [k for k, (_, target) in enumerate(phrases) if target]
    arrives, leaves = np.zeros(len(phrases), np.int64), np.full(len(phrases), -1)
    firsts: list[list[Hashable]] = [[] for _ in told]
    lasts: list[list[Hashable]] = [[] for _ in told]
    sides = []
    for feature, own in zip(features.boundaries, weights.by_classes, strict=True):
        if not own:
            continue
        side = _Side(feature, own, [phrases[k] for k in told])
        for row, first in zip(firsts, side.arrives.tolist(), strict=True):
            row.append(first)
        for row, last in zip(lasts, side.leaves.tolist(), strict=True):
            row.append(last)
        sides.append(side)
    # The begin is a context that no option leaves.
    contexts: dict[tuple[Hashable, ...], int] = {(0,) * len(sides): 0}
    arrivals: dict[tuple[Hashable, ...], int] = {}
    for k, first_row, last_row in zip(told, firsts, lasts, strict=True):
        arrives[k] = arrivals.setdefault(tuple(first_row), len(arrivals))
        leaves[k] = contexts.setdefault(tuple(last_row), len(contexts))
    left, right = np.array(list(contexts), np.int64), np.array(list(arrivals), np.int64).reshape(len(arrivals), len(sides))
    scores, ends = np.zeros((len(contexts), max(1, len(arrivals)))), np.zeros(len(contexts))
    for number, side in enumerate(sides):
        ends += side.ends[left[:, number]]
        if len(arrivals):
            scores += side.scores[left[:, number]][:, right[:, number]]
    if len(contexts) == 1:
        # What there is depends on no context; the kernel takes one alone for no boundaries.
        scores, ends = np.repeat(scores, 2, axis=0), np.repeat(ends, 2)
    return Boundaries(arrives, leaves, scores, ends)


class _Side:
    """One feature: classes of ends that have weights here by number (0 the begin, 1 those without), of first words too (0)."""

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
            own = weights.get(left, {})
            kept = {right: own[right] for right in own.keys() & (rights | {END})}
            if kept or left == BEGIN:
                rows[left] = kept
            for right in kept.keys() - {END}:
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
