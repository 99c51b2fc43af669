"""Sparse features of all derivations of a shape at once: features of phrases, and of boundaries between phrases."""

from collections.abc import Iterator, Sequence
from itertools import product

import numpy as np
from scipy.sparse import csr_matrix

from app.arrays import Float64s, Int64s
from app.smt.decoder.derivation import Phrase
from app.smt.decoder.sampling.operators import DerivationShape
from app.smt.decoder.sparse.boundary_features import BEGIN, END, BoundaryFeature
from app.smt.decoder.sparse.derivations import features_of_phrase
from app.smt.decoder.system import System

__all__ = ["SparseRows", "joined_rows", "sparse_of_shape"]

# Number of derivations, then row, number and value of each feature.
SparseRows = tuple[int, Int64s, Int64s, Float64s]


def sparse_of_shape(system: System, shape: DerivationShape) -> SparseRows:
    """Sparse features of each derivation, in the order of the product of choices; new names get numbers."""
    sides = [shape.choices.get(k, (phrase,)) for k, phrase in enumerate(shape.phrases)]
    count = len(shape)
    names = system.sparse.names
    indices = np.arange(count)
    rows, numbers, values = [np.zeros(0, np.int64)], [np.zeros(0, np.int64)], [np.zeros(0)]
    option_indices, stride = [], count
    for options in sides:
        stride //= len(options)
        option_indices.append(indices // stride % len(options))
        for option_index, option in enumerate(options):
            features = features_of_phrase(system, option)
            matches = np.flatnonzero(option_indices[-1] == option_index)
            rows.append(np.tile(matches, len(features)))
            numbers.append(np.repeat(np.array([names.number(name) for name, _ in features], np.int64), len(matches)))
            values.append(np.repeat(np.array([value for _, value in features]), len(matches)))
    for feature in system.sparse.boundaries if sides else ():
        for matches, boundary_numbers in _boundaries(system, feature, sides, option_indices, indices):
            rows.append(matches)
            numbers.append(boundary_numbers)
            values.append(np.ones(len(matches)))
    return count, np.concatenate(rows), np.concatenate(numbers), np.concatenate(values)


def _boundaries(
    system: System, feature: BoundaryFeature, sides: Sequence[Sequence[Phrase]], option_indices: Sequence[Int64s], indices: Int64s
) -> Iterator[tuple[Int64s, Int64s]]:
    """Yield rows with a boundary and its number in each; `option_indices` has each row's option of each side."""
    names = system.sparse.names
    if not all(option.words for options in sides for option in options):
        # Phrases without words join boundaries of their neighbours, so each derivation is computed by itself.
        for row, phrases in enumerate(product(*sides)):
            numbers_of_row = [names.number(name) for name in feature.names([(phrase.source, phrase.words) for phrase in phrases])]
            yield np.full(len(numbers_of_row), row), np.array(numbers_of_row, np.int64)
        return
    ends = [[feature.sides(option.source, option.words) for option in options] for options in sides]
    begin = np.zeros(len(indices), np.int64)
    for k in range(len(ends) + 1):
        lefts = [last for _, last in ends[k - 1]] if k else [BEGIN]
        rights = [first for first, _ in ends[k]] if k < len(ends) else [END]
        table = [[next(map(names.number, feature.name_of(left, right)), -1) for right in rights] for left in lefts]
        numbers = np.array(table, np.int64)[option_indices[k - 1] if k else begin, option_indices[k] if k < len(ends) else begin]
        matches = np.flatnonzero(numbers >= 0)
        yield matches, numbers[matches]


def joined_rows(system: System, parts: Sequence[SparseRows]) -> csr_matrix:
    """Matrix of the rows of all shapes in sequence; shape (rows, names)."""
    firsts = np.cumsum([0, *(count for count, *_ in parts)])
    row_numbers = np.concatenate([first + rows for first, (_, rows, _, _) in zip(firsts.tolist(), parts, strict=False)])
    numbers, values = (np.concatenate([part[column] for part in parts]) for column in (2, 3))
    return csr_matrix((values, (row_numbers, numbers)), shape=(int(firsts[-1]), len(system.sparse.names)))
