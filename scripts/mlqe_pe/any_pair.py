"""Predictors for pairs without resources: trained on all pairs, measured and calibrated on each pair by models without it."""

from collections.abc import Callable, Sequence
from dataclasses import asdict, replace
from pathlib import Path
from typing import Final

import numpy as np
from scipy.stats import t

from app.arrays import Float64s
from app.predictors import Model
from app.predictors.artifact import save_model
from app.predictors.evaluation import evaluate_predictions
from app.predictors.sentences.model import LABELS
from scripts.mlqe_pe.left_out import LeftOutRows, PairRows, checksum_of

__all__ = ["train_any_pair"]

# Pairs differ more than segments of a pair. Intervals are wide enough for a new pair with this probability, if new pairs are drawn
# like the shipped ones.
CONFIDENCE: Final = 0.8
COVERAGE: Final = 0.9


def train_any_pair(data: LeftOutRows, models: Path, tell: Callable[[str], None]) -> None:
    """Write a predictor of each label.

    A training row's features come from a judge and a network that were trained without its pair, as for new pairs. Intervals are
    calibrated on dev rows of every pair, with predictions of models without that pair.
    """
    rows = data.rows
    predictions_of: list[list[tuple[Float64s, Float64s]]] = [[] for _ in LABELS]
    for pair in range(len(rows)):
        dev_values = data.of_dev(pair)
        for pair_model, label_predictions in zip(data.without(pair), predictions_of, strict=True):
            mean, variance = pair_model.regressor.predict(pair_model.standardise(dev_values))
            label_predictions.append(
                (mean * pair_model.label_scale + pair_model.label_centre, np.sqrt(variance) * pair_model.label_scale)
            )
    for label, predictions in zip(LABELS, predictions_of, strict=True):
        raw_model = data.predictor_of(label)
        model = _calibrated(raw_model, rows, predictions, [data.labels(pair, label)[1] for pair in range(len(rows))])
        save_model(model, models / raw_model.card.id)
        tell(f"models/{raw_model.card.id}: {pair_model.card.accuracy}")


Predictions = Sequence[tuple[Float64s, Float64s]]


def _calibrated(model: Model, rows: Sequence[PairRows], predictions: Predictions, gold: Sequence[Float64s]) -> Model:
    """A model with the accuracy on left-out pairs, and with intervals widened for the differences of pairs."""
    residuals = [(labels - mean) / std for (mean, std), labels in zip(predictions, gold, strict=True)]
    factor = _widening(residuals)
    all_residuals = np.sort(np.concatenate(residuals)) * factor
    model = replace(model, calibration=np.sort(np.abs(all_residuals)), residuals=all_residuals)
    measurements = [
        asdict(evaluate_predictions(labels, model.interval(mean, std, 0.9).mean, model.label.higher_is_better))
        for (mean, std), labels in zip(predictions, gold, strict=True)
    ]
    coverage_of = {coverage: _coverage(model, predictions, gold, residuals, coverage) for coverage in (0.8, COVERAGE, 0.95)}
    accuracy = {
        "data": "mlqe-pe dev, each pair by a model that has not seen it",
        "sha256": checksum_of([row.dev for row in rows]),
        "segments": sum(row["segments"] for row in measurements),
        **{name: float(np.mean([row[name] for row in measurements])) for name in measurements[0] if name != "segments"},
        "intervals": [
            {"coverage": coverage, "measured": float(np.mean(inside)), "width": float(np.mean(widths))}
            for coverage, (inside, widths) in coverage_of.items()
        ],
        "widened": factor,
        "left_out": {
            str(row.pair): {
                "pearson": measurement["pearson"],
                "spearman": measurement["spearman"],
                "holds_90": inside,
                "width_90": width,
            }
            for row, measurement, inside, width in zip(rows, measurements, *coverage_of[COVERAGE], strict=True)
        },
    }
    return replace(model, card=replace(model.card, accuracy=accuracy))


def _widening(residuals: Sequence[Float64s]) -> float:
    """Factor of the width of intervals: the need of a new pair, bounded by Student's t, over that of all residuals together."""
    quantiles = np.array([np.quantile(np.abs(part), COVERAGE) for part in residuals])
    count = len(quantiles)
    bound = quantiles.mean() + t.ppf(CONFIDENCE, count - 1) * quantiles.std(ddof=1) * np.sqrt(1 + 1 / count)
    return max(1.0, float(bound / np.quantile(np.abs(np.concatenate(residuals)), COVERAGE)))


def _coverage(
    model: Model, predictions: Predictions, gold: Sequence[Float64s], residuals: Sequence[Float64s], coverage: float
) -> tuple[list[float], list[float]]:
    """Share of labels inside the intervals of each pair, and their mean width, calibrated by the rest of the pairs."""
    inside, widths = [], []
    for number, ((mean, std), labels) in enumerate(zip(predictions, gold, strict=True)):
        rest = [part for k, part in enumerate(residuals) if k != number]
        calibration = np.sort(np.abs(np.concatenate(rest))) * _widening(rest)
        interval = replace(model, calibration=calibration).interval(mean, std, coverage)
        inside.append(float(((labels >= interval.low) & (labels <= interval.high)).mean()))
        widths.append(float((interval.high - interval.low).mean()))
    return inside, widths
