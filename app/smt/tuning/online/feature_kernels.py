"""Compiled operations on feature rows for online learners: dense columns, then CSR columns."""

from numba import njit

from app.arrays import Float64s, Int32s

__all__ = ["add_difference", "row_score", "squared_distance"]


@njit(cache=True, nogil=True)
def row_score(dense: Float64s, begins: Int32s, columns: Int32s, values: Float64s, weights: Float64s, h: int) -> float:
    """Return the weighted sum of row `h`."""
    width = dense.shape[1]
    total = 0.0
    for k in range(width):
        total += dense[h, k] * weights[k]
    for e in range(begins[h], begins[h + 1]):
        total += values[e] * weights[width + columns[e]]
    return total


@njit(cache=True, nogil=True)
def squared_distance(
    dense: Float64s, begins: Int32s, columns: Int32s, values: Float64s, scratch: Float64s, plus: int, minus: int
) -> float:
    """Return the squared length of row `plus` minus row `minus`; `scratch` is 0 for each sparse column, before and after."""
    total = 0.0
    for k in range(dense.shape[1]):
        difference = dense[plus, k] - dense[minus, k]
        total += difference * difference
    for e in range(begins[plus], begins[plus + 1]):
        scratch[columns[e]] += values[e]
    for e in range(begins[minus], begins[minus + 1]):
        scratch[columns[e]] -= values[e]
    for h in (plus, minus):
        for e in range(begins[h], begins[h + 1]):
            total += scratch[columns[e]] * scratch[columns[e]]
            scratch[columns[e]] = 0.0
    return total


@njit(cache=True, nogil=True)
def add_difference(
    dense: Float64s, begins: Int32s, columns: Int32s, values: Float64s, weights: Float64s, plus: int, minus: int, step: float
) -> None:
    """``weights += step * (row plus - row minus)``, in place."""
    width = dense.shape[1]
    for k in range(width):
        weights[k] += step * (dense[plus, k] - dense[minus, k])
    for e in range(begins[plus], begins[plus + 1]):
        weights[width + columns[e]] += step * values[e]
    for e in range(begins[minus], begins[minus + 1]):
        weights[width + columns[e]] -= step * values[e]
