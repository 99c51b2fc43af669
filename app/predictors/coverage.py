"""Calibration of a predictor's uncertainty, and intervals of its measured accuracy."""

from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass, replace
from typing import Final

import numpy as np

from app.arrays import Float64s
from app.errors import InputError
from app.metrics.meta_evaluation.differences import williams_test
from app.predictors.evaluation import Accuracy, GradeAccuracy, evaluate_predictions
from app.predictors.model import Model
from app.predictors.prediction import Prediction

__all__ = ["COVERAGES", "Evaluation", "IntervalCoverage", "compare_predictions", "cross_conformal", "evaluate_uncertainty"]

COVERAGES: Final = (0.5, 0.6, 0.7, 0.8, 0.9, 0.95)
# For cards: each tenth of the held-out rows is measured with intervals calibrated on the others.
CARD_COVERAGES: Final = (0.8, 0.9, 0.95)
FOLDS: Final = 10
SAMPLES: Final = 300
SEED: Final = 12345
# The smallest believable standard deviation.
SMALLEST_DEVIATION: Final = 1e-6


@dataclass(frozen=True)
class IntervalCoverage:
    """Nominal coverage of intervals, measured coverage, and their mean width in the label's unit."""

    coverage: float
    measured: float
    width: float


@dataclass(frozen=True)
class Evaluation:
    """All measures of one predictor on one data set.

    `intervals` hold each measure's central 95 % over resampled segments; `negative_log_density` is the mean of -log N(label; mean,
    std), in nats; `calibration` has one row per coverage of `COVERAGES`.
    """

    accuracy: Accuracy
    intervals: Mapping[str, tuple[float, float]]
    negative_log_density: float
    calibration: tuple[IntervalCoverage, ...]
    predicted: Float64s
    grades: tuple[GradeAccuracy, ...] = ()


def evaluate_uncertainty(
    gold: Float64s, predict: Callable[[float], Prediction], higher_is_better: bool, samples: int = SAMPLES, seed: int = SEED
) -> Evaluation:
    """Measure predictions and their intervals; `predict` returns them for a coverage.

    Resamples segments with replacement (bootstrap, percentile intervals). InputError as `evaluate_predictions`.
    """
    predictions = {coverage: predict(coverage) for coverage in COVERAGES}
    first = predictions[COVERAGES[0]]
    accuracy = evaluate_predictions(gold, first.mean, higher_is_better)
    std = np.maximum(first.std, SMALLEST_DEVIATION)
    density = 0.5 * np.log(2 * np.pi * std**2) + (gold - first.mean) ** 2 / (2 * std**2)
    rows = [
        IntervalCoverage(coverage, float(((gold >= p.low) & (gold <= p.high)).mean()), float((p.high - p.low).mean()))
        for coverage, p in predictions.items()
    ]
    intervals = _intervals(gold, first.mean, higher_is_better, samples, seed)
    return Evaluation(accuracy, intervals, float(density.mean()), tuple(rows), first.mean)


def _intervals(
    gold: Float64s, predicted: Float64s, higher_is_better: bool, samples: int, seed: int
) -> dict[str, tuple[float, float]]:
    rng = np.random.default_rng(seed)
    draws: list[dict[str, float]] = []
    for _ in range(samples):
        rows = rng.integers(0, len(gold), len(gold))
        draws.append(asdict(evaluate_predictions(gold[rows], predicted[rows], higher_is_better)))
    names = [name for name in draws[0] if name != "segments"]
    bounds = {name: np.percentile([measures[name] for measures in draws], [2.5, 97.5]) for name in names}
    return {name: (float(low), float(high)) for name, (low, high) in bounds.items()}


def cross_conformal(model: Model, values: Float64s, gold: Float64s, seed: int = SEED) -> list[IntervalCoverage]:
    """Coverage of intervals of features (n, k), each calibrated on other folds: cross-conformal (Vovk 2015), ten folds."""
    first = model.predict(values)
    mean, std = first.mean, first.std
    raw, _ = model.regressor.predict(model.standardise(values))
    scores = np.abs((gold - model.label_centre) / model.label_scale - raw) * model.label_scale / std
    fold = np.random.default_rng(seed).permutation(len(gold)) % min(FOLDS, len(gold))
    rows = []
    for coverage in CARD_COVERAGES:
        coverage_mask, width = np.zeros(len(gold), np.bool_), np.zeros(len(gold))
        for number in range(fold.max() + 1):
            test_mask = fold == number
            p = replace(model, calibration=np.sort(scores[~test_mask])).interval(mean[test_mask], std[test_mask], coverage)
            coverage_mask[test_mask] = (gold[test_mask] >= p.low) & (gold[test_mask] <= p.high)
            width[test_mask] = p.high - p.low
        rows.append(IntervalCoverage(coverage, float(coverage_mask.mean()), float(width.mean())))
    return rows


def compare_predictions(gold: Float64s, predicted: Mapping[str, Float64s]) -> dict[str, float]:
    """For every predictor but the best by Pearson's correlation: p that the best is no better (Williams' test, one-sided).

    InputError for predictors measured on different segments.
    """
    if any(len(values) != len(gold) for values in predicted.values()):
        raise InputError("unequal-lengths", "predictors are compared on the same segments")
    correlations = {
        name: float(np.corrcoef(gold, values)[0, 1]) if float(np.ptp(values)) > 0 and float(np.ptp(gold)) > 0 else 0.0
        for name, values in predicted.items()
    }
    best = max(correlations, key=lambda name: (correlations[name], name))
    return {name: williams_test(gold, predicted[best], values) for name, values in predicted.items() if name != best}
