"""Rare features: named columns in compressed sparse rows."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from app.arrays import Float64s, Int32s, Int64s
from app.text.ragged import offsets_of, ragged_rows

__all__ = ["SparseColumns"]


@dataclass(frozen=True, eq=False)
class SparseColumns:
    """Values of h rows in CSR form: row i has ``values[offsets[i]:offsets[i + 1]]`` in those `columns`, which ascend.

    `names` are the columns' names, one per component. A value that a row does not hold is missing, not 0.
    """

    names: tuple[str, ...]
    offsets: Int64s
    columns: Int32s
    values: Float64s

    @classmethod
    def of_entries(cls, names: Sequence[str], rows: int, row_of: Int64s, columns: Int64s, values: Float64s) -> "SparseColumns":
        """Build from values in any order, each with its row and column."""
        order = np.lexsort((columns, row_of))
        offsets = offsets_of(np.bincount(row_of, minlength=rows))
        return cls(tuple(names), offsets, columns[order].astype(np.int32), values[order])

    def __len__(self) -> int:
        return len(self.offsets) - 1

    def rows(self, rows: Int64s) -> "SparseColumns":
        """Return the given rows, in their order."""
        places, offsets = ragged_rows(self.offsets, rows)
        return SparseColumns(self.names, offsets, self.columns[places], self.values[places])

    def of_row(self, row: int) -> Iterator[tuple[str, float]]:
        """Return the names and values of a row."""
        begin, end = self.offsets[row], self.offsets[row + 1]
        columns, values = self.columns[begin:end].tolist(), self.values[begin:end].tolist()
        return ((self.names[k], value) for k, value in zip(columns, values, strict=True))

    def of_name(self, name: str, rows: Int64s) -> Float64s:
        """Return a feature's components in m rows; (m, components), NaN for missing ones."""
        places = [k for k, column_name in enumerate(self.names) if column_name == name]
        block = self.rows(rows)
        out = np.full((len(rows), len(places)), np.nan)
        for component, k in enumerate(places):
            mask = block.columns == k
            out[block.row_of_entries()[mask], component] = block.values[mask]
        return out

    def row_of_entries(self) -> Int64s:
        """The row of each value."""
        return np.repeat(np.arange(len(self)), np.diff(self.offsets))
