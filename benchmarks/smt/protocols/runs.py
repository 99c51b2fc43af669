"""Several methods, each run from several seeds, on lists measured by several metrics."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from app.arrays import Float64s, Int64s
from app.errors import InputError
from app.running.journal import SILENT, Journal, Share
from app.smt.tuning.method import TuningData
from app.smt.tuning.pool import TuningPool
from app.smt.tuning.spreads import effects, spreads
from app.smt.tuning.tune import TuningRuns, tune
from benchmarks.smt.protocols.measured_lists import MeasuredLists

__all__ = ["FIRST", "WeightSpread", "check_columns", "choices", "tune_all", "weight_spreads"]

# Name of the decoder's first hypotheses, the usual baseline.
FIRST = "first"


@dataclass(frozen=True)
class WeightSpread:
    """A feature's weight by one method over its runs: mean, deviation (None for one run), and the number of runs above 0.

    Absolute weights of a run sum to 1. `effect` is the weight times the feature's spread within lists; absolute effects also sum
    to 1. Effects do not depend on units. `component` counts from 1 among the columns of a feature.
    """

    method: str
    feature: str
    component: int
    mean: float
    deviation: float | None
    effect: float
    effect_deviation: float | None
    positive: int


def tune_all(
    pool: TuningPool, start: Float64s, methods: Sequence[str], seeds: Sequence[int], journal: Journal = SILENT
) -> dict[str, TuningRuns]:
    """Return all runs by the given method name; InputError for a repeated or unknown method."""
    if not methods or len(set(methods)) < len(methods) or FIRST in methods:
        raise InputError("invalid-tuning", "methods to compare are one or more, none of them twice", ("method",))
    data = TuningData(pool, start)
    tunings = {}
    for number, method in enumerate(methods):
        share = Share(journal, number / len(methods), (number + 1) / len(methods))
        tunings[method] = tune(data, method, seeds, journal=share)
    return tunings


def check_columns(dev: MeasuredLists, test: MeasuredLists) -> None:
    """Raise InputError if two sets differ in features or metrics."""
    if dev.pool.names != test.pool.names:
        raise InputError("missing-weights", "the lists that are tuned on have other features than those of the test", ("test",))
    if dev.statistics.keys() != test.statistics.keys():
        raise InputError("invalid-request", "both sets are measured by the same metrics", ("metrics",))


def choices(pool: TuningPool, tuning: TuningRuns) -> list[Int64s]:
    """Return the choices of every run's weights in a pool."""
    return [pool.best_hypotheses(run.weights) for run in tuning.runs]


def weight_spreads(pool: TuningPool, tunings: Mapping[str, TuningRuns]) -> Iterator[WeightSpread]:
    """Yield the spread of every method and feature, in order; `pool` is the tuning pool."""
    units = spreads(pool)
    for method, result in tunings.items():
        weights = np.stack([run.weights for run in result.runs])
        run_effects = effects(weights, units)
        counts = dict.fromkeys(result.names, 0)
        for k, name in enumerate(result.names):
            counts[name] += 1
            mean, deviation = _mean(weights[:, k])
            yield WeightSpread(
                method, name, counts[name], mean, deviation, *_mean(run_effects[:, k]), int((weights[:, k] > 0).sum())
            )


def _mean(values: Float64s) -> tuple[float, float | None]:
    """Return the mean, and the deviation of two or more values."""
    return float(values.mean()), float(values.std(ddof=1)) if len(values) > 1 else None
