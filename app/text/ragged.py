"""Rows of ragged arrays in CSR form: row i is ``values[offsets[i]:offsets[i + 1]]``."""

from collections.abc import Sequence

import numpy as np

from app.arrays import Int64s

__all__ = ["offsets_of", "ragged_rows"]


def offsets_of(lengths: Sequence[int] | Int64s) -> Int64s:
    """Where rows of these lengths begin, and the last one's end; shape (n + 1,)."""
    offsets = np.zeros(len(lengths) + 1, np.int64)
    # Added up in place: lengths of another type would be copied first.
    offsets[1:] = lengths
    np.cumsum(offsets[1:], out=offsets[1:])
    return offsets


def ragged_rows(offsets: Int64s, rows: Int64s) -> tuple[Int64s, Int64s]:
    """Places of the values of some rows, one row after the other, and the offsets of the rows among them."""
    lengths = np.diff(offsets)[rows]
    begins = offsets_of(lengths)
    return np.arange(begins[-1]) + np.repeat(offsets[:-1][rows] - begins[:-1], lengths), begins
