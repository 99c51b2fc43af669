"""Predictors for pairs that nothing was built for: trained on all pairs together, judged and calibrated on each pair left out."""

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
from scripts.mlqe_pe.left_out import LeftOut, PairRows, checksum_of

__all__ = ["train_any_pair"]

# Pairs differ more than segments of one pair do: intervals are so wide that with this probability a pair to come, which is drawn as
# those that ship were, would itself need none wider.
SURE: Final = 0.8
COVERAGE: Final = 0.9


def train_any_pair(left_out: LeftOut, models: Path, tell: Callable[[str], None]) -> None:
    """Write a predictor of each label.

    What the judge and the network say of a training row is said by ones that have seen no row of its pair, as it will be of pairs
    to come. Intervals are calibrated on dev rows of every pair, each predicted by those that have seen nothing of it.
    """
    rows = left_out.rows
    found: list[list[tuple[Float64s, Float64s]]] = [[] for _ in LABELS]
    for pair in range(len(rows)):
        dev = left_out.of_dev(pair)
        for model, of_label in zip(left_out.without(pair), found, strict=True):
            mean, variance = model.regressor.predict(model.standardise(dev))
            of_label.append((mean * model.label_scale + model.label_centre, np.sqrt(variance) * model.label_scale))
    for label, predicted in zip(LABELS, found, strict=True):
        final = left_out.together(label)
        calibrated = _calibrated(final, rows, predicted, [left_out.labels(pair, label)[1] for pair in range(len(rows))])
        save_model(calibrated, models / final.card.id)
        tell(f"models/{final.card.id}: {calibrated.card.accuracy}")


Found = Sequence[tuple[Float64s, Float64s]]


def _calibrated(model: Model, rows: Sequence[PairRows], predicted: Found, gold: Sequence[Float64s]) -> Model:
    """With what was measured on pairs left out, and intervals that are widened for what pairs differ."""
    residuals = [(labels - mean) / std for (mean, std), labels in zip(predicted, gold, strict=True)]
    widened = _widened(residuals)
    all_residuals = np.sort(np.concatenate(residuals)) * widened
    model = replace(model, calibration=np.sort(np.abs(all_residuals)), residuals=all_residuals)
    measured = [
        asdict(evaluate_predictions(labels, model.interval(mean, std, 0.9).mean, model.label.higher_is_better))
        for (mean, std), labels in zip(predicted, gold, strict=True)
    ]
    holds = {coverage: _holds(model, predicted, gold, residuals, coverage) for coverage in (0.8, COVERAGE, 0.95)}
    entry = {
        "data": "mlqe-pe dev, each pair by a model that has not seen it",
        "sha256": checksum_of([row.dev for row in rows]),
        "segments": sum(row["segments"] for row in measured),
        **{name: float(np.mean([row[name] for row in measured])) for name in measured[0] if name != "segments"},
        "intervals": [
            {"coverage": coverage, "measured": float(np.mean(inside)), "width": float(np.mean(widths))}
            for coverage, (inside, widths) in holds.items()
        ],
        "widened": widened,
        "left_out": {
            str(row.pair): {"pearson": of_pair["pearson"], "spearman": of_pair["spearman"], "holds_90": inside, "width_90": width}
            for row, of_pair, inside, width in zip(rows, measured, *holds[COVERAGE], strict=True)
        },
    }
    return replace(model, card=replace(model.card, accuracy=entry))


def _widened(residuals: Sequence[Float64s]) -> float:
    """How much wider than those of all residuals together: what a next pair needs, as Student's t bounds it, by what all need."""
    needed = np.array([np.quantile(np.abs(part), COVERAGE) for part in residuals])
    count = len(needed)
    bound = needed.mean() + t.ppf(SURE, count - 1) * needed.std(ddof=1) * np.sqrt(1 + 1 / count)
    return max(1.0, float(bound / np.quantile(np.abs(np.concatenate(residuals)), COVERAGE)))


def _holds(
    model: Model, predicted: Found, gold: Sequence[Float64s], residuals: Sequence[Float64s], coverage: float
) -> tuple[list[float], list[float]]:
    """The share that intervals of each pair hold, and their mean width; calibrated and widened by the other pairs alone."""
    inside, widths = [], []
    for number, ((mean, std), labels) in enumerate(zip(predicted, gold, strict=True)):
        others = [part for k, part in enumerate(residuals) if k != number]
        calibration = np.sort(np.abs(np.concatenate(others))) * _widened(others)
        interval = replace(model, calibration=calibration).interval(mean, std, coverage)
        inside.append(float(((labels >= interval.low) & (labels <= interval.high)).mean()))
        widths.append(float((interval.high - interval.low).mean()))
    return inside, widths
