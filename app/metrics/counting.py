"""Interface of metrics made of n-gram counts: texts become symbols, and counts become statistics."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

import numpy as np

from app.arrays import Float64s, Int64s

__all__ = ["Counting", "Symbols", "ngram_counts"]


@dataclass(frozen=True, eq=False)
class Symbols:
    """Texts as symbol numbers: text i is ``numbers[offsets[i]:offsets[i + 1]]``; n-grams of 1 to `order` symbols count."""

    numbers: Int64s
    offsets: Int64s
    order: int

    def totals(self) -> Float64s:
        """Number of n-grams of each text and order; shape (n, order)."""
        return ngram_counts(self.offsets, self.order).astype(np.float64)


def ngram_counts(offsets: Int64s, order: int) -> Int64s:
    """Number of n-grams of each text for 1 to `order` symbols; shape (n, order)."""
    return np.asarray(np.maximum(np.diff(offsets)[:, None] - np.arange(order), 0))


class Counting(Protocol):
    """Conversion of texts into symbols, and of n-gram counts against one reference into a metric's statistics.

    Counts may be expected counts, which are not whole numbers (DeNero et al. 2009).
    """

    def symbols(self, segments: Sequence[str]) -> Sequence[Symbols]:
        """Texts as blocks of symbols, such as characters and words. A symbol keeps its number between calls."""

    def statistics(self, hypothesis_counts: Float64s, reference_counts: Float64s, matches: Float64s) -> Float64s:
        """Statistics (h, s) from n-gram counts of hypotheses, of references, and of their matches; shape (h, orders) each.

        The columns of all blocks of `symbols` stand side by side.
        """
