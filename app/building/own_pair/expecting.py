"""Expected accuracy of a predictor, by cross-validation."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Final

import numpy as np

from app.arrays import Float64s, Int64s
from app.predictors import Model
from app.predictors.training import TrainingSet, split_held_out

__all__ = ["FEWEST_LABELS", "FEW_LABELS", "Expectation", "cross_validate"]

# Fewer cannot be split into rows to learn from, rows to calibrate on and rows to measure on.
FEWEST_LABELS: Final = 60
# With fewer the interval of the accuracy is wide, and more labels still help much.
FEW_LABELS: Final = 300
FOLDS: Final = 5
SAMPLES: Final = 2_000
WIDE: Final = 0.95
Train = Callable[[TrainingSet, TrainingSet], Model]


@dataclass(frozen=True)
class Expectation:
    """Pearson correlation and mean absolute error of n predictions, with 95 % bootstrap intervals.

    `mean_mae` is the error of saying the mean of all labels every time.
    """

    labels: int
    pearson: float
    pearson_interval: tuple[float, float]
    mae: float
    mae_interval: tuple[float, float]
    mean_mae: float

    def sentences(self, label: str) -> list[str]:
        """Accuracy in plain sentences."""
        low, high = self.pearson_interval
        best, worst = self.mae_interval
        sentences = [
            f"expect a Pearson correlation of {self.pearson:.2f} with {label} (95 % interval {low:.2f} to {high:.2f}) "
            f"and a mean error of {self.mae:.3f} ({best:.3f} to {worst:.3f}), where "
            f"saying the mean every time errs by {self.mean_mae:.3f}",
            f"measured on {self.labels} labels, each predicted by a model that had not seen it",
        ]
        if self.labels < FEW_LABELS:
            sentences.append(f"{self.labels} labels are few: from {FEW_LABELS} on, better a thousand, scores become more certain")
        if low <= 0:
            sentences.append("these scores may say nothing about quality: do not rely on them before there are more labels")
        return sentences


def cross_validate(rows: TrainingSet, train: Train, seed: int = 12345) -> Expectation:
    """Predict every label by a model trained on the other folds; `train` is given rows to learn from and rows to calibrate on."""
    rng = np.random.default_rng(seed)
    n = len(rows.labels)
    fold = rng.permutation(n) % FOLDS
    predicted = np.empty(n)
    for number in range(FOLDS):
        training_rows, test_rows = np.flatnonzero(fold != number), np.flatnonzero(fold == number)
        predicted[test_rows] = train(*split_rows(rows.select(training_rows), seed)).predict(rows.values[test_rows]).mean
    return expectation_of(rows.labels, predicted, (rng.integers(n, size=n) for _ in range(SAMPLES)))


def split_rows(rows: TrainingSet, seed: int) -> tuple[TrainingSet, TrainingSet]:
    """Rows to learn from and rows to calibrate on: a fifth, but at least twenty."""
    return split_held_out(rows, max(0.2, 20 / len(rows.labels)), seed)


def expectation_of(labels: Float64s, predicted: Float64s, samples: Iterable[Int64s]) -> Expectation:
    """Measures of predictions; `samples` are n rows drawn with replacement each, of which one is looked at after the other."""
    errors = np.abs(predicted - labels)
    sample_measures = np.array([(_pearson(labels[rows], predicted[rows]), errors[rows].mean()) for rows in samples])
    return Expectation(
        len(labels),
        _pearson(labels, predicted),
        _interval(sample_measures[:, 0]),
        float(errors.mean()),
        _interval(sample_measures[:, 1]),
        float(np.abs(labels - labels.mean()).mean()),
    )


def _pearson(first: Float64s, second: Float64s) -> float:
    if not np.ptp(first) > 0 or not np.ptp(second) > 0:
        return 0.0
    return float(np.corrcoef(first, second)[0, 1])


def _interval(values: Float64s) -> tuple[float, float]:
    low, high = np.quantile(values, [(1 - WIDE) / 2, (1 + WIDE) / 2])
    return float(low), float(high)
