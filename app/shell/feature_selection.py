"""Choosing among features by labelled segments (`assay models select-features`)."""

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

import numpy as np

from app.arrays import Float64s
from app.engine.feature_choice import usual_feature_set
from app.operations.features import FeaturesRequest, operation
from app.operations.parts.label_values import check_labels
from app.predictors import Label
from app.predictors.training import TrainingSet, split_held_out
from app.predictors.training.selection import Curve, select_features
from app.resources.manifest import checksum
from app.shell.here import ModelsHere, engine_here, limits_here, settings_here
from app.shell.languages import languages
from app.shell.local_jobs import LocalJob, local_job
from app.shell.requests import make_request
from app.shell.segments import segments_of
from app.text.reading.tables import Table
from app.text.side_information import kinds_in

__all__ = ["FeatureSelection", "selection_curve"]

HELD_OUT: Final = 0.3


@dataclass(frozen=True)
class FeatureSelection:
    """Fields of a selection: `method` ranks features, and `learner` measures the ranking.

    Without `feature_set`, the largest set that fits the columns is ranked.
    """

    pair: str
    label: Label
    method: str
    learner: str
    seed: int
    feature_set: str | None = None


def selection_curve(selection: FeatureSelection, table: Table, values: Sequence[float], path: Path) -> Curve:
    """Rank the features of a set by the labels of a table, which lies at `path`."""
    engine, labels = engine_here(), np.array(values, np.float64)
    check_labels(selection.label, labels.tolist(), path.name)
    feature_set = selection.feature_set or usual_feature_set(kinds_in(table.columns), len(table))
    request = make_request(FeaturesRequest, **languages(selection.pair), feature_set=feature_set, segments=segments_of(table))
    operation.check(request, limits_here())
    with local_job(operation, engine, request, ModelsHere(settings_here().trained_models_dir)) as job:
        rows = TrainingSet(_values(job), labels, path.name, checksum(path))
        train, held_out = split_held_out(rows, HELD_OUT, selection.seed)
        # All selections share the job's features, but each has its own journal.
        with job.context(f"selection-{_digest(selection, labels)}") as context:
            return select_features(
                train, held_out, selection.pair, selection.label, job.params["features"], selection.method, selection.learner,
                selection.seed, context,
            )  # fmt: skip


def _values(job: LocalJob) -> Float64s:
    """The features of all rows; shape (n, k)."""
    names = job.params["features"]
    return np.array([[row["features"][name] for name in names] for output in job.outputs() for row in output["rows"]], np.float64)


def _digest(selection: FeatureSelection, labels: Float64s) -> str:
    return hashlib.sha256(repr(selection).encode() + labels.tobytes()).hexdigest()[:16]
