"""Effects of tuned weights and their spread over runs, as rows of answers and cards."""

from collections.abc import Sequence
from typing import cast

import numpy as np
from typing_extensions import TypedDict

from app.arrays import Float64s
from app.smt.tuning.spreads import effects
from app.text.feature_columns.columns import components

__all__ = ["WeightSpread", "spread_of"]


class WeightSpread(TypedDict):
    """A component (from 1) of a feature: its weight and effect, and their spread over all runs.

    `effect` is the weight times `unit` (the standard deviation of the feature within lists), as a signed share of all effects. It
    does not depend on the units of features. Constant features have no effect.
    """

    feature: str
    component: int
    weight: float
    effect: float
    unit: float
    mean: float
    deviation: float
    lowest: float
    highest: float
    effect_mean: float
    effect_deviation: float
    effect_lowest: float
    effect_highest: float


def spread_of(names: Sequence[str], weights: Float64s, units: Float64s, runs: Sequence[Float64s]) -> list[WeightSpread]:
    """Return a row per column: `weights` (width,), and their spread over `runs`; a single run has deviations of 0."""
    matrix = np.stack(runs)
    effect_matrix = effects(matrix, units)
    rows = zip(
        *zip(*components(names), strict=True), weights.tolist(), effects(weights, units).tolist(), units.tolist(), *_over(matrix),
        *_over(effect_matrix), strict=True,
    )  # fmt: skip
    fields = WeightSpread.__annotations__
    return [cast(WeightSpread, dict(zip(fields, row, strict=True)) | {"component": row[1] + 1}) for row in rows]


def _over(runs: Float64s) -> tuple[list[float], list[float], list[float], list[float]]:
    """Return mean, standard deviation, minimum and maximum of each column."""
    deviation = runs.std(axis=0, ddof=1) if len(runs) > 1 else np.zeros(runs.shape[1])
    return runs.mean(axis=0).tolist(), deviation.tolist(), runs.min(axis=0).tolist(), runs.max(axis=0).tolist()
