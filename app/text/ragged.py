"""Rows of ragged arrays in CSR form: row i is ``values[offsets[i]:offsets[i + 1]]``."""

from collections.abc import Sequence

import numpy as np

from app.arrays import Int64s

__all__ = ["offsets_of", "ragged_rows"]


def offsets_of(lengths: Sequence[int] | Int64s) -> Int64s:
    """Begins of rows with these lengths, and the end of the last row; shape (n + 1,)."""
    offsets = np.zeros(len(lengths) + 1, np.int64)
    # Summed in place: cumsum would first copy lengths of another type.
    offsets[1:] = lengths
    np.cumsum(offsets[1:], out=offsets[1:])
    return offsets


def ragged_rows(offsets: Int64s, rows: Int64s) -> tuple[Int64s, Int64s]:
    """Positions of the values of these rows, row after row, and offsets of the rows among them; shapes (values,), (m + 1,)."""
    lengths = offsets[1:][rows] - offsets[:-1][rows]
    begins = offsets_of(lengths)
    return np.arange(begins[-1]) + np.repeat(offsets[:-1][rows] - begins[:-1], lengths), begins
