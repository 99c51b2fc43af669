"""Models of several tasks: language pairs, annotators, systems or domains.

One Gaussian process learns them together (Beck et al. 2014, SHEF-Lite 2.0). Features and labels are standardised within each task,
so that tasks share functions, not units. Each task is exported as a process of its own, which is served like any other. Any
learner learns them apart: individual models (Shah and Specia 2014).
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np
from threadpoolctl import threadpool_limits

from app.errors import InputError
from app.predictors.labels import Label, label_named
from app.predictors.learner import HyperParameters
from app.predictors.learners import parse_learner
from app.predictors.learners.gp.evidence import TaskRows
from app.predictors.learners.gp.fitting import FitResult, FitSettings, fit_process
from app.predictors.model import Model
from app.predictors.training.cards import calibrated_model, new_card, software
from app.predictors.training.data import Standardisation, TrainingSet
from app.predictors.training.model import train_model
from app.running.journal import SILENT, Journal, Share

__all__ = ["LearningTask", "train_apart", "train_together"]

FEWEST_ROWS: Final = 20
PACKAGES: Final = ("numpy", "scipy")


@dataclass(frozen=True)
class LearningTask:
    """A task: name, language pair, training rows, and calibration rows."""

    name: str
    pair: str
    train: TrainingSet
    held_out: TrainingSet


def train_together(
    tasks: Sequence[LearningTask],
    label: str | Label,
    feature_set: str,
    features: Sequence[str],
    sharing: str = "combined",
    rank: int = 1,
    kernel: str = "rbf",
    inducing: int = 300,
    licence: str = "private",
    seed: int = 12345,
    created: str | None = None,
    journal: Journal = SILENT,
) -> dict[str, Model]:
    """A model for each task by its name. InputError for a task with unsuitable rows, and for fewer than two tasks."""
    kind = label_named(label) if isinstance(label, str) else label
    _check_names(tasks)
    for task in tasks:
        task.train.check(len(features), FEWEST_ROWS)
        task.held_out.check(len(features), 1 if len(task.held_out.labels) == 0 else 2)
    scalings = [Standardisation.of(task.train) for task in tasks]
    settings = FitSettings(kernel, True, inducing, sharing=sharing, rank=rank)
    models = {}
    with threadpool_limits(limits=1):
        fit_result = fit_process(_rows(tasks, scalings), settings, seed, len(tasks), journal)
        for place, (task, scaling) in enumerate(zip(tasks, scalings, strict=True)):
            card = new_card(
                card_id=_id_of(task, kind, "gp", features, tasks),
                pair=task.pair,
                label=kind,
                feature_set=feature_set,
                features=features,
                learner="gp",
                hyper_parameters=_hyper_parameters(fit_result, place, tasks, settings, seed),
                rows=task.train,
                software=software(PACKAGES, threads=1),
                licence=licence,
                created=created,
            )
            models[task.name] = calibrated_model(card, fit_result.process(place), scaling, task.train, task.held_out)
    return models


def train_apart(
    tasks: Sequence[LearningTask],
    label: str | Label,
    feature_set: str,
    features: Sequence[str],
    learner: str,
    licence: str = "private",
    seed: int = 12345,
    created: str | None = None,
    journal: Journal = SILENT,
) -> dict[str, Model]:
    """A model for each task by its name, learned from the rows of this task alone. InputError as `train_together`."""
    kind = label_named(label) if isinstance(label, str) else label
    _check_names(tasks)
    models, name = {}, parse_learner(learner)[0]
    for place, task in enumerate(tasks):
        models[task.name] = train_model(
            task.train,
            task.held_out,
            task.pair,
            kind,
            feature_set,
            features,
            learner,
            licence,
            seed,
            created,
            _id_of(task, kind, name, features, tasks),
            journal=Share(journal, place / len(tasks), (place + 1) / len(tasks), task.name),
        )
    return models


def _check_names(tasks: Sequence[LearningTask]) -> None:
    if len(tasks) < 2 or len({task.name for task in tasks}) < len(tasks):
        raise InputError("invalid-training-data", "several tasks are at least two tasks of different names")


def _id_of(task: LearningTask, label: Label, learner: str, features: Sequence[str], tasks: Sequence[LearningTask]) -> str:
    suffix = "" if task.name == task.pair else f"-{task.name}"
    return f"{task.pair}-{label.name}-{learner}-{len(features)}-of-{len(tasks)}{suffix}"


def _rows(tasks: Sequence[LearningTask], scalings: Sequence[Standardisation]) -> TaskRows:
    parts = [scaling.rows(task.train) for task, scaling in zip(tasks, scalings, strict=True)]
    task_of_row = np.repeat(np.arange(len(tasks)), [len(task.train.labels) for task in tasks])
    return TaskRows(np.vstack([x for x, _ in parts]), np.concatenate([y for _, y in parts]), task_of_row)


def _hyper_parameters(
    fit_result: FitResult, place: int, tasks: Sequence[LearningTask], settings: FitSettings, seed: int
) -> HyperParameters:
    process, shared = fit_result.process(place), fit_result.prior.tasks
    return {
        "kernel": process.kernel.name,
        "inducing_inputs": len(fit_result.inducing),
        "tasks": [task.name for task in tasks],
        "sharing": settings.sharing,
        "rank": settings.rank,
        "task_covariance": [] if shared is None else shared.matrix().tolist(),
        "noise_variance": process.noise_variance,
        "length_scales": process.kernel.hyper_parameters()["length_scales"],
        "log_marginal_likelihood_bound": fit_result.value,
        "seed": seed,
    }
