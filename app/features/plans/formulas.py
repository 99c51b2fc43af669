"""Formulas of features: quotients and differences of numbers that several features share.

A feature set computes all its formulas in one kernel call (`FeaturePlan`). A formula is also a column by itself, computed by NumPy.
"""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from app.arrays import Float64s, Int64s
from app.features.view import View, ratio

__all__ = ["Block", "Formula", "Operand", "Quantity", "difference_of", "part", "ratio_of"]

Block = Callable[[View], Float64s | Int64s]


@dataclass(frozen=True)
class Quantity:
    """A number of each segment: a block (n,) that is computed once for a view, or column `place` of a block (n, m)."""

    block: Block
    place: int | None = None

    def __call__(self, view: View) -> Float64s | Int64s:
        """Values of all segments; shape (n,)."""
        values = view.cached(self.block)
        return values if self.place is None else values[:, self.place]


@dataclass(frozen=True)
class Formula:
    """``|first - second| / divisor``, and 0 for a divisor of 0.

    Without `second` it is ``first / divisor``, without `divisor` the difference.
    """

    first: "Operand"
    second: "Operand | None" = None
    divisor: "Operand | None" = None

    def __call__(self, view: View) -> Float64s | Int64s:
        """Values by NumPy; shape (n,)."""
        values = self.first(view)
        if self.second is not None:
            values = np.abs(values - self.second(view))
        return values if self.divisor is None else ratio(values, self.divisor(view))


Operand = Quantity | Formula


def part(block: Block, place: int) -> Quantity:
    """Column `place` of a block (n, m) that is computed once."""
    return Quantity(block, place)


def ratio_of(numerator: Operand, denominator: Operand) -> Formula:
    """Quotient of two numbers, 0 where the denominator is 0."""
    return Formula(numerator, None, denominator)


def difference_of(first: Operand, second: Operand, divisor: Operand | None = None) -> Formula:
    """Absolute difference of two numbers, over a `divisor` if there is one."""
    return Formula(first, second, divisor)
