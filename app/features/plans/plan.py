"""A plan of a feature set: which features can be computed, and which of them are formulas, found once and used for every batch."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Final

import numpy as np

from app.arrays import Float64s, Int64s
from app.features.declaration import Feature, Level
from app.features.plans.formula_kernel import NO_OPERAND, evaluate_formulas
from app.features.plans.formulas import Block, Formula, Operand, Quantity
from app.features.view import View
from app.running.deadline import check_deadline

__all__ = ["FeaturePlan"]


@dataclass(frozen=True)
class FeaturePlan:
    """Features in column order, compiled: formulas over `blocks`, which one kernel call evaluates, and other columns one by one."""

    features: tuple[Feature, ...]
    blocks: tuple[Block, ...]
    formulas: tuple[tuple[int, Operand], ...]
    columns: tuple[tuple[int, Feature], ...]
    # Steps of the kernel by the widths of all blocks, which a block of features never changes.
    _steps: dict[tuple[int, ...], Int64s] = field(default_factory=dict, repr=False, compare=False)

    @cached_property
    def levels(self) -> frozenset[Level]:
        """Levels of its features."""
        return frozenset(feature.level for feature in self.features)

    @classmethod
    def of(cls, features: Sequence[Feature]) -> "FeaturePlan":
        """Compile the declarations of features."""
        formulas: list[tuple[int, Operand]] = []
        columns: list[tuple[int, Feature]] = []
        for place, feature in enumerate(features):
            if isinstance(feature.compute, Quantity | Formula):
                formulas.append((place, feature.compute))
            else:
                columns.append((place, feature))
        blocks = dict.fromkeys(block for _, formula in formulas for block in _blocks(formula))
        return cls(tuple(features), tuple(blocks), tuple(formulas), tuple(columns))

    def values(self, view: View, rows: int) -> Float64s:
        """Values of all features, shape (rows, k); shared blocks are computed once for a view."""
        out = np.zeros((rows, len(self.features)))
        if not len(view):
            return out
        for place, feature in self.columns:
            check_deadline()
            out[:, place] = feature.column(view)
        if self.formulas:
            blocks = []
            for block in self.blocks:
                check_deadline()
                values = view.cached(block)
                blocks.append(values if values.ndim > 1 else values[:, None])
            widths = tuple([block.shape[1] for block in blocks])
            # Kernels are compiled for rows in order, whatever the order of the blocks.
            numbers = np.concatenate(blocks, axis=1, out=np.empty((len(view), sum(widths))))
            evaluate_formulas(numbers, self._steps_of(widths), out)
        return out

    def _steps_of(self, widths: tuple[int, ...]) -> Int64s:
        steps = self._steps.get(widths)
        if steps is None:
            self._steps[widths] = steps = _Steps(self.blocks, widths).compile(self.formulas)
        return steps


def _blocks(operand: Operand | None) -> list[Block]:
    if operand is None:
        return []
    if isinstance(operand, Quantity):
        return [operand.block]
    return [block for part in (operand.first, operand.second, operand.divisor) for block in _blocks(part)]


class _Steps:
    """A compiler of formulas into steps of the kernel; equal parts of formulas are one step."""

    def __init__(self, blocks: Sequence[Block], widths: Sequence[int]) -> None:
        begins = np.concatenate([[0], np.cumsum(widths)]).tolist()
        self._begins: Final = dict(zip(blocks, begins, strict=False))
        self._width: Final = begins[-1]
        self._steps: list[list[int]] = []
        self._numbers: dict[Formula, int] = {}

    def compile(self, formulas: Sequence[tuple[int, Operand]]) -> Int64s:
        """Steps of formulas with their columns; shape (steps, 4)."""
        for place, formula in formulas:
            operand = self._operand(formula)
            self._steps.append([operand, NO_OPERAND, NO_OPERAND, place])
        return np.array(self._steps, np.int64).reshape(-1, 4)

    def _operand(self, operand: Operand | None) -> int:
        """Number of an operand; its steps are added if they are new."""
        if operand is None:
            return NO_OPERAND
        if isinstance(operand, Quantity):
            return int(self._begins[operand.block]) + (operand.place or 0)
        if operand not in self._numbers:
            parts = [self._operand(part) for part in (operand.first, operand.second, operand.divisor)]
            self._steps.append([*parts, NO_OPERAND])
            self._numbers[operand] = self._width + len(self._steps) - 1
        return self._numbers[operand]
