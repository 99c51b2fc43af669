"""Rows to learn from."""

from dataclasses import dataclass
from typing import Any

import numpy as np

from app.arrays import Float64s, Int64s
from app.errors import InputError

__all__ = ["Found", "Standardised", "TrainingSet", "split_held_out"]

# What was found, for the card.
Found = dict[str, Any]


@dataclass(frozen=True)
class TrainingSet:
    """Feature values (n, k) and labels (n,), with where they came from."""

    values: Float64s
    labels: Float64s
    name: str
    checksum: str
    note: str = "features from the loaded resources"

    def check(self, k: int, rows: int) -> None:
        """InputError unless there are enough finite rows and labels that differ."""
        if self.values.ndim != 2 or self.values.shape[1] != k or len(self.values) != len(self.labels):
            raise InputError("invalid-training-data", f"{self.name}: expected rows of {k} features, each with a label")
        if len(self.labels) < rows:
            raise InputError("invalid-training-data", f"{self.name}: {len(self.labels)} rows; at least {rows} are needed")
        for what, finite in (("label", np.isfinite(self.labels)), ("feature", np.isfinite(self.values).all(1))):
            if not finite.all():
                place = int(np.argmin(finite))
                raise InputError("invalid-training-data", f"{self.name}: the {what} of row {place} is not a finite number")
        if float(np.ptp(self.labels)) == 0:
            raise InputError("invalid-training-data", f"{self.name}: all labels are equal; nothing can be learned")

    def select(self, rows: Int64s, name: str | None = None) -> "TrainingSet":
        """Some of the rows."""
        return TrainingSet(self.values[rows], self.labels[rows], name or self.name, self.checksum, self.note)

    def columns(self, columns: Int64s) -> "TrainingSet":
        """Some of the features."""
        return TrainingSet(self.values[:, columns], self.labels, self.name, self.checksum, self.note)


def split_held_out(whole: TrainingSet, share: float, seed: int) -> tuple[TrainingSet, TrainingSet]:
    """Cut off a random `share` of the rows (at least one each side) to choose and calibrate on."""
    n = len(whole.labels)
    order = np.random.default_rng(seed).permutation(n)
    cut = min(max(1, round(n * share)), max(1, n - 1))
    held, kept = np.sort(order[:cut]), np.sort(order[cut:])
    return whole.select(kept, f"{whole.name}, training part"), whole.select(held, f"{whole.name}, held-out part")


@dataclass(frozen=True)
class Standardised:
    """What a learner sees: standardised features and labels of training and held-out rows."""

    x: Float64s
    y: Float64s
    held_x: Float64s
    held_y: Float64s

    def residual_variance(self, predicted: Float64s) -> float:
        """The mean square of the residuals of held-out rows."""
        return float(max(((self.held_y - predicted) ** 2).mean(), 1e-12))
