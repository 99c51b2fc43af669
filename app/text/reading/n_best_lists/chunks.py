"""Feature values in order of arrival: frequent columns dense, the rest as sparse rows, in memory linear in the values."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Final

import numpy as np

from app.arrays import Float64s, Int32s, Int64s
from app.text.feature_columns.columns import MOST_CELLS, MOST_CELLS_PER_NUMBER, FeatureColumns, are_dense, columns_of_entries
from app.text.feature_columns.sparse import SparseColumns
from app.text.ragged import offsets_of
from app.text.reading.n_best_lists.piles import Pile
from app.text.reading.n_best_lists.row_kernels import scatter, sort_rows

__all__ = ["Chunks", "RowEntries"]

# Rows that are read before a chunk fixes its dense columns.
FIRST_ROWS: Final = 4096


@dataclass(frozen=True, eq=False)
class RowEntries:
    """Values of consecutive rows: row i ends at ``ends[i]`` of `columns` and `values`."""

    ends: Int64s
    columns: Int32s
    values: Float64s

    @classmethod
    def joined(cls, parts: Sequence["RowEntries"]) -> "RowEntries":
        """Concatenate entries."""
        begins = offsets_of([len(part.values) for part in parts])
        ends = [part.ends + begin for part, begin in zip(parts, begins[:-1].tolist(), strict=True)]
        return cls(
            np.concatenate(ends), np.concatenate([part.columns for part in parts]), np.concatenate([part.values for part in parts])
        )


@dataclass(eq=False)
class Chunk:
    """Rows with one set of dense columns; their other values are kept in order of arrival."""

    dense_columns: Int64s
    dense: Pile = field(default_factory=lambda: Pile(np.float64))
    columns: Pile = field(default_factory=lambda: Pile(np.int32))
    values: Pile = field(default_factory=lambda: Pile(np.float64))
    counts: Pile = field(default_factory=lambda: Pile(np.int32))
    rows: int = 0
    numbers: int = 0

    def take(self, entries: RowEntries, columns: int) -> None:
        """Append rows of a file that has `columns` columns so far."""
        places = np.full(columns, -1, np.int32)
        places[self.dense_columns] = np.arange(len(self.dense_columns))
        dense = np.empty((len(entries.ends), len(self.dense_columns)))
        ends, sparse_columns, values = np.empty_like(entries.ends), np.empty_like(entries.columns), np.empty_like(entries.values)
        scatter(entries.ends, entries.columns, entries.values, places, dense, ends, sparse_columns, values)
        count = int(ends[-1]) if len(ends) else 0
        self.dense.extend(dense.ravel())
        self.columns.extend(sparse_columns[:count])
        self.values.extend(values[:count])
        if count and not len(self.counts):
            self.counts.extend(np.zeros(self.rows, np.int32))
        if len(self.columns):
            self.counts.extend(np.diff(ends, prepend=0))
        self.rows += len(entries.ends)
        self.numbers += len(entries.values)

    def matrix(self) -> Float64s:
        """Return the dense columns; (rows, d)."""
        return np.asarray(self.dense.to_array().reshape(self.rows, len(self.dense_columns)))

    def sparse(self) -> tuple[Int64s, Int32s, Float64s]:
        """Return the other values as CSR: offsets of rows, ascending columns, values."""
        offsets = offsets_of(self.counts.to_array()) if len(self.counts) else np.zeros(self.rows + 1, np.int64)
        columns, values = self.columns.to_array(), self.values.to_array()
        if len(columns):
            sort_rows(offsets, columns, values)
        return offsets, columns, values


@dataclass(eq=False)
class Chunks:
    """Values of all rows so far."""

    chunks: list[Chunk] = field(default_factory=list)
    waiting: list[RowEntries] = field(default_factory=list)
    waiting_rows: int = 0

    def take(self, entries: RowEntries, names: Sequence[str]) -> None:
        """Append rows; `names` are the names of all columns so far."""
        last = self.chunks[-1] if self.chunks else None
        # A matrix with too many empty cells grows no further.
        if last is not None and len(last.dense) <= MOST_CELLS + MOST_CELLS_PER_NUMBER * last.numbers:
            last.take(entries, len(names))
            return
        self.waiting.append(RowEntries(entries.ends.copy(), entries.columns.copy(), entries.values.copy()))
        self.waiting_rows += len(entries.ends)
        if self.waiting_rows >= FIRST_ROWS:
            self.settle(names)

    def settle(self, names: Sequence[str]) -> None:
        """Begin a chunk with the waiting rows; its dense columns are the frequent ones."""
        if not self.waiting:
            return
        entries = RowEntries.joined(self.waiting)
        self.waiting, self.waiting_rows = [], 0
        counts = np.bincount(entries.columns, minlength=len(names))
        dense = are_dense(names, counts, len(entries.ends), spare=0)
        self.chunks.append(Chunk(np.flatnonzero(dense)))
        self.chunks[-1].take(entries, len(names))

    def as_columns(self, names: Sequence[str]) -> FeatureColumns:
        """Return all rows as dense and sparse columns."""
        self.settle(names)
        rows = sum(chunk.rows for chunk in self.chunks)
        if len(self.chunks) == 1:
            chunk = self.chunks[0]
            matrix, (offsets, columns, values) = chunk.matrix(), chunk.sparse()
            counts = np.bincount(columns, minlength=len(names))
            for place, column in enumerate(chunk.dense_columns.tolist()):
                counts[column] = rows - int(np.isnan(matrix[:, place]).sum())
            dense = np.array(are_dense(names, counts, rows), np.bool_)
            if np.array_equal(np.flatnonzero(dense), chunk.dense_columns):
                places = (np.cumsum(~dense) - 1).astype(np.int32)
                sparse_names = tuple(name for name, is_dense in zip(names, dense.tolist(), strict=True) if not is_dense)
                sparse = SparseColumns(sparse_names, offsets, places[columns], values) if sparse_names else None
                return FeatureColumns(tuple(names[k] for k in chunk.dense_columns.tolist()), matrix, sparse)
        row_of, column_of, all_values = (np.concatenate(parts) for parts in zip(*self._entries(), strict=True))
        return columns_of_entries(names, rows, row_of, column_of, all_values)

    def _entries(self) -> Iterator[tuple[Int64s, Int64s, Float64s]]:
        """Yield rows, columns and values chunk by chunk, after one empty triple."""
        yield np.empty(0, np.int64), np.empty(0, np.int64), np.empty(0)
        first = 0
        for chunk in self.chunks:
            matrix, (offsets, columns, values) = chunk.matrix(), chunk.sparse()
            row, place = np.nonzero(~np.isnan(matrix))
            yield first + row, chunk.dense_columns[place], matrix[row, place]
            yield first + np.repeat(np.arange(chunk.rows), np.diff(offsets)), columns.astype(np.int64), values
            first += chunk.rows
