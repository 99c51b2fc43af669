"""Passes of a tuning method over a text, each with the score of its translations."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Generic, TypeVar

from app.arrays import Float64s
from app.metrics import Metric

__all__ = ["TuningPass", "TuningPasses", "best_pass", "outperforms"]


@dataclass(frozen=True, eq=False)
class TuningPass:
    """Weights after a pass, the score of their translations, and `counts` for the record."""

    weights: Float64s
    score: float
    counts: Mapping[str, int | float | None]


Pass = TypeVar("Pass", bound=TuningPass)


@dataclass(frozen=True, eq=False)
class TuningPasses(Generic[Pass]):
    """All passes, the first with the initial weights, the best of them, and `notes` about the whole run for the record."""

    passes: tuple[Pass, ...]
    best: Pass
    notes: Mapping[str, Any] = field(default_factory=dict)


def outperforms(metric: Metric, candidate: TuningPass, rival: TuningPass) -> bool:
    """Return True if the candidate has a better score than the rival."""
    return candidate.score > rival.score if metric.higher_is_better else candidate.score < rival.score


def best_pass(passes: Sequence[Pass], metric: Metric) -> Pass:
    """Return the pass with the best score, the first of equal ones."""
    best = passes[0]
    for candidate in passes[1:]:
        best = candidate if outperforms(metric, candidate, best) else best
    return best
