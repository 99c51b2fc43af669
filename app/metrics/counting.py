"""Metrics that are made of n-gram counts: what turns texts into symbols, and counts into statistics."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

import numpy as np

from app.arrays import Float64s, Int64s

__all__ = ["Counting", "Symbols"]


@dataclass(frozen=True, eq=False)
class Symbols:
    """Texts as symbol numbers: text i is ``numbers[offsets[i]:offsets[i + 1]]``; n-grams of 1 to `order` symbols count."""

    numbers: Int64s
    offsets: Int64s
    order: int

    def totals(self) -> Float64s:
        """How many n-grams each text has, by their order; shape (n, order)."""
        return np.maximum(np.diff(self.offsets)[:, None] - np.arange(self.order), 0).astype(np.float64)


class Counting(Protocol):
    """A metric's way from texts to counts and from counts to its statistics, against one reference.

    Counts may be expected ones, that is, no whole numbers (DeNero et al. 2009).
    """

    def symbols(self, segments: Sequence[str]) -> Sequence[Symbols]:
        """Texts as blocks of symbols, as characters and words; a symbol has the same number in every call."""

    def statistics(self, ours: Float64s, theirs: Float64s, matches: Float64s) -> Float64s:
        """Statistics (h, s) of n-grams of hypotheses, of references and of both: (h, orders) each, blocks side by side."""
