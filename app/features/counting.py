"""Sums over the tokens of each segment."""

import numpy as np

from app.text.arrays import Float64s, Int64s
from app.text.batch import TokenColumn

__all__ = ["per_segment_share", "per_segment_sum", "ratio"]


def ratio(numerator: Float64s | Int64s, denominator: Float64s | Int64s) -> Float64s:
    """Element-wise quotient, 0 where the denominator is 0."""
    out = np.zeros(len(numerator))
    np.divide(numerator, denominator, out=out, where=denominator != 0)
    return out


def per_segment_sum(column: TokenColumn, per_word: Float64s | Int64s) -> Float64s:
    """Σ of a value of each vocabulary entry over the tokens of each segment; shape (n,)."""
    rows = np.repeat(np.arange(len(column)), column.lengths)
    return np.bincount(rows, weights=per_word[column.ids], minlength=len(column)).astype(np.float64)


def per_segment_share(rows: Int64s, hit: np.ndarray, n: int) -> Float64s:
    """Share of items of each segment for which `hit` holds, 0 for a segment without items."""
    return ratio(np.bincount(rows[hit], minlength=n), np.bincount(rows, minlength=n))
