"""Place of live feature values in the training distribution of a model.

Training rows give it exactly, for the features that are stored there. The card's deciles give it in tenths for all others.
"""

from dataclasses import dataclass
from pathlib import Path
from threading import Lock
from typing import Final, Literal

import numpy as np

from app.arrays import Float64s
from app.predictors import Model
from app.predictors.model import STEP
from app.registry.rows import TrainingRows, read_rows

__all__ = ["Basis", "FeatureShape", "TrainingDistribution", "TrainingDistributions"]

BINS: Final = 24
# Distributions in memory; one of 100,000 rows of 100 features takes 80 MB.
LIMIT: Final = 4
Basis = Literal["rows", "deciles"]


@dataclass(frozen=True)
class FeatureShape:
    """Distribution of one feature in training.

    `edges` (m,) ascend. `shares` (m + 1,) are the shares of the training rows below the first edge, between neighbours, and above
    the last edge. `mean` and `deviation` are the model's standardisation.
    """

    basis: Basis
    mean: float
    deviation: float
    edges: Float64s
    shares: Float64s


class TrainingDistribution:
    """Distribution of the features of a model over its training rows."""

    def __init__(self, model: Model, rows: TrainingRows | None) -> None:
        self._model = model
        self.row_count = 0 if rows is None else len(rows.values)
        self._columns = {name: k for k, name in enumerate(model.card.features)}
        stored = () if rows is None else rows.features
        self._sorted = {
            name: np.sort(rows.values[:, k]) for k, name in enumerate(stored) if rows is not None and name in self._columns
        }

    def __contains__(self, feature: str) -> bool:
        return feature in self._columns

    def deviations(self, feature: str, values: Float64s) -> Float64s:
        """Distance of values (n,) from the mean of the training rows, in their standard deviations."""
        k = self._columns[feature]
        return np.asarray((values - self._model.centre[k]) / self._model.scale[k], np.float64)

    def percentiles(self, feature: str, values: Float64s) -> Float64s:
        """Share of the training rows below values (n,), with half of the equal rows, in percent.

        Rows within the precision of their storage are equal. By deciles, a value has the middle of its tenth.
        """
        k, stored = self._columns[feature], self._sorted.get(feature)
        if stored is None:
            shares = self._model.usual.shares[k].astype(np.float64)
            places = (values[:, None] > self._model.usual.edges[k]).sum(1)
            return np.asarray(100 * (np.cumsum(shares) - shares / 2)[places])
        slack = STEP * (self._model.scale[k] + np.abs(values - self._model.centre[k]))
        below, not_above = np.searchsorted(stored, values - slack), np.searchsorted(stored, values + slack, "right")
        return np.asarray(50 * (below + not_above) / len(stored))

    def shape(self, feature: str) -> FeatureShape:
        """Distribution of a feature: bins of one width between its percentiles 1 and 99, or its deciles."""
        k, stored = self._columns[feature], self._sorted.get(feature)
        mean, deviation = float(self._model.centre[k]), float(self._model.scale[k])
        if stored is None:
            deciles = self._model.seen
            return FeatureShape("deciles", mean, deviation, deciles.edges[k], deciles.shares[k].astype(np.float64))
        slack = STEP * (deviation + np.abs(stored - mean))
        edges = _edges(stored, bool((np.abs(stored - np.round(stored)) <= slack).all()))
        counts = np.bincount(np.searchsorted(edges, stored), minlength=len(edges) + 1)
        return FeatureShape("rows", mean, deviation, edges, counts / len(stored))


class TrainingDistributions:
    """The latest training distributions, each read once until its model or its rows change."""

    def __init__(self) -> None:
        self._lock = Lock()
        self._stored: dict[str, tuple[tuple[str, int], TrainingDistribution]] = {}

    def of(self, model: Model, rows_file: Path | None) -> TrainingDistribution:
        """Training distribution of a model with this file of rows, if any; InputError for a damaged file."""
        version = (model.checksum, 0 if rows_file is None else rows_file.stat().st_mtime_ns)
        with self._lock:
            stored = self._stored.pop(model.card.id, None)
            if stored is None or stored[0] != version:
                stored = version, TrainingDistribution(model, None if rows_file is None else read_rows(rows_file))
            self._stored[model.card.id] = stored
            if len(self._stored) > LIMIT:
                del self._stored[next(iter(self._stored))]
            return stored[1]


def _edges(values: Float64s, are_whole: bool) -> Float64s:
    """Edges of bins between percentiles 1 and 99 of ascending values, else between the extremes, else around the one value.

    Bins of whole numbers have a whole width, so that each holds equally many numbers.
    """
    low, high = np.quantile(values, [0.01, 0.99]).tolist()
    if low == high:
        low, high = float(values[0]), float(values[-1])
    if are_whole:
        width = np.ceil((round(high) - round(low) + 1) / BINS)
        return np.asarray(np.arange(round(low) - 0.5, round(high) + 0.5 + width, width), np.float64)
    return np.linspace(low, high, BINS + 1) if low < high else np.array([low - 0.5, high + 0.5])
