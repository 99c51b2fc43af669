"""Training rows."""

from dataclasses import dataclass
from typing import Final

import numpy as np

from app.arrays import Bools, Float64s, Int64s
from app.errors import InputError
from app.predictors.model import standardise

__all__ = ["Standardisation", "TrainingSet", "split_held_out"]


# Squares of smaller differences are not distinct from 0.
SMALLEST_RANGE: Final = 1e-100


@dataclass(frozen=True)
class TrainingSet:
    """Feature values (n, k) and labels (n,), with their origin."""

    values: Float64s
    labels: Float64s
    name: str
    checksum: str
    note: str = "features from the loaded resources"

    def check(self, k: int, rows: int) -> None:
        """InputError for too few rows, infinite numbers, or equal labels."""
        if self.values.ndim != 2 or self.values.shape[1] != k or len(self.values) != len(self.labels):
            raise InputError("invalid-training-data", f"{self.name}: expected rows of {k} features, each with a label")
        if len(self.labels) < rows:
            raise InputError("invalid-training-data", f"{self.name}: {len(self.labels)} rows; at least {rows} are needed")
        for kind, finite in (("label", np.isfinite(self.labels)), ("feature", np.isfinite(self.values).all(1))):
            if not finite.all():
                place = int(np.argmin(finite))
                raise InputError("invalid-training-data", f"{self.name}: the {kind} of row {place} is not a finite number")
        if float(np.ptp(self.labels)) == 0:
            raise InputError("invalid-training-data", f"{self.name}: all labels are equal; nothing can be learned")
        if float(np.ptp(self.labels)) < SMALLEST_RANGE:
            detail = f"{self.name}: all labels differ by less than {SMALLEST_RANGE:g}; write them in another unit"
            raise InputError("invalid-training-data", detail)

    def select(self, rows: Int64s, name: str | None = None) -> "TrainingSet":
        """A subset of the rows."""
        return TrainingSet(self.values[rows], self.labels[rows], name or self.name, self.checksum, self.note)

    def columns(self, columns: Int64s) -> "TrainingSet":
        """A subset of the features."""
        return TrainingSet(self.values[:, columns], self.labels, self.name, self.checksum, self.note)


def split_held_out(rows: TrainingSet, share: float, seed: int, groups: Int64s | None = None) -> tuple[TrainingSet, TrainingSet]:
    """Cut off a random `share` of the rows (at least one each side) to choose and calibrate on.

    Rows of one of `groups` (n,) stay together. The share is then approximate, and never larger unless no group is small enough.
    """
    n = len(rows.labels)
    rng = np.random.default_rng(seed)
    cut = min(max(1, round(n * share)), max(1, n - 1))
    if groups is None:
        order = rng.permutation(n)
        held_rows, training = np.sort(order[:cut]), np.sort(order[cut:])
    else:
        mask = _whole_groups(groups, cut, rng)
        held_rows, training = np.flatnonzero(mask), np.flatnonzero(~mask)
    return rows.select(training, f"{rows.name}, training part"), rows.select(held_rows, f"{rows.name}, held-out part")


def _whole_groups(groups: Int64s, rows: int, rng: np.random.Generator) -> Bools:
    """Mask of random groups with at most `rows` rows, or of the smallest group; shape (n,)."""
    _, places, sizes = np.unique(groups, return_inverse=True, return_counts=True)
    selection, total = [], 0
    for group in rng.permutation(len(sizes)).tolist():
        if total + sizes[group] <= rows:
            selection.append(group)
            total += sizes[group]
    return np.isin(places, selection or [int(sizes.argmin())])


@dataclass(frozen=True)
class Standardisation:
    """Standardisation: `centre` and `scale` (k,) of training features, and those of training labels."""

    centre: Float64s
    scale: Float64s
    label_centre: float
    label_scale: float

    @classmethod
    def of(cls, rows: TrainingSet) -> "Standardisation":
        """Mean and standard deviation of rows; a constant feature keeps its unit."""
        scale = rows.values.std(0)
        return cls(rows.values.mean(0), np.where(scale > 0, scale, 1.0), float(rows.labels.mean()), float(rows.labels.std()))

    def features(self, values: Float64s) -> Float64s:
        """Features (n, k) in the units of learners."""
        return standardise(values, self.centre, self.scale)

    def scaled_labels(self, labels: Float64s) -> Float64s:
        """Labels (n,) in the units of learners."""
        return np.asarray((labels - self.label_centre) / self.label_scale)

    def rows(self, rows: TrainingSet) -> tuple[Float64s, Float64s]:
        """Features and labels in the units of learners."""
        return self.features(rows.values), self.scaled_labels(rows.labels)
