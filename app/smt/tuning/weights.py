"""Weights of features: of which features, on one scale, never degenerate."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np

from app.arrays import Float64s
from app.errors import InputError
from app.smt.tuning.scaling import effects
from app.text.feature_columns.columns import components

__all__ = ["DIGITS", "FLOOR", "Weights", "column_labels", "normalised", "refuse_missing", "tidied"]

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

    def of_columns(self, names: Sequence[str], zero_missing: bool = False) -> Float64s:
        """The weight of each column; InputError names the features of which there are none, or of other components.

        With `zero_missing` those of features without any are 0. Weights of features that the columns lack choose nothing there,
        and are left out.
        """
        counts = Counter(names)
        if not zero_missing:
            refuse_missing([name for name in counts if name not in self.values])
        for name, count in counts.items():
            row = self.values.get(name, ())
            if row and len(row) != count:
                detail = f"feature {name} has {count} components, but {len(row)} weights"
                raise InputError("missing-weights", detail, ("weights", name))
        rows = ((self.values.get(name, ()), component) for name, component in components(names))
        return np.array([row[component] if row else 0.0 for row, component in rows], np.float64)


def column_labels(names: Sequence[str]) -> tuple[str, ...]:
    """What columns are called alone: by the feature's name, and its component, from 1, where it has several."""
    counts = Counter(names)
    return tuple(name if counts[name] == 1 else f"{name} {before + 1}" for name, before in components(names))


def refuse_missing(names: Sequence[str]) -> None:
    """InputError that names features without weights, if there are any."""
    if names:
        lack = (
            f"feature {names[0]} has no weight"
            if len(names) == 1
            else f"{names[0]} and {len(names) - 1} more features have no weights"
        )
        detail = f"{lack}; with missing-weights zero such features count 0"
        raise InputError("missing-weights", detail, ("weights", names[0]))


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
