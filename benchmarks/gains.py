"""Gains in Pearson by further features: learners with and without them, and paired bootstrap intervals."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from sklearn.linear_model import Ridge
from sklearn.model_selection import KFold
from sklearn.svm import SVR

from app.arrays import Float64s, Int64s

__all__ = ["Task", "corrected", "difference", "regression"]

Array = Float64s


def regression(train: Array, gold: Array, dev: Array) -> Array:
    """Predictions of dev rows, standardised, by the support vector regression of ``python -m benchmarks.feature_sets``."""
    centre, scale = train.mean(0), np.where(train.std(0) > 0, train.std(0), 1.0)
    x, x_dev = (np.clip((side - centre) / scale, -4, 4) for side in (train, dev))
    learner = SVR(C=1, gamma=0.3 / x.shape[1], epsilon=0.1, cache_size=500)
    return np.asarray(learner.fit(x, (gold - gold.mean()) / gold.std()).predict(x_dev))


def corrected(x: Array, gold: Array) -> Array:
    """Predictions of rows by a ridge regression of the rest, mean over three divisions into ten folds."""
    x, predictions = (x - x.mean(0)) / np.where(x.std(0) > 0, x.std(0), 1.0), np.zeros(len(x))
    for seed in range(3):
        for rest, rows in KFold(10, shuffle=True, random_state=seed).split(x):
            predictions[rows] += Ridge(alpha=10).fit(x[rest], gold[rest]).predict(x[rows]) / 3
    return predictions


@dataclass
class Task:
    """A pair and a label: gold of dev, the rows of bootstrap samples, and predictions by the name of their system."""

    name: str
    gold: Array
    samples: Int64s
    predictions: dict[str, Array]

    def pearson(self, key: str) -> float:
        return float(np.corrcoef(self.predictions[key], self.gold)[0, 1])

    def bootstrap(self, key: str) -> Array:
        """Pearson of bootstrap samples of dev rows; shape (2000,)."""
        x, y = (side[self.samples] - side[self.samples].mean(1, keepdims=True) for side in (self.predictions[key], self.gold))
        return np.asarray((x * y).sum(1) / np.sqrt((x * x).sum(1) * (y * y).sum(1)))


def difference(tasks: Sequence[Task], system: str, baseline: str) -> str:
    """Mean gain in Pearson over tasks with its interval."""
    gain = np.mean([task.pearson(system) - task.pearson(baseline) for task in tasks])
    samples = np.mean([task.bootstrap(system) - task.bootstrap(baseline) for task in tasks], 0)
    low, high = np.percentile(samples, [2.5, 97.5])
    return f"{gain:+.4f} ({low:+.4f} to {high:+.4f})"
