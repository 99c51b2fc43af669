"""Training one predictor: standardise, learn, calibrate on held-out rows, measure, write the card."""

from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import asdict, replace
from datetime import UTC, datetime
from importlib.metadata import PackageNotFoundError, version
from typing import Any, Final

import numpy as np
from threadpoolctl import threadpool_limits

from app.arrays import Float64s
from app.predictors.artifact import SCHEMA_VERSION, Card, Model, standardise
from app.predictors.distribution import Distribution
from app.predictors.evaluation import evaluate_predictions
from app.predictors.gaussian.warping import Warped, fixed_warp
from app.predictors.labels import Label, label_named
from app.predictors.learners import parse_learner
from app.predictors.regressor import Regressor
from app.predictors.training.data import Found, Progress, Standardised, TrainingSet
from app.predictors.training.gaussian import train_blend, train_gaussian_process
from app.predictors.training.regressions import train_lasso, train_ridge, train_trees
from app.predictors.training.support_vectors import train_support_vectors
from app.predictors.uncertainty import cross_conformal

__all__ = ["train_model"]

Trainer = Callable[[Standardised, Mapping[str, Any], int, Progress], tuple[Regressor, Found]]
TRAINERS: Final[Mapping[str, Trainer]] = {
    "gp": train_gaussian_process,
    "svr": train_support_vectors,
    "ridge": train_ridge,
    "lasso": train_lasso,
    "trees": train_trees,
    "blend": train_blend,
}
FEWEST_ROWS: Final = 20
SOFTWARE: Final = ("numpy", "scipy", "scikit-learn", "GPy")


def _silent(what: str, share: float) -> None:
    return


def train_model(
    train: TrainingSet,
    held_out: TrainingSet,
    pair: str,
    label: str,
    feature_set: str,
    features: Sequence[str],
    learner: str,
    licence: str = "unknown",
    seed: int = 12345,
    created: str | None = None,
    model_id: str | None = None,
    threads: int = 1,
    parent: Model | None = None,
    progress: Progress = _silent,
) -> Model:
    """Train on `train`; choose and calibrate on `held_out`. Deterministic for one seed and one number of BLAS `threads`.

    `learner` is a name with options, as ``gp|kernel:matern52``. InputError where rows are too few, not finite or all of one
    label, and for unknown learners and labels.
    """
    kind = label_named(label)
    name, options = parse_learner(learner)
    train.check(len(features), max(FEWEST_ROWS, len(features) + 2))
    held_out.check(len(features), FEWEST_ROWS)
    centre, scale = train.values.mean(0), train.values.std(0)
    scale = np.where(scale > 0, scale, 1.0)
    label_centre, label_scale = float(train.labels.mean()), float(train.labels.std())
    x, held_x = standardise(train.values, centre, scale), standardise(held_out.values, centre, scale)
    y, held_y = (train.labels - label_centre) / label_scale, (held_out.labels - label_centre) / label_scale
    # More threads would add up in another order, and give another file.
    with threadpool_limits(limits=threads):
        regressor, found = _learn(Standardised(x, y, held_x, held_y), train.labels, kind, name, options, seed, progress)
        mean, variance = regressor.predict(held_x)
    calibration = np.sort(np.abs(held_y - mean) / np.sqrt(variance))
    card = Card(
        SCHEMA_VERSION,
        model_id or f"{pair}-{label}-{name}-{len(features)}",
        pair,
        label,
        kind.unit,
        kind.direction,
        feature_set,
        tuple(features),
        name,
        found,
        {"name": train.name, "segments": len(train.labels), "sha256": train.checksum, "features": train.note},
        {},
        created or datetime.now(UTC).date().isoformat(),
        {**_versions(), "blas_threads": str(threads)},
        licence,
        parent.card.id if parent else None,
        parent.card.version + 1 if parent else 1,
    )
    seen = Distribution.of(train.values)
    model = Model(card, regressor, centre, scale, label_centre, label_scale, calibration, seen)
    return replace(model, card=replace(card, accuracy=_measure(model, held_out)))


def _versions() -> dict[str, str]:
    """Of the packages that can have a part in a training, those that are installed."""
    versions = {}
    for package in SOFTWARE:
        with suppress(PackageNotFoundError):
            versions[package] = version(package)
    return versions


def _learn(
    data: Standardised, labels: Float64s, kind: Label, name: str, options: Mapping[str, Any], seed: int, progress: Progress
) -> tuple[Regressor, Found]:
    """Learn the labels, or what a fixed warp makes of them."""
    wanted = options["warp"]
    if wanted == "auto":
        wanted = kind.warp
    if wanted in ("none", "tanh"):
        regressor, found = TRAINERS[name](data, {**options, "warp": wanted}, seed, progress)
        return regressor, {**found, "warp": wanted}
    warp = fixed_warp(wanted, labels, kind.lowest, kind.highest)
    warped = replace(data, y=warp.forward(data.y), held_y=warp.forward(data.held_y))
    regressor, found = TRAINERS[name](warped, {**options, "warp": "none"}, seed, progress)
    return Warped(regressor, warp), {**found, "warp": wanted}


def _measure(model: Model, held_out: TrainingSet) -> dict[str, Any]:
    """Accuracy on the held-out rows, and what their intervals would hold when each tenth is left out of the calibration."""
    accuracy = evaluate_predictions(held_out.labels, model.predict(held_out.values).mean, model.label.higher_is_better)
    coverage = cross_conformal(model, held_out.values, held_out.labels)
    return {"data": held_out.name, "sha256": held_out.checksum, **asdict(accuracy), "intervals": [row.__dict__ for row in coverage]}
