"""Sparse features of all derivations of a shape at once: those of each phrase, and of each place where two phrases meet."""

from collections.abc import Iterator, Sequence
from itertools import product

import numpy as np
from scipy.sparse import csr_matrix

from app.arrays import Float64s, Int64s
from app.smt.decoder.derivation import Phrase
from app.smt.decoder.sampling.operators import Shape
from app.smt.decoder.sparse.boundary_features import BEGIN, END, BoundaryFeature
from app.smt.decoder.sparse.derivations import features_of_phrase
from app.smt.decoder.system import System

__all__ = ["SparseRows", "joined", "sparse_of_shape"]

# Of so many derivations: row, number and value of each feature.
SparseRows = tuple[int, Int64s, Int64s, Float64s]


def sparse_of_shape(system: System, shape: Shape) -> SparseRows:
    """Of each derivation, in the order of the product of its choices; new names are numbered."""
    sides = [shape.choices.get(k, (phrase,)) for k, phrase in enumerate(shape.phrases)]
    count = len(shape)
    names = system.sparse.names
    every = np.arange(count)
    rows, numbers, values = [np.zeros(0, np.int64)], [np.zeros(0, np.int64)], [np.zeros(0)]
    chosen, stride = [], count
    for options in sides:
        stride //= len(options)
        chosen.append(every // stride % len(options))
        for place, option in enumerate(options):
            own = features_of_phrase(system, option)
            those = np.flatnonzero(chosen[-1] == place)
            rows.append(np.tile(those, len(own)))
            numbers.append(np.repeat(np.array([names.number(name) for name, _ in own], np.int64), len(those)))
            values.append(np.repeat(np.array([value for _, value in own]), len(those)))
    for feature in system.sparse.boundaries if sides else ():
        for those, own_numbers in _boundaries(system, feature, sides, chosen, every):
            rows.append(those)
            numbers.append(own_numbers)
            values.append(np.ones(len(those)))
    return count, np.concatenate(rows), np.concatenate(numbers), np.concatenate(values)


def _boundaries(
    system: System, feature: BoundaryFeature, sides: Sequence[Sequence[Phrase]], chosen: Sequence[Int64s], every: Int64s
) -> Iterator[tuple[Int64s, Int64s]]:
    """Rows that have a boundary, and its number in each; `chosen` is the place of each row's option of each side."""
    names = system.sparse.names
    if not all(option.words for options in sides for option in options):
        # A phrase without words lets those beside it meet: each derivation is looked at by itself.
        for row, phrases in enumerate(product(*sides)):
            own = [names.number(name) for name in feature.names([(phrase.source, phrase.words) for phrase in phrases])]
            yield np.full(len(own), row), np.array(own, np.int64)
        return
    ends = [[feature.sides(option.source, option.words) for option in options] for options in sides]
    begin = np.zeros(len(every), np.int64)
    for k in range(len(ends) + 1):
        lefts = [last for _, last in ends[k - 1]] if k else [BEGIN]
        rights = [first for first, _ in ends[k]] if k < len(ends) else [END]
        table = [[next(map(names.number, feature.name_of(left, right)), -1) for right in rights] for left in lefts]
        numbers = np.array(table, np.int64)[chosen[k - 1] if k else begin, chosen[k] if k < len(ends) else begin]
        there = np.flatnonzero(numbers >= 0)
        yield there, numbers[there]


def joined(system: System, parts: Sequence[SparseRows]) -> csr_matrix:
    """The rows of shapes one after the other, as wide as there are names."""
    firsts = np.cumsum([0, *(count for count, *_ in parts)])
    rows = np.concatenate([first + rows for first, (_, rows, _, _) in zip(firsts.tolist(), parts, strict=False)])
    numbers, values = (np.concatenate([part[column] for part in parts]) for column in (2, 3))
    return csr_matrix((values, (rows, numbers)), shape=(int(firsts[-1]), len(system.sparse.names)))
