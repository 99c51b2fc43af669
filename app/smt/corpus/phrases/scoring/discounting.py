"""Relative frequencies of phrases, and what is taken from rare ones (Foster et al. 2006), with Moses' choices."""

from dataclasses import dataclass
from typing import Final, Literal

import numpy as np

from app.arrays import Float32s, Float64s, Int64s

__all__ = ["HIGHEST_COUNT", "Discount", "Frequencies", "whole"]

Discount = Literal["none", "good-turing", "kneser-ney"]
# Counts of counts up to here are looked at.
HIGHEST_COUNT: Final = 10
# Sums of weights may be more than 64 bits hold; nothing looks at counts so large.
LARGEST_COUNT: Final = 1e18
# Added to every count of counts by Good and Turing's estimate, so that none is 0.
ADDED: Final = 0.1
# The most that is taken from a pair seen once, twice, and more often; and the least from any.
LARGEST: Final = (0.9, 1.9, 2.9)
SMALLEST: Final = 0.01
# Where another of these begins.
STEPS: Final = np.array([2.0, 3.0], np.float32)


def whole(weights: Float64s) -> Int64s:
    """Counts that weights stand for: the next whole number, but for what is lost in sums; at most `LARGEST_COUNT`."""
    return np.minimum(weights + 0.99998, LARGEST_COUNT).astype(np.int64)


@dataclass(frozen=True)
class Frequencies:
    """Conditional probabilities of pairs of phrases.

    `counts` are numbers of distinct pairs that were extracted once, twice, ... (index 0: never), of `pairs` in all.
    """

    discount: Discount
    counts: Int64s
    pairs: int

    def __call__(self, joint: Float64s, total: Float64s, given: Float64s, distinct: Float64s) -> Float64s:
        """p(phrase | given) of pairs: `joint` counts, those of what is `given` (`total`), and numbers of distinct partners.

        `given` is how many partners the given phrase has, `distinct` how many the phrase has whose probability it is. Steps are
        rounded to 32 bits where Moses keeps them so, since tables are to have its digits.
        """
        count, whole_count = joint.astype(np.float32), total.astype(np.float32)
        if self.discount == "good-turing":
            count = count * self._factors()[np.minimum(whole(joint), HIGHEST_COUNT)]
        elif self.discount == "kneser-ney":
            taken = self._taken()[np.searchsorted(STEPS, count, side="right")]
            # Sums of weights may be less than what would be taken.
            taken = np.where(taken > count, count - np.float32(SMALLEST), taken)
            share = distinct.astype(np.float32) / np.float32(self.pairs)
            count = (count - taken) + (taken * given.astype(np.float32)) * share
        return (count / whole_count).astype(np.float64)

    def _factors(self) -> Float32s:
        """What counts of 0, 1, ... are multiplied by: never less than for the count before, and at most 1."""
        factors = np.ones(HIGHEST_COUNT + 1)
        factors[0] = 0.0
        smooth = self.counts + ADDED
        for count in range(1, HIGHEST_COUNT):
            factor = (count + 1) / count * smooth[count + 1] / smooth[count]
            factors[count] = min(1.0, max(factor, factors[count - 1]))
        return factors.astype(np.float32)

    def _taken(self) -> Float32s:
        """What is taken from counts of 1, 2, and 3 or more (Chen and Goodman 1998), within bounds."""
        once, twice, thrice, often = self.counts[1:5].astype(np.float64)
        ratio = once / (once + 2 * twice) if once else 0.0
        steps = ((twice, once), (thrice, twice), (often, thrice))
        taken = [
            count - (count + 1) * ratio * higher / lower if lower else LARGEST[count - 1]
            for count, (higher, lower) in enumerate(steps, 1)
        ]
        bounded: Float32s = np.clip(np.array(taken), SMALLEST, LARGEST).astype(np.float32)
        return bounded
