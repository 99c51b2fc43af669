"""Filters of reliable oracles: DIFFERENCE and DIVERSITY of a list's gains (Srivastava's thesis §3.9)."""

from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from app.arrays import Bools, Float64s, Int64s

__all__ = ["Filters", "measure_lists", "usual_threshold"]


@dataclass(frozen=True, eq=False)
class Filters:
    """For each list (n,): the best gain minus the next lower one, and the share of hypotheses below both.

    A list with one gain only has a difference of 0 and is never trusted.
    """

    difference: Float64s
    diversity: Float64s

    def trusted(self, difference: float | None = None, diversity: float | None = None) -> Bools:
        """Return True for lists above both thresholds (n,); a missing threshold is the usual one."""
        minimum = usual_threshold(self.difference) if difference is None else difference
        widest = usual_threshold(self.diversity) if diversity is None else diversity
        return np.asarray((self.difference > minimum) & (self.diversity > widest) & (self.difference > 0))


def measure_lists(gains: Float64s, offsets: Int64s) -> Filters:
    """Measure each list by its two best clusters of equal gains."""
    difference, diversity = [], []
    for begin, end in pairwise(offsets.tolist()):
        values, counts = np.unique(gains[begin:end], return_counts=True)
        difference.append(values[-1] - values[-2] if len(values) > 1 else 0.0)
        diversity.append(1.0 - counts[-2:].sum() / (end - begin))
    return Filters(np.array(difference, np.float64), np.array(diversity, np.float64))


def usual_threshold(values: Float64s) -> float:
    """Return the midpoint of mean and median, near the thresholds that the thesis set by hand."""
    return float((values.mean() + np.median(values)) / 2) if len(values) else 0.0
