"""Stored symmetric matrices: the upper triangle, row after row."""

import numpy as np

from app.arrays import Float64s

__all__ = ["symmetric", "upper_triangle"]


def upper_triangle(matrix: Float64s) -> Float64s:
    """The upper triangle of a matrix (n, n) with its diagonal; shape (n (n + 1) / 2,)."""
    return np.asarray(matrix[np.triu_indices(len(matrix))])


def symmetric(upper: Float64s, size: int) -> Float64s:
    """The symmetric matrix with this upper triangle."""
    out = np.zeros((size, size))
    out[np.triu_indices(size)] = upper
    return np.asarray(out + np.triu(out, 1).T)
