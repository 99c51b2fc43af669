"""Whether what a model is asked about still looks like what it was trained on."""

import threading
from dataclasses import dataclass
from typing import Final

import numpy as np

from app.arrays import Float64s, Int64s
from app.predictors import Model
from app.predictors.distribution import DRIFTED, FEWEST_SEGMENTS, stability

__all__ = ["Drift", "DriftMonitor"]

# The last one to two windows of segments count.
WINDOW: Final = 2000


@dataclass(frozen=True)
class Drift:
    """Of the last `segments`: each feature's population stability index (k,), and whether their mean says drift.

    `drifted` is None while there are too few segments to say.
    """

    segments: int
    indexes: Float64s
    mean: float
    drifted: bool | None


# Of segments that nothing can be said of.
NONE: Final = Drift(0, np.zeros(0), 0.0, None)


class DriftMonitor:
    """Counts feature values of live requests per model; safe to use from any thread. What it has counted ends with the process."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._counts: dict[str, tuple[Int64s, Int64s]] = {}

    def count(self, model: Model, values: Float64s) -> Drift:
        """Take note of features (n, k) that the model was asked about; what is known of these alone."""
        if not len(values):
            return NONE
        new = model.usual.counts(values)
        with self._lock:
            before, now = self._counts.get(model.card.id, (np.zeros_like(new), np.zeros_like(new)))
            if int(now[0].sum()) >= WINDOW:
                before, now = now, np.zeros_like(new)
            self._counts[model.card.id] = (before, now + new)
        # Small requests are many, and too few segments say nothing.
        return _drift(model, new) if len(values) >= FEWEST_SEGMENTS else NONE

    def report(self, model: Model) -> Drift:
        """What is known of a model."""
        nothing = np.zeros(model.usual.shares.shape, np.int64)
        with self._lock:
            before, now = self._counts.get(model.card.id, (nothing, nothing))
            counts = before + now
        return _drift(model, counts)

    def watched(self) -> list[str]:
        """Ids of the models that were asked."""
        with self._lock:
            return list(self._counts)


def _drift(model: Model, counts: Int64s) -> Drift:
    segments = int(counts[0].sum())
    if not segments:
        return Drift(0, np.zeros(len(counts)), 0.0, None)
    indexes = stability(model.usual, counts)
    mean = float(indexes.mean())
    return Drift(segments, indexes, mean, mean > DRIFTED if segments >= FEWEST_SEGMENTS else None)
