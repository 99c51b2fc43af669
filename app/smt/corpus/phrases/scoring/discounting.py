"""Relative frequencies of phrases with discounts of rare ones (Foster et al. 2006), as in Moses."""

from dataclasses import dataclass
from typing import Final, Literal

import numpy as np

from app.arrays import Float32s, Float64s, Int64s

__all__ = ["HIGHEST_COUNT", "Discount", "Frequencies", "as_counts"]

Discount = Literal["none", "good-turing", "kneser-ney"]
# Highest count with a discount of its own.
HIGHEST_COUNT: Final = 10
# Sums of weights may exceed 64-bit integers; no discount depends on such large counts.
LARGEST_COUNT: Final = 1e18
# Addition to each count of counts of the Good-Turing estimate, so that none is 0.
SMOOTHING: Final = 0.1
# Upper limits of the discount of a pair with count 1, 2, and 3 or more; lower limit of any discount.
LARGEST: Final = (0.9, 1.9, 2.9)
SMALLEST: Final = 0.01
# Counts at which the next discount begins.
STEPS: Final = np.array([2.0, 3.0], np.float32)


def as_counts(weights: Float64s) -> Int64s:
    """Weights rounded up to integers, with tolerance for rounding errors of sums; up to `LARGEST_COUNT`."""
    return np.minimum(weights + 0.99998, LARGEST_COUNT).astype(np.int64)


@dataclass(frozen=True)
class Frequencies:
    """Conditional probabilities of phrase pairs.

    ``counts[k]`` is the number of distinct pairs extracted k times, among `pairs` in all.
    """

    discount: Discount
    counts: Int64s
    pairs: int

    def __call__(self, joint: Float64s, total: Float64s, partners: Float64s, distinct: Float64s) -> Float64s:
        """p(phrase | condition) of phrase pairs; shape (pairs,).

        `joint` are counts of pairs, `total` counts of conditions; `partners` and `distinct` are numbers of distinct partners of the
        condition and of the phrase. Steps are rounded to 32 bits as in Moses, for equal digits.
        """
        count, whole_count = joint.astype(np.float32), total.astype(np.float32)
        if self.discount == "good-turing":
            count = count * self._factors()[np.minimum(as_counts(joint), HIGHEST_COUNT)]
        elif self.discount == "kneser-ney":
            discounts = self._discounts()[np.searchsorted(STEPS, count, side="right")]
            # Sums of weights may be below the discount.
            discounts = np.where(discounts > count, count - np.float32(SMALLEST), discounts)
            share = distinct.astype(np.float32) / np.float32(self.pairs)
            count = (count - discounts) + (discounts * partners.astype(np.float32)) * share
        return (count / whole_count).astype(np.float64)

    def _factors(self) -> Float32s:
        """Factors of counts 0, 1, ...: ascending, up to 1; shape (HIGHEST_COUNT + 1,)."""
        factors = np.ones(HIGHEST_COUNT + 1)
        factors[0] = 0.0
        smooth = self.counts + SMOOTHING
        for count in range(1, HIGHEST_COUNT):
            factor = (count + 1) / count * smooth[count + 1] / smooth[count]
            factors[count] = min(1.0, max(factor, factors[count - 1]))
        return factors.astype(np.float32)

    def _discounts(self) -> Float32s:
        """Discounts of counts 1, 2, and 3 or more (Chen and Goodman 1998), within limits; shape (3,)."""
        singles, doubles, triples, quadruples = self.counts[1:5].astype(np.float64)
        ratio = singles / (singles + 2 * doubles) if singles else 0.0
        steps = ((doubles, singles), (triples, doubles), (quadruples, triples))
        discounts = [
            count - (count + 1) * ratio * higher / lower if lower else LARGEST[count - 1]
            for count, (higher, lower) in enumerate(steps, 1)
        ]
        result: Float32s = np.clip(np.array(discounts), SMALLEST, LARGEST).astype(np.float32)
        return result
