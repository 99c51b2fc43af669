"""The interface of a tuning method: its options, its data and its result."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, TypeAlias

import numpy as np

from app.arrays import Float64s
from app.running.journal import Journal
from app.smt.tuning.pool import TuningPool
from app.smt.tuning.work import ListSizes, Settings, work_of_step
from app.text.reading.options import Option

__all__ = ["IterationScore", "Settings", "Tuner", "TuningData", "TuningMethod", "TuningOutcome"]


@dataclass(frozen=True)
class IterationScore:
    """One point of a tuning curve: the corpus score on the tuning pool after an iteration (0: the start)."""

    iteration: int
    score: float


@dataclass(frozen=True, eq=False)
class TuningOutcome:
    """Result of a method: weights (width,) of any scale, the tuning curve, and counts for the report."""

    weights: Float64s
    curve: Sequence[IterationScore] = ()
    notes: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, eq=False)
class TuningData:
    """Input of a method.

    Every column of `pool` varies within some list. `start` (width,) are the start weights, not all 0. `sources` are the source
    texts of the pool's segments, `texts` the texts of its hypotheses; both are optional. A method calls `watch` with each new point
    of its curve. `labels` name the columns in notes; by default the feature names do.
    """

    pool: TuningPool
    start: Float64s
    sources: Sequence[str] | None = None
    references: Sequence[Sequence[str]] = ()
    texts: Sequence[str] | None = None
    watch: Callable[[IterationScore], None] = lambda step: None
    labels: tuple[str, ...] = ()


# A function of data, options, the run's random generator and the journal; equal seeds give equal bytes.
Tuner: TypeAlias = Callable[[TuningData, Settings, np.random.Generator, Journal], TuningOutcome]


@dataclass(frozen=True)
class TuningMethod:
    """A tuning method; requests and weights files use its `name` with options: ``mert|restarts:20``.

    A `Tuner` calls `report` of its journal every few hundredths of a second; the call raises after a cancellation. Steps of
    seconds go through `recall`: a killed run resumes there. `source` cites the papers.
    `work` estimates the feature values that one run reads; a tuning above the limit is refused.
    """

    name: str
    title: str
    options: Mapping[str, Option]
    tune: Tuner
    source: str
    work: Callable[[Settings, ListSizes], float] = work_of_step
