"""Cards of trained models, with their measurements."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, replace
from datetime import UTC, datetime
from importlib.metadata import version

import numpy as np

from app.arrays import Float64s
from app.predictors.artifact import SCHEMA_VERSION
from app.predictors.coverage import cross_conformal
from app.predictors.distribution import Distribution
from app.predictors.evaluation import evaluate_grades, evaluate_predictions
from app.predictors.labels import Label
from app.predictors.learner import HyperParameters
from app.predictors.model import Card, Model
from app.predictors.prediction import grades_of
from app.predictors.regressor import Regressor
from app.predictors.training.data import Standardisation, TrainingSet

__all__ = ["calibrated_model", "measured", "new_card", "software"]


def software(packages: Iterable[str], threads: int) -> dict[str, str]:
    """Versions of the packages of the training, and the number of BLAS threads."""
    return {**{package: version(package) for package in packages}, "blas_threads": str(threads)}


def new_card(
    *,
    card_id: str,
    pair: str,
    label: Label,
    feature_set: str,
    features: Sequence[str],
    learner: str,
    hyper_parameters: HyperParameters,
    rows: TrainingSet,
    software: Mapping[str, str],
    licence: str,
    created: str | None = None,
    parent: Card | None = None,
) -> Card:
    """The card of a model trained on `rows`, dated `created` or today, without accuracy."""
    return Card(
        schema_version=SCHEMA_VERSION,
        id=card_id,
        pair=pair,
        label=label.name,
        unit=label.unit,
        direction=label.direction,
        feature_set=feature_set,
        features=tuple(features),
        learner=learner,
        hyper_parameters=hyper_parameters,
        training_data={"name": rows.name, "segments": len(rows.labels), "sha256": rows.checksum, "features": rows.note},
        accuracy={},
        created=created or datetime.now(UTC).date().isoformat(),
        software=software,
        licence=licence,
        parent=parent.id if parent else None,
        version=parent.version + 1 if parent else 1,
        scale=label.scale,
    )


def calibrated_model(
    card: Card, regressor: Regressor, scaling: Standardisation, train: TrainingSet, held_out: TrainingSet
) -> Model:
    """The model with its intervals calibrated on the held-out rows, and its accuracy there in the card."""
    mean, variance = regressor.predict(scaling.features(held_out.values))
    residuals = np.sort((scaling.scaled_labels(held_out.labels) - mean) / np.sqrt(variance))
    model = Model(
        card, regressor, scaling.centre, scaling.scale, scaling.label_centre, scaling.label_scale,
        np.sort(np.abs(residuals)), Distribution.of(train.values), residuals=residuals,
    )  # fmt: skip
    return measured(model, held_out, held_out.name, model.predict(held_out.values).mean, regressor)


def measured(model: Model, rows: TrainingSet, data: str, predicted: Float64s, regressor: Regressor) -> Model:
    """The model with its accuracy on `rows` in its card: of `predicted` (n,), and of intervals around means of `regressor`.

    The card of a label with grades has the accuracy of each grade too, if all labels are grades.
    """
    accuracy = evaluate_predictions(rows.labels, predicted, model.label.higher_is_better)
    measured_model, classes = replace(model, regressor=regressor), model.label.classes
    intervals = cross_conformal(measured_model, rows.values, rows.labels)
    entry = {"data": data, "sha256": rows.checksum, **asdict(accuracy), "intervals": [asdict(row) for row in intervals]}
    if classes and (grades := evaluate_grades(rows.labels, grades_of(measured_model.predict(rows.values), classes), classes)):
        entry["grades"] = [asdict(row) for row in grades]
    return replace(model, card=replace(model.card, accuracy=entry))
