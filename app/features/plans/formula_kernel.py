"""Compiled evaluation of formulas over the numbers of segments."""

import numpy as np
from numba import njit

from app.arrays import Float64s, Int64s

__all__ = ["NO_OPERAND", "evaluate_formulas"]

NO_OPERAND = -1


@njit(cache=True, nogil=True, error_model="numpy")
def evaluate_formulas(numbers: Float64s, steps: Int64s, out: Float64s) -> None:
    """Write the values of formulas into `out` (n, k).

    Row t of `steps` (steps, 4) has the operands ``first``, ``second`` and ``divisor``, and the column of `out`; `NO_OPERAND` stands
    for none. Operand m is column m of `numbers` (n, m), or a former step, counted behind these columns.
    """
    width = numbers.shape[1]
    operands = np.empty(width + len(steps))
    for i in range(len(numbers)):
        operands[:width] = numbers[i]
        for t in range(len(steps)):
            value = operands[steps[t, 0]]
            if steps[t, 1] != NO_OPERAND:
                value = abs(value - operands[steps[t, 1]])
            if steps[t, 2] != NO_OPERAND:
                divisor = operands[steps[t, 2]]
                value = value / divisor if divisor != 0.0 else 0.0
            operands[width + t] = value
            if steps[t, 3] != NO_OPERAND:
                out[i, steps[t, 3]] = value
