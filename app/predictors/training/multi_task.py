"""One Gaussian process over several tasks: language pairs, annotators, systems or domains (Beck et al. 2014, SHEF-Lite 2.0).

Features and labels are standardised within each task, so that tasks share shapes, not units. Each task is exported as a process
of its own, which is served like any other.
"""

from collections.abc import Sequence
from dataclasses import asdict, dataclass, replace
from datetime import UTC, datetime
from importlib.metadata import version
from typing import Any

import numpy as np
from threadpoolctl import threadpool_limits

from app.arrays import Float64s
from app.errors import InputError
from app.predictors.artifact import SCHEMA_VERSION, Card, Model, standardise
from app.predictors.distribution import Distribution
from app.predictors.evaluation import evaluate_predictions
from app.predictors.gaussian.evidence import Rows
from app.predictors.gaussian.fitting import Fitted, Settings, fit_process
from app.predictors.labels import label_named
from app.predictors.training.data import Progress, TrainingSet
from app.predictors.uncertainty import cross_conformal

__all__ = ["Task", "train_together"]

FEWEST_ROWS = 20


@dataclass(frozen=True)
class Task:
    """One task: its name, language pair, rows to learn from, and rows to calibrate on."""

    name: str
    pair: str
    train: TrainingSet
    held_out: TrainingSet


@dataclass(frozen=True)
class _Units:
    """How a task's features and labels are standardised."""

    centre: Float64s
    scale: Float64s
    label_centre: float
    label_scale: float

    @classmethod
    def of(cls, rows: TrainingSet) -> "_Units":
        scale = rows.values.std(0)
        return cls(rows.values.mean(0), np.where(scale > 0, scale, 1.0), float(rows.labels.mean()), float(rows.labels.std()))


def train_together(
    tasks: Sequence[Task],
    label: str,
    feature_set: str,
    features: Sequence[str],
    sharing: str = "combined",
    rank: int = 1,
    kernel: str = "rbf",
    inducing: int = 300,
    licence: str = "private",
    seed: int = 12345,
    created: str | None = None,
    progress: Progress | None = None,
) -> dict[str, Model]:
    """A model for each task by its name. InputError where a task's rows cannot be learned from, or there are fewer than two."""
    kind = label_named(label)
    if len(tasks) < 2 or len({task.name for task in tasks}) < len(tasks):
        raise InputError("invalid-training-data", "learning together needs at least two tasks of different names")
    for task in tasks:
        task.train.check(len(features), FEWEST_ROWS)
        task.held_out.check(len(features), 1 if len(task.held_out.labels) == 0 else 2)
    units = [_Units.of(task.train) for task in tasks]
    settings = Settings(
        kernel, True, inducing, sharing=sharing, rank=rank,
        progress=lambda share: progress("optimising", share) if progress else None,
    )  # fmt: skip
    with threadpool_limits(limits=1):
        fitted = fit_process(_rows(tasks, units), settings, seed, len(tasks))
    day = created or datetime.now(UTC).date().isoformat()
    return {
        task.name: _model(task, place, tasks, fitted, units[place], kind.name, feature_set, features, settings, licence, seed, day)
        for place, task in enumerate(tasks)
    }


def _rows(tasks: Sequence[Task], units: Sequence[_Units]) -> Rows:
    x = np.vstack([standardise(task.train.values, unit.centre, unit.scale) for task, unit in zip(tasks, units, strict=True)])
    y = np.concatenate([(t.train.labels - u.label_centre) / u.label_scale for t, u in zip(tasks, units, strict=True)])
    return Rows(x, y, np.repeat(np.arange(len(tasks)), [len(task.train.labels) for task in tasks]))


def _model(
    task: Task,
    place: int,
    tasks: Sequence[Task],
    fitted: Fitted,
    unit: _Units,
    label: str,
    feature_set: str,
    features: Sequence[str],
    settings: Settings,
    licence: str,
    seed: int,
    created: str,
) -> Model:
    process = fitted.process(place)
    shared = fitted.prior.tasks
    found: dict[str, Any] = {
        "kernel": process.kernel.name,
        "inducing_inputs": len(fitted.inducing),
        "tasks": [each.name for each in tasks],
        "sharing": settings.sharing,
        "rank": settings.rank,
        "task_covariance": [] if shared is None else shared.matrix().tolist(),
        "noise_variance": process.noise_variance,
        "length_scales": process.kernel.hyper_parameters()["length_scales"],
        "log_marginal_likelihood_bound": fitted.value,
        "seed": seed,
    }
    kind = label_named(label)
    suffix = "" if task.name == task.pair else f"-{task.name}"
    card = Card(
        SCHEMA_VERSION,
        f"{task.pair}-{label}-gp-{len(features)}-of-{len(tasks)}{suffix}",
        task.pair,
        label,
        kind.unit,
        kind.direction,
        feature_set,
        tuple(features),
        "gp",
        found,
        {"name": task.train.name, "segments": len(task.train.labels), "sha256": task.train.checksum, "features": task.train.note},
        {},
        created,
        {**{package: version(package) for package in ("numpy", "scipy")}, "blas_threads": "1"},
        licence,
    )
    held = task.held_out
    mean, variance = process.predict(standardise(held.values, unit.centre, unit.scale))
    scores = np.sort(np.abs((held.labels - unit.label_centre) / unit.label_scale - mean) / np.sqrt(variance))
    seen = Distribution.of(task.train.values)
    model = Model(card, process, unit.centre, unit.scale, unit.label_centre, unit.label_scale, scores, seen)
    accuracy = evaluate_predictions(held.labels, model.predict(held.values).mean, kind.higher_is_better)
    intervals = [row.__dict__ for row in cross_conformal(model, held.values, held.labels)]
    measured = {"data": held.name, "sha256": held.checksum, **asdict(accuracy), "intervals": intervals}
    return replace(model, card=replace(card, accuracy=measured))
