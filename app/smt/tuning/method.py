"""What a method of tuning is: the options it takes, and how it finds weights."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, TypeAlias

import numpy as np

from app.arrays import Float64s
from app.running.journal import Journal
from app.smt.tuning.pool import Pool
from app.smt.tuning.work import ListSizes, Settings, work_of_step
from app.text.reading.options import Option

__all__ = ["Method", "Outcome", "Settings", "Step", "Tuner", "TuningData"]


@dataclass(frozen=True)
class Step:
    """One point of a tuning curve: the corpus score, on the pool that is tuned on, after so many iterations."""

    iteration: int
    score: float


@dataclass(frozen=True, eq=False)
class Outcome:
    """What a method found: weights (width,) of any scale, its curve, and counts of what happened, for the report."""

    weights: Float64s
    curve: Sequence[Step] = ()
    notes: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, eq=False)
class TuningData:
    """What a method sees.

    Every column of `pool` varies within a list; `start` (width,) are the weights to begin with, and not all of them are 0.
    `sources` are the segments' source texts, row by row of the pool, where they were given; `texts` the hypotheses' texts. `watch`
    is told each point of the curve as soon as it is there. `labels` are what notes call the columns, or else their names.
    """

    pool: Pool
    start: Float64s
    sources: Sequence[str] | None = None
    references: Sequence[Sequence[str]] = ()
    texts: Sequence[str] | None = None
    watch: Callable[[Step], None] = lambda step: None
    labels: tuple[str, ...] = ()


# Data, options, a random generator of the run's seed, and the journal, to weights; the same bytes for the same seed.
Tuner: TypeAlias = Callable[[TuningData, Settings, np.random.Generator, Journal], Outcome]


@dataclass(frozen=True)
class Method:
    """A method by the name that requests and weights files give it: ``mert|restarts:20``.

    A `Tuner` asks its journal (`report`) every few hundredths of a second of work, which raises where the job was cancelled. What
    takes seconds goes through `recall`, so that a killed run goes on where it was. `source` is where it is described.
    `work` estimates the feature values that one run reads; a tuning with too many is refused before it begins.
    """

    name: str
    title: str
    options: Mapping[str, Option]
    tune: Tuner
    source: str
    work: Callable[[Settings, ListSizes], float] = work_of_step
