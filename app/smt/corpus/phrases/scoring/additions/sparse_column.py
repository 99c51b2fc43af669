"""The column of a table where only those scores stand that a pair has, each under its name: ``dom_news 1 cb_2_3 1``."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from app.arrays import Float64s, Int64s, UInt8s

__all__ = ["SparseScores", "side_by_side"]


@dataclass(frozen=True)
class SparseScores:
    """Named scores of rows: those of row r are `ids` (of `names`) and `values` from ``offsets[r]`` to ``offsets[r + 1]``."""

    names: tuple[bytes, ...]
    offsets: Int64s
    ids: Int64s
    values: Float64s

    @classmethod
    def none(cls, rows: int) -> "SparseScores":
        """No score for any of so many rows."""
        return cls((), np.zeros(rows + 1, np.int64), np.zeros(0, np.int64), np.zeros(0))

    @classmethod
    def one_each(cls, names: Sequence[bytes], ids: Int64s) -> "SparseScores":
        """A score of 1 for each row, of the name that `ids` says."""
        return cls(tuple(names), np.arange(len(ids) + 1), ids, np.ones(len(ids)))

    def spelling(self) -> tuple[UInt8s, Int64s]:
        """The names one after the other, and where each begins and ends."""
        return np.frombuffer(bytearray(b"".join(self.names)), np.uint8), np.cumsum([0, *map(len, self.names)])


def side_by_side(columns: Sequence[SparseScores], rows: int) -> SparseScores:
    """The scores of several columns of so many rows, in this order on each row."""
    if len(columns) == 1:
        return columns[0]
    row = [np.repeat(np.arange(rows), np.diff(column.offsets)) for column in columns]
    before = np.cumsum([0, *(len(column.names) for column in columns)]).tolist()
    made = SparseScores.none(rows)
    order = np.argsort(np.concatenate([made.ids, *row]), kind="stable")
    return SparseScores(
        tuple(name for column in columns for name in column.names),
        sum((column.offsets for column in columns), made.offsets),
        np.concatenate([made.ids, *(column.ids + first for column, first in zip(columns, before, strict=False))])[order],
        np.concatenate([made.values, *(column.values for column in columns)])[order],
    )
