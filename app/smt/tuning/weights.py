"""Weights of features by name, normalised and checked."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np

from app.arrays import Float64s
from app.errors import InputError
from app.smt.tuning.spreads import effects
from app.text.feature_columns.columns import components

__all__ = ["DIGITS", "FLOOR", "FeatureWeights", "column_labels", "normalised", "refuse_missing", "tidied"]

# Weights with a smaller share of all effects are written as 0; other weights get this many digits.
FLOOR: Final = 1e-9
DIGITS: Final = 12


@dataclass(frozen=True)
class FeatureWeights:
    """Weights by feature name, one for each component in order."""

    values: Mapping[str, tuple[float, ...]]

    @classmethod
    def of(cls, names: Sequence[str], values: Float64s) -> "FeatureWeights":
        """Build from columns; `names` repeats a feature's name for its components."""
        values_by_name: dict[str, list[float]] = {}
        for name, value in zip(names, values.tolist(), strict=True):
            values_by_name.setdefault(name, []).append(value)
        return cls({name: tuple(row) for name, row in values_by_name.items()})

    def of_columns(self, names: Sequence[str], zero_missing: bool = False) -> Float64s:
        """Return the weight of each column; InputError names features without weights, or with a wrong number of components.

        With `zero_missing`, features without weights get 0. Weights of features without columns are ignored.
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
    """Return a unique label for each column: the feature's name, with the component (from 1) if there are several."""
    counts = Counter(names)
    return tuple(name if counts[name] == 1 else f"{name} {before + 1}" for name, before in components(names))


def refuse_missing(names: Sequence[str]) -> None:
    """Raise InputError for features without weights, if there are any."""
    if names:
        lack = (
            f"feature {names[0]} has no weight"
            if len(names) == 1
            else f"{names[0]} and {len(names) - 1} more features have no weights"
        )
        detail = f"{lack}; missing-weights zero counts such features as 0"
        raise InputError("missing-weights", detail, ("weights", names[0]))


def normalised(weights: Float64s) -> Float64s:
    """Scale weights to an absolute sum of 1; the order of hypotheses does not change. InputError if that is impossible."""
    largest = float(np.abs(weights).max(initial=0.0))
    if not np.isfinite(largest) or largest == 0.0:
        raise InputError("degenerate-weights", "all weights are 0, or one is not a number", ("weights",))
    in_range = weights / largest
    return np.asarray(in_range / np.abs(in_range).sum())


def tidied(weights: Float64s, units: Float64s) -> Float64s:
    """Return weights as files store them: normalised, with few digits, and 0 for negligible effects.

    The effect of a weight is its product with the spread of its column within lists (`units`, see `spreads`): 1e-12 on a feature of
    1e12 equals 1 on a feature of 1. Weights of constant columns keep their values.
    """
    normal_weights = normalised(weights)
    small = (units > 0) & (np.abs(effects(normal_weights, units)) < FLOOR)
    digits = np.array([float(f"{value:.{DIGITS}g}") for value in normal_weights.tolist()], np.float64)
    return np.where(small, 0.0, digits)
