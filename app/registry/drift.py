"""Drift of a model's input: how far live segments differ from training segments."""

from dataclasses import dataclass
from typing import Final

import numpy as np

from app.arrays import Float64s, Int64s
from app.predictors import Model
from app.predictors.distribution import DRIFT_LIMIT, FEWEST_SEGMENTS, stability
from app.registry.windows import LocalWindows, Windows

__all__ = ["Drift", "DriftMonitor"]

# Segments per window; the last one to two windows count.
WINDOW: Final = 2000


@dataclass(frozen=True)
class Drift:
    """Population stability index of each feature (k,) over the last `segments`, their mean, and the verdict on it.

    `drifted` is None for too few segments.
    """

    segments: int
    indexes: Float64s
    mean: float
    drifted: bool | None


# The drift of too few segments.
EMPTY_DRIFT: Final = Drift(0, np.zeros(0), 0.0, None)


class DriftMonitor:
    """Counts of feature values of live requests per model; safe to use from any thread. Counts end with the server."""

    def __init__(self, windows: Windows | None = None) -> None:
        """`windows` hold the counts, by default those of this process alone."""
        self._windows = windows or LocalWindows()

    def count(self, model: Model, values: Float64s) -> Drift:
        """Count features (n, k) of a request to a model; return the drift of these segments alone."""
        if not len(values):
            return EMPTY_DRIFT
        new = model.usual.counts(values)
        with self._windows.use(model.card.id, new.shape) as (previous, current):
            if int(current[0].sum()) >= WINDOW:
                previous[:], current[:] = current, 0
            current += new
        # Few segments say nothing, and small requests are many.
        return _drift(model, new) if len(values) >= FEWEST_SEGMENTS else EMPTY_DRIFT

    def report(self, model: Model) -> Drift:
        """Drift over the last windows of a model."""
        if model.card.id not in self.watched_models():
            return _drift(model, np.zeros(model.usual.shares.shape, np.int64))
        with self._windows.use(model.card.id, model.usual.shares.shape) as windows:
            counts = windows.sum(axis=0)
        return _drift(model, counts)

    def watched_models(self) -> list[str]:
        """Ids of the models with counts."""
        return self._windows.models()


def _drift(model: Model, counts: Int64s) -> Drift:
    segments = int(counts[0].sum())
    if not segments:
        return Drift(0, np.zeros(len(counts)), 0.0, None)
    indexes = stability(model.usual, counts)
    mean = float(indexes.mean())
    return Drift(segments, indexes, mean, mean > DRIFT_LIMIT if segments >= FEWEST_SEGMENTS else None)
