"""Sparse column of a table: named scores of each pair, as ``dom_news 1 cb_2_3 1``."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from app.arrays import Float64s, Int64s, UInt8s

__all__ = ["SparseScores", "side_by_side"]


@dataclass(frozen=True)
class SparseScores:
    """Named scores of rows: row r has `ids` (indices of `names`) and `values` from ``offsets[r]`` to ``offsets[r + 1]``."""

    names: tuple[bytes, ...]
    offsets: Int64s
    ids: Int64s
    values: Float64s

    @classmethod
    def empty(cls, rows: int) -> "SparseScores":
        """A number of rows without scores."""
        return cls((), np.zeros(rows + 1, np.int64), np.zeros(0, np.int64), np.zeros(0))

    @classmethod
    def single(cls, names: Sequence[bytes], ids: Int64s) -> "SparseScores":
        """One score of 1 for each row, with the name of its id."""
        return cls(tuple(names), np.arange(len(ids) + 1), ids, np.ones(len(ids)))

    def spelling(self) -> tuple[UInt8s, Int64s]:
        """Concatenated names, and their offsets; shape (names + 1,)."""
        return np.frombuffer(bytearray(b"".join(self.names)), np.uint8), np.cumsum([0, *map(len, self.names)])


def side_by_side(columns: Sequence[SparseScores], rows: int) -> SparseScores:
    """Merge columns of one number of rows; scores of a row follow the order of columns."""
    if len(columns) == 1:
        return columns[0]
    row = [np.repeat(np.arange(rows), np.diff(column.offsets)) for column in columns]
    name_offsets = np.cumsum([0, *(len(column.names) for column in columns)]).tolist()
    empty = SparseScores.empty(rows)
    order = np.argsort(np.concatenate([empty.ids, *row]), kind="stable")
    return SparseScores(
        tuple(name for column in columns for name in column.names),
        sum((column.offsets for column in columns), empty.offsets),
        np.concatenate([empty.ids, *(column.ids + first for column, first in zip(columns, name_offsets, strict=False))])[order],
        np.concatenate([empty.values, *(column.values for column in columns)])[order],
    )
