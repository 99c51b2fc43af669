"""Assessment of candidate translations by one model, by a model for each system, or by several models together.

Shah and Specia (2014) select translations by individual models of systems. The system is known (a candidate has its system's
model), or it is not (the mean of all models).
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from app.arrays import Float64s, Int64s
from app.checks import SegmentWarning
from app.engine.segments import Assessment, Options, Segments
from app.errors import InputError
from app.predictors import Model

__all__ = ["JointAssessment", "ModelChoice", "assess_candidates", "check_alike", "rows_of_models"]

# Ids of models whose mean counts (None is the best model), or ids by system.
ModelChoice = Sequence[str | None] | Mapping[str, str]
Assess = Callable[[Segments, str | None, Options], Assessment]


@dataclass(frozen=True)
class JointAssessment:
    """Assessments of n candidates by models, each with the rows that it assessed, and the mean and deviation of each row; (n,)."""

    assessments: tuple[tuple[Assessment, Int64s], ...]
    mean: Float64s
    std: Float64s

    @property
    def models(self) -> list[Model]:
        """Models that assessed some candidate."""
        return [assessment.model for assessment, _ in self.assessments]

    @property
    def warnings(self) -> list[tuple[SegmentWarning, ...]] | None:
        """Warnings of each candidate, by the first model that assessed it; None without checks."""
        if all(assessment.warnings is None for assessment, _ in self.assessments):
            return None
        warnings: list[tuple[SegmentWarning, ...]] = [()] * len(self.mean)
        for assessment, rows in self.assessments:
            for row, row_warnings in zip(rows.tolist(), assessment.warnings or (), strict=assessment.warnings is not None):
                warnings[row] = row_warnings
        return warnings

    @property
    def error_mask(self) -> list[bool]:
        """Mask of the candidates with an error."""
        return [any(warning.severity == "error" for warning in row) for row in self.warnings or [()] * len(self.mean)]

    @property
    def truncated(self) -> frozenset[int]:
        """JointAssessment that some model read only in part."""
        return frozenset(int(rows[row]) for assessment, rows in self.assessments for row in assessment.truncated)

    def intervals(self) -> list[tuple[float, float] | None]:
        """Interval of each candidate by its model; None for the mean of several models, whose errors nothing has measured."""
        intervals: list[tuple[float, float] | None] = [None] * len(self.mean)
        counts = np.zeros(len(self.mean))
        for assessment, rows in self.assessments:
            counts[rows] += 1
            prediction = assessment.prediction
            for row, low, high in zip(rows.tolist(), prediction.low.tolist(), prediction.high.tolist(), strict=True):
                intervals[row] = (low, high) if counts[row] == 1 else None
        return intervals

    def scores_of_models(self) -> list[dict[str, float]]:
        """Score of each candidate by every model that assessed it."""
        scores: list[dict[str, float]] = [{} for _ in range(len(self.mean))]
        for assessment, rows in self.assessments:
            for row, score in zip(rows.tolist(), assessment.prediction.mean.tolist(), strict=True):
                scores[row][assessment.model.card.id] = score
        return scores


def rows_of_models(systems: Sequence[str], models: ModelChoice) -> dict[str | None, Int64s]:
    """Rows of `systems` (n,) that each model assesses.

    With ids by system, a model assesses the rows of its systems, and all models assess the rows of further systems.
    """
    if not isinstance(models, Mapping):
        return {name: np.arange(len(systems)) for name in dict.fromkeys(models)}
    model_of_row = [models.get(system) for system in systems]
    rows: dict[str | None, Int64s] = {
        name: np.flatnonzero([model in (None, name) for model in model_of_row]) for name in dict.fromkeys(models.values())
    }
    return {name: part for name, part in rows.items() if len(part)}


def check_alike(models: Sequence[Model]) -> None:
    """InputError unless all models predict one label on one scale."""
    first = models[0]
    rival = next((model for model in models if model.label != first.label), None)
    if rival is not None:
        detail = (
            f"models that select together predict one label on one scale; {first.card.id} predicts {first.card.label}, "
            f"{rival.card.id} {rival.card.label}{' on another scale' if rival.card.label == first.card.label else ''}"
        )
        raise InputError("invalid-request", detail, ("models",))


def assess_candidates(
    segments: Segments, systems: Sequence[str], models: ModelChoice, options: Options, assess: Assess
) -> JointAssessment:
    """Assess candidates (n) of `systems` by several models."""
    n, mask = len(systems), np.zeros(len(systems), np.bool_)
    assessments = []
    for name, rows in rows_of_models(systems, models).items():
        # Checks of a candidate are the matter of one model.
        part_options = options if not mask[rows].all() else replace(options, warnings=False)
        mask[rows] = True
        part = Segments(segments.pair, [segments.sources[k] for k in rows], [segments.translations[k] for k in rows])
        assessments.append((assess(part, name, part_options), rows))
    mean, variance, counts = np.zeros(n), np.zeros(n), np.zeros(n)
    for assessment, rows in assessments:
        mean[rows] += assessment.prediction.mean
        counts[rows] += 1
    mean /= counts
    for assessment, rows in assessments:
        # An equal mixture of models: their mean variance, and the variance of their means.
        variance[rows] += (assessment.prediction.std**2 + (assessment.prediction.mean - mean[rows]) ** 2) / counts[rows]
    return JointAssessment(tuple(assessments), mean, np.sqrt(variance))
