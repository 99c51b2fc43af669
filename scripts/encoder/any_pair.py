"""Predictors for pairs without resources: ``python -m scripts.encoder.any_pair DATA``.

They are trained on all pairs, and measured and calibrated on each pair by models without it. A training row's readings come from a
network that was trained without its pair, as for new pairs (``python -m scripts.encoder.unseen_pairs``).
"""

import argparse
from collections.abc import Sequence
from dataclasses import asdict, replace
from pathlib import Path
from typing import Final

import numpy as np
from scipy.stats import t

from app.arrays import Float64s
from app.predictors import Model
from app.predictors.artifact import save_model
from app.predictors.evaluation import evaluate_predictions
from app.settings import Settings
from scripts.encoder.left_out import LABELS, LeftOutRows, PairRows, checksum_of, left_out_rows
from scripts.mlqe_pe.provenance import record_resources

__all__ = ["train_any_pair"]

# Pairs differ more than segments of a pair. Intervals are wide enough for a new pair with this probability, if new pairs are drawn
# like the shipped ones.
CONFIDENCE: Final = 0.8
COVERAGE: Final = 0.9


def train_any_pair(data: LeftOutRows, models: Path) -> list[str]:
    """Write a predictor of each label, and return lines about them.

    Intervals are calibrated on dev rows of every pair, with predictions of models without that pair.
    """
    predictions_of: list[list[tuple[Float64s, Float64s]]] = [[] for _ in LABELS]
    for pair, row in enumerate(data.rows):
        for pair_model, label_predictions in zip(data.without(pair), predictions_of, strict=True):
            mean, variance = pair_model.regressor.predict(pair_model.standardise(row.dev_values))
            label_predictions.append(
                (mean * pair_model.label_scale + pair_model.label_centre, np.sqrt(variance) * pair_model.label_scale)
            )
    lines = []
    for label, predictions in zip(LABELS, predictions_of, strict=True):
        raw_model = data.predictor_of(label)
        model = _calibrated(raw_model, data.rows, predictions, [row.dev.labels(label) for row in data.rows])
        save_model(model, models / raw_model.card.id)
        accuracy = model.card.accuracy
        rows = accuracy["left_out"].items()
        pairs = ", ".join(f"{pair} {row['pearson']:.3f} (holds {row['holds_90']:.3f})" for pair, row in rows)
        lines.append(f"models/{raw_model.card.id}: Pearson {accuracy['pearson']:.3f}: {pairs}")
    return lines


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


def main() -> None:
    """Read the command line and train."""
    settings = Settings()
    parser = argparse.ArgumentParser(prog="python -m scripts.encoder.any_pair", description=__doc__)
    parser.add_argument("data", type=Path, help="folder of the MLQE-PE data (or one with mlqe-pe in it)")
    parser.add_argument("--resources", type=Path, default=settings.resources_dir, help="folder of resources")
    parser.add_argument("--models", type=Path, default=settings.models_dir, help="folder of models, with the rows")
    arguments = parser.parse_args()
    print("\n".join(train_any_pair(left_out_rows(arguments.data, arguments.resources, arguments.models), arguments.models)))
    print(f"resources on {record_resources(arguments.resources, arguments.models)} cards")


if __name__ == "__main__":
    main()
