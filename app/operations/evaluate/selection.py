"""Accuracy of translation selection among systems, in the answer of `evaluate`."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Annotated, Final, NotRequired, Protocol

import numpy as np
from pydantic import Field
from typing_extensions import TypedDict

from app.arrays import Float64s
from app.errors import InputError
from app.metrics import Metric, metrics_named
from app.operations.operation import Json
from app.operations.parts.limits import RequestLimits, check_count
from app.operations.parts.rounding import rounded
from app.planning.confidence import DIGITS
from app.planning.selection_accuracy import CandidatePool, accuracy_of
from app.predictors import Label
from app.text.reading.checking import check_segments

__all__ = ["SYSTEMS", "SelectionOf", "candidate_columns", "check_systems", "columns_of_systems", "have_systems", "selection_of"]

SYSTEMS: Final = "systems"
REFERENCES: Final = "references"
# Columns of a chunk that a selection needs.
COLUMNS: Final = ("sources", "translations", SYSTEMS, REFERENCES)
METRICS: Final = ("bleu", "chrf")


class JudgedCandidate(Protocol):
    """A segment of a request."""

    task: str | None
    reference: str | None


class Chooser(TypedDict):
    """A way to select: share of sources with the best label, mean label, and with references BLEU and chrF of the selection."""

    accuracy: float
    label: float
    bleu: NotRequired[float]
    chrf: NotRequired[float]


class SelectionOf(TypedDict):
    """Selections among the systems of each source; candidates that a chooser cannot tell apart share the source."""

    sources: Annotated[int, Field(description="Sources that at least two systems translated")]
    left_out: Annotated[int, Field(description="Segments of further sources")]
    models: Annotated[dict[str, Chooser], Field(description="Each model alone, for all systems")]
    blind: NotRequired[Annotated[Chooser, Field(description="The mean of several models, as for unknown systems")]]
    non_blind: NotRequired[Annotated[Chooser, Field(description="The model of each system; the mean for further systems")]]
    systems: Annotated[dict[str, Chooser], Field(description="Always this system, and chance where it has no translation")]
    best_system: Annotated[str, Field(description="The system with the best mean label here, known in hindsight only")]
    oracle: Annotated[Chooser, Field(description="The best label of each source")]
    chance: Annotated[Chooser, Field(description="The mean of all candidates of each source")]


def check_systems(
    segments: Sequence[JudgedCandidate], models: Sequence[str] | Mapping[str, str] | None, limits: RequestLimits
) -> None:
    """InputError for references without systems, and for models of systems without segments."""
    systems = dict.fromkeys(segment.task for segment in segments)
    if None in systems:
        if segments[0].reference is not None:
            detail = "a reference is for selections among systems; name the system of each segment as its task"
            raise InputError("missing-evidence", detail, ("segments", 0, "task"))
        systems = {}
    check_count(len(systems), limits.systems, ("segments",))
    if isinstance(models, Mapping) and (unknown := models.keys() - systems.keys()):
        raise InputError("invalid-job", f"no segment has the task {min(unknown)}", ("models",))
    references = [segment.reference or "" for segment in segments if segment.reference is not None]
    check_segments(references, limits.characters, ("segments",), "reference")


def columns_of_systems(segments: Sequence[JudgedCandidate]) -> Json:
    """Columns of a job's chunks for a selection; empty without systems."""
    if segments[0].task is None:
        return {}
    columns: Json = {SYSTEMS: [segment.task for segment in segments]}
    return columns if segments[0].reference is None else {**columns, REFERENCES: [segment.reference for segment in segments]}


def candidate_columns(chunk: Json) -> Json:
    """Columns of a chunk that the end of a job needs; empty without systems."""
    return {name: chunk[name] for name in COLUMNS if name in chunk} if SYSTEMS in chunk else {}


def have_systems(parts: Sequence[Json]) -> bool:
    """Return True if the parts of a job have what a selection needs."""
    return bool(parts) and SYSTEMS in parts[0]


def selection_of(
    parts: Sequence[Json], gold: Float64s, predicted: Mapping[str, Float64s], label: Label, models: Mapping[str, str]
) -> SelectionOf | None:
    """The member `selection` of an answer, None if no source has two systems.

    `predicted` are scores by model, (n,) each, and `models` the model of each system.
    """
    columns: dict[str, list[str]] = {name: [text for part in parts for text in part[name]] for name in COLUMNS if name in parts[0]}
    pool = CandidatePool.of(columns["sources"], columns[SYSTEMS], gold, label.higher_is_better)
    if not pool.sources:
        return None
    metrics = metrics_named(METRICS if REFERENCES in columns else ())
    statistics = _statistics(metrics, pool, columns)

    def chooser(selection: Float64s) -> Chooser:
        accuracy = accuracy_of(pool, selection, metrics, statistics)
        row: Chooser = {"accuracy": rounded(accuracy.accuracy), "label": rounded(accuracy.label)}
        if metrics:
            row["bleu"], row["chrf"] = rounded(accuracy.scores["bleu"]), rounded(accuracy.scores["chrf"])
        return row

    # Scores that answers show as equal are equal; equal texts can differ in the last bit.
    scores = {name: np.round(values[pool.rows], DIGITS) for name, values in predicted.items()}
    systems = {name: chooser(pool.of_system(name)) for name in dict.fromkeys(pool.systems)}
    best_system = (max if label.higher_is_better else min)(systems, key=lambda name: systems[name]["label"])
    answer: SelectionOf = {
        "sources": pool.sources,
        "left_out": len(gold) - len(pool.rows),
        "models": {name: chooser(pool.best(values, label.higher_is_better)) for name, values in scores.items()},
        "systems": systems,
        "best_system": best_system,
        "oracle": chooser(pool.oracle),
        "chance": chooser(pool.chance),
    }
    if len(scores) > 1:
        blind = np.asarray(np.round(sum(scores.values(), np.zeros(len(pool.rows))) / len(scores), DIGITS))
        answer["blind"] = chooser(pool.best(blind, label.higher_is_better))
        if models:
            answer["non_blind"] = chooser(pool.best(_scores_by_system(pool.systems, scores, blind, models), label.higher_is_better))
    return answer


def _scores_by_system(
    systems: Iterable[str], scores: Mapping[str, Float64s], mean: Float64s, models: Mapping[str, str]
) -> Float64s:
    """Score of each candidate by the model of its system, or the mean."""
    return np.array([scores[models[name]][k] if name in models else mean[k] for k, name in enumerate(systems)])


def _statistics(metrics: Mapping[str, Metric], pool: CandidatePool, columns: Mapping[str, list[str]]) -> dict[str, Float64s]:
    """Statistics (n, s) of the candidates against their references."""
    if not metrics:
        return {}
    references, translations = ([columns[name][row] for row in pool.rows] for name in (REFERENCES, "translations"))
    return {name: metric.prepare([references]).statistics_of_systems([translations])[0] for name, metric in metrics.items()}
