"""Weights of features: of which features, on one scale, never degenerate."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np

from app.arrays import Float64s
from app.errors import InputError
from app.tuning.scaling import effects

__all__ = ["DIGITS", "FLOOR", "Weights", "normalised", "tidied"]

# Weights whose share of what all of them do is smaller are written as 0; others have so many digits.
FLOOR: Final = 1e-9
DIGITS: Final = 12


@dataclass(frozen=True)
class Weights:
    """Weights by the name of their feature, one for each of its components, in their order."""

    values: Mapping[str, tuple[float, ...]]

    @classmethod
    def of(cls, names: Sequence[str], values: Float64s) -> "Weights":
        """Those of columns, whose names are repeated for components."""
        gathered: dict[str, list[float]] = {}
        for name, value in zip(names, values.tolist(), strict=True):
            gathered.setdefault(name, []).append(value)
        return cls({name: tuple(row) for name, row in gathered.items()})

    def of_columns(self, names: Sequence[str]) -> Float64s:
        """The weight of each column; InputError names the features of which there are none, or of other components.

        Weights of features that the columns lack choose nothing there, and are left out.
        """
        counts = dict.fromkeys(names, 0)
        out = []
        for name in names:
            counts[name] += 1
            row = self.values.get(name, ())
            if counts[name] > len(row):
                detail = f"feature {name} has {names.count(name)} components, but {len(row) or 'no'} weights"
                raise InputError("missing-weights", detail, ("weights", name))
            out.append(row[counts[name] - 1])
        for name, count in counts.items():
            if count != len(self.values[name]):
                detail = f"feature {name} has {count} components, but {len(self.values[name])} weights"
                raise InputError("missing-weights", detail, ("weights", name))
        return np.array(out, np.float64)


def normalised(weights: Float64s) -> Float64s:
    """The same order of hypotheses, with absolute values that sum to 1; InputError where there is nothing to divide."""
    largest = float(np.abs(weights).max(initial=0.0))
    if not np.isfinite(largest) or largest == 0.0:
        raise InputError("degenerate-weights", "all weights are 0, or one is no number: they would choose nothing", ("weights",))
    scaled = weights / largest
    return np.asarray(scaled / np.abs(scaled).sum())


def tidied(weights: Float64s, units: Float64s) -> Float64s:
    """Weights as they are written: normalised, with few digits, and 0 where they do next to nothing.

    What a weight does is its product with `units`, the spread of its column inside lists (`spreads`): one of 1e-12 on a feature of
    1e12 does as much as one of 1 on a feature of 1. Weights of columns that vary in no list do nothing, were not tuned, and stay.
    """
    scaled = normalised(weights)
    small = (units > 0) & (np.abs(effects(scaled, units)) < FLOOR)
    digits = np.array([float(f"{value:.{DIGITS}g}") for value in scaled.tolist()], np.float64)
    return np.where(small, 0.0, digits)
