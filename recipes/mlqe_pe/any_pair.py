"""Predictors for pairs that nothing was built for: trained on all pairs together, judged and calibrated on each pair left out."""

import hashlib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Final

import numpy as np

from app.arrays import Float64s
from app.features import feature_set
from app.predictors import Model
from app.predictors.artifact import save_model
from app.predictors.evaluation import evaluate_predictions
from app.predictors.sentences import Judge
from app.predictors.sentences.fitting import JudgeFitting
from app.predictors.sentences.kernel import Inputs
from app.predictors.sentences.model import LABELS
from app.predictors.training import TrainingSet, train_model
from app.resources.manifest import checksum
from app.text.languages import ANY_PAIR, LanguagePair
from recipes.mlqe_pe.everything import CREATED, LICENCE, Split

__all__ = ["PairRows", "train_any_pair"]

SET: Final = "any-pair"
SEED: Final = 12345
# Training rows of each pair: more of them are more of the same pairs, and other pairs are what is to be answered for.
ROWS: Final = 1500
# Pairs differ more than segments of one pair do: intervals are widened until those of the worst pair hold so much.
LEAST: Final = 0.8
WIDENED: Final = tuple(1 + step / 100 for step in range(100))


@dataclass(frozen=True)
class PairRows:
    """Features of a pair by id: of training rows and, `held`, of dev rows."""

    pair: LanguagePair
    ids: tuple[str, ...]
    values: Float64s
    held: Float64s
    train: Split
    dev: Split


def train_any_pair(
    rows: Sequence[PairRows], fitting: JudgeFitting, judge: Judge, held: Sequence[Inputs], models: Path, tell: Callable[[str], None]
) -> None:
    """Write a predictor of each label.

    What the judge says of a training row is said by one that has seen no row of its pair, as it will be of pairs to come. Intervals
    are calibrated on dev rows of every pair, each predicted by a model and a judge that have seen nothing of it.
    """
    names = [feature.id for feature in feature_set(SET).features if feature.id in rows[0].ids]
    columns = [rows[0].ids.index(name) for name in names]
    places = [names.index(f"enc.{label}") for label in LABELS]
    chosen = [np.sort(np.random.default_rng(SEED).permutation(len(row.values))[:ROWS]) for row in rows]
    points = [fitting.kernel.points(part) for part in held]

    def of_pair(pair: int, never: set[int]) -> Float64s:
        """Training rows of a pair, judged without it and without the pairs `never`."""
        values = rows[pair].values[chosen[pair]][:, columns].copy()
        weights = fitting.weights(lambda other, _: other not in never | {pair})
        values[:, places] = fitting.predict(weights, pair, fitting.points[pair][chosen[pair]], False)
        return values

    def of_dev(pair: int) -> Float64s:
        values = rows[pair].held[:, columns].copy()
        values[:, places] = fitting.predict(fitting.weights(lambda other, _: other != pair), pair, points[pair], False)
        return values

    everything = range(len(rows))
    nested = {pair: [of_pair(other, {pair}) for other in everything if other != pair] for pair in everything}
    all_rows, dev = np.concatenate([of_pair(pair, set()) for pair in everything]), [of_dev(pair) for pair in everything]
    sums = {name: _checksum([getattr(row, name) for row in rows]) for name in ("train", "dev")}
    for label in LABELS:
        gold = [row.train.labels(label)[places_of] for row, places_of in zip(rows, chosen, strict=True)]
        held_gold = [row.dev.labels(label) for row in rows]
        found: list[tuple[Float64s, Float64s]] = []
        for pair, row in enumerate(rows):
            others = [gold[other] for other in everything if other != pair]
            given = np.concatenate(nested[pair]), np.concatenate(others), dev[pair], held_gold[pair]
            model = _fit(*given, label, names, row.dev, sums)
            mean, variance = model.regressor.predict(model.standardise(dev[pair]))
            found.append((mean * model.label_scale + model.label_centre, np.sqrt(variance) * model.label_scale))
        final = _fit(all_rows, np.concatenate(gold), np.concatenate(dev), np.concatenate(held_gold), label, names, None, sums)
        calibrated = _calibrated(final, rows, found, held_gold)
        save_model(calibrated, models / final.card.id)
        tell(f"models/{final.card.id}: {calibrated.card.accuracy}")


def _checksum(splits: Sequence[Split]) -> str:
    """SHA-256 of the SHA-256 of files."""
    return hashlib.sha256("".join(checksum(split.path) for split in splits).encode()).hexdigest()


def _fit(
    values: Float64s,
    labels: Float64s,
    held: Float64s,
    held_labels: Float64s,
    label: str,
    names: Sequence[str],
    dev: Split | None,
    sums: Mapping[str, str],
) -> Model:
    return train_model(
        TrainingSet(values, labels, "mlqe-pe, all pairs", sums["train"], "judged by one that has not seen the row's pair"),
        TrainingSet(held, held_labels, "mlqe-pe, all pairs" if dev is None else dev.name, sums["dev"]),
        pair=ANY_PAIR,
        label=label,
        feature_set=SET,
        features=names,
        learner="blend",
        licence=LICENCE,
        created=CREATED,
    )


Found = Sequence[tuple[Float64s, Float64s]]


def _calibrated(model: Model, rows: Sequence[PairRows], predicted: Found, gold: Sequence[Float64s]) -> Model:
    """With what was measured on pairs left out, and intervals so wide that they hold enough of the worst of them."""
    residuals = [(labels - mean) / std for (mean, std), labels in zip(predicted, gold, strict=True)]
    widened = next(factor for factor in WIDENED if min(_holds(model, predicted, gold, residuals, factor, 0.9)[0]) >= LEAST)
    all_residuals = np.sort(np.concatenate(residuals)) * widened
    model = replace(model, calibration=np.sort(np.abs(all_residuals)), residuals=all_residuals)
    measured = [
        asdict(evaluate_predictions(labels, model.interval(mean, std, 0.9).mean, model.label.higher_is_better))
        for (mean, std), labels in zip(predicted, gold, strict=True)
    ]
    holds = {coverage: _holds(model, predicted, gold, residuals, widened, coverage) for coverage in (0.8, 0.9, 0.95)}
    entry = {
        "data": "mlqe-pe dev, each pair by a model that has not seen it",
        "sha256": _checksum([row.dev for row in rows]),
        "segments": sum(row["segments"] for row in measured),
        **{name: float(np.mean([row[name] for row in measured])) for name in measured[0] if name != "segments"},
        "intervals": [
            {"coverage": coverage, "measured": float(np.mean(inside)), "width": float(np.mean(widths))}
            for coverage, (inside, widths) in holds.items()
        ],
        "widened": widened,
        "left_out": {
            str(row.pair): {"pearson": of_pair["pearson"], "spearman": of_pair["spearman"], "holds_90": inside, "width_90": width}
            for row, of_pair, inside, width in zip(rows, measured, *holds[0.9], strict=True)
        },
    }
    return replace(model, card=replace(model.card, accuracy=entry))


def _holds(
    model: Model, predicted: Found, gold: Sequence[Float64s], residuals: Sequence[Float64s], factor: float, coverage: float
) -> tuple[list[float], list[float]]:
    """The share that intervals of each pair hold, and their mean width, calibrated on the other pairs and widened."""
    inside, widths = [], []
    for number, ((mean, std), labels) in enumerate(zip(predicted, gold, strict=True)):
        others = np.abs(np.concatenate([part for k, part in enumerate(residuals) if k != number])) * factor
        interval = replace(model, calibration=np.sort(others)).interval(mean, std, coverage)
        inside.append(float(((labels >= interval.low) & (labels <= interval.high)).mean()))
        widths.append(float((interval.high - interval.low).mean()))
    return inside, widths
