"""Labels of a Reordering Grammar, and the places of their splits and children in its tables (thesis, sections 3.2 and 3.4)."""

from dataclasses import dataclass
from functools import cached_property
from typing import Final

import numpy as np

from app.arrays import Int64s

__all__ = ["BINARY", "LABELS", "OPERATORS", "UNALIGNED_FIRST", "UNALIGNED_SECOND", "Layout"]

# Every prime operator of up to five children: the place of each child in the output.
OPERATORS: Final[tuple[tuple[int, ...], ...]] = (
    (1, 2), (2, 1), (2, 4, 1, 3), (3, 1, 4, 2),
    (2, 4, 1, 5, 3), (2, 5, 3, 1, 4), (3, 1, 5, 2, 4), (3, 5, 1, 4, 2), (4, 1, 3, 5, 2), (4, 2, 5, 1, 3),
    (1, 2), (1, 2),
)  # fmt: skip
# A word without links that joins the phrase on its right is the first child of P01; on its left, the second of P10.
LABELS: Final = ("P12", "P21", "P2413", "P3142", "P24153", "P25314", "P31524", "P35142", "P41352", "P42513", "P01", "P10")
# Labels whose chains have many bracketings.
BINARY: Final = 2
UNALIGNED_FIRST: Final = LABELS.index("P01")
UNALIGNED_SECOND: Final = LABELS.index("P10")


@dataclass(frozen=True)
class Layout:
    """Numbers of splits of binary and of wider labels. A symbol is a split label; a slot is a child of a symbol."""

    binary: int = 30
    wide: int = 3

    @cached_property
    def splits(self) -> Int64s:
        """Splits of each label; shape (labels,)."""
        return np.array([self.binary if len(operator) == 2 else self.wide for operator in OPERATORS])

    @cached_property
    def arities(self) -> Int64s:
        """Children of each label; shape (labels,)."""
        return np.array([len(operator) for operator in OPERATORS])

    @cached_property
    def symbols(self) -> Int64s:
        """First symbol of each label, then their number; shape (labels + 1,)."""
        return np.concatenate([[0], np.cumsum(self.splits)])

    @cached_property
    def slots(self) -> Int64s:
        """First slot of each label, then their number; shape (labels + 1,). The slots of a child are neighbours, split by split."""
        return np.concatenate([[0], np.cumsum(self.splits * self.arities)])

    @cached_property
    def labels_of_symbols(self) -> Int64s:
        """Label of each symbol."""
        return np.repeat(np.arange(len(LABELS)), self.splits)

    @cached_property
    def children_of_slots(self) -> Int64s:
        """Label and child of each slot as one number, five times the label plus the child."""
        return np.concatenate(
            [
                5 * label + np.repeat(np.arange(arity), split)
                for label, (arity, split) in enumerate(zip(self.arities, self.splits, strict=True))
            ]
        )
