"""Features of many hypotheses as named columns: frequent features dense, rare ones sparse."""

from collections.abc import Sequence
from typing import Final, NamedTuple

import numpy as np

from app.arrays import Float64s, Int64s
from app.text.feature_columns.sparse import SparseColumns

__all__ = [
    "MOST_CELLS",
    "MOST_CELLS_PER_NUMBER",
    "FeatureColumns",
    "UnequalComponents",
    "are_dense",
    "columns_of_entries",
    "components",
    "unequal_components",
]

# A matrix with more than MOST_CELLS cells, and more than MOST_CELLS_PER_NUMBER cells per value, is split. A column is then sparse
# if fewer than one in MOST_CELLS_PER_NUMBER rows has a value. Memory is thus linear in the number of values.
MOST_CELLS: Final = 4_000_000
MOST_CELLS_PER_NUMBER: Final = 4

Key = tuple[str, int]


class FeatureColumns(NamedTuple):
    """Names of the dense columns (one per component), their matrix (h, names) with NaN for missing values, and sparse columns."""

    names: tuple[str, ...]
    dense: Float64s
    sparse: SparseColumns | None = None


class UnequalComponents(NamedTuple):
    """A row with fewer components of a feature than other rows have."""

    row: int
    name: str
    components: int
    expected: int

    @property
    def detail(self) -> str:
        """The fault in words."""
        return f"{self.name} has {self.components} of {self.expected} components; a feature has equally many wherever it stands"


def unequal_components(columns: FeatureColumns) -> UnequalComponents | None:
    """The first row in which a feature has some of its components but not all; None without such a row."""
    faults = [fault for part in (_of_dense(columns), _of_sparse(columns.sparse)) if (fault := part) is not None]
    return min(faults, default=None)


def _of_dense(columns: FeatureColumns) -> UnequalComponents | None:
    faults = []
    for name, places in _columns_of_components(columns.names).items():
        counts = (~np.isnan(columns.dense[:, places])).sum(1)
        unequal = (counts > 0) & (counts < len(places))
        if unequal.any():
            row = int(np.argmax(unequal))
            faults.append(UnequalComponents(row, name, int(counts[row]), len(places)))
    return min(faults, default=None)


def _of_sparse(sparse: SparseColumns | None) -> UnequalComponents | None:
    groups = {} if sparse is None else _columns_of_components(sparse.names)
    if sparse is None or not groups:
        return None
    names, number_of = list(groups), np.full(len(sparse.names), -1)
    for number, places in enumerate(groups.values()):
        number_of[places] = number
    numbers: Int64s = number_of[sparse.columns]
    entries: Int64s = (sparse.row_of_entries() * len(names) + numbers)[numbers >= 0]
    keys, counts = np.unique(entries, return_counts=True)
    expected = np.array([len(places) for places in groups.values()])[keys % len(names)]
    unequal = np.flatnonzero(counts < expected)
    if not len(unequal):
        return None
    row, name = divmod(int(keys[unequal[0]]), len(names))
    return UnequalComponents(row, names[name], int(counts[unequal[0]]), int(expected[unequal[0]]))


def _columns_of_components(names: Sequence[str]) -> dict[str, list[int]]:
    """Columns of each feature with several components."""
    columns: dict[str, list[int]] = {}
    for k, name in enumerate(names):
        columns.setdefault(name, []).append(k)
    return {name: places for name, places in columns.items() if len(places) > 1}


def components(names: Sequence[str]) -> list[Key]:
    """Return each name with its component number: the count of equal names before it."""
    counts: dict[str, int] = {}
    keys = []
    for name in names:
        keys.append((name, counts.get(name, 0)))
        counts[name] = counts.get(name, 0) + 1
    return keys


def are_dense(names: Sequence[str], counts: Int64s, rows: int, spare: int = MOST_CELLS) -> list[bool]:
    """Return True for each column to keep dense, by its number of values; components of one feature stay together.

    A matrix of up to `spare` cells is always dense.
    """
    numbers = int(counts.sum())
    if rows * len(names) <= max(spare, MOST_CELLS_PER_NUMBER * numbers):
        return [True] * len(names)
    frequent = {name for name, count in zip(names, counts.tolist(), strict=True) if count * MOST_CELLS_PER_NUMBER >= rows}
    return [name in frequent for name in names]


def columns_of_entries(names: Sequence[str], rows: int, row_of: Int64s, columns: Int64s, values: Float64s) -> FeatureColumns:
    """Build columns from values in any order, each with its row and column; no cell has two values."""
    dense = np.array(are_dense(names, np.bincount(columns, minlength=len(names)), rows), np.bool_)
    places = np.where(dense, np.cumsum(dense), np.cumsum(~dense)) - 1
    matrix = np.full((rows, int(dense.sum())), np.nan)
    in_dense = dense[columns]
    matrix[row_of[in_dense], places[columns[in_dense]]] = values[in_dense]
    dense_names = tuple(name for name, is_dense in zip(names, dense.tolist(), strict=True) if is_dense)
    if dense.all():
        return FeatureColumns(dense_names, matrix)
    sparse_names = tuple(name for name, is_dense in zip(names, dense.tolist(), strict=True) if not is_dense)
    sparse = SparseColumns.of_entries(sparse_names, rows, row_of[~in_dense], places[columns[~in_dense]], values[~in_dense])
    return FeatureColumns(dense_names, matrix, sparse)
