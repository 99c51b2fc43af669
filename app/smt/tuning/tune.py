"""Tuning: runs of a method with different seeds, and the scores of their weights."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Final

import numpy as np
from threadpoolctl import threadpool_limits

from app.arrays import Float64s
from app.metrics.significance.resampling import Interval
from app.running.journal import SILENT, Journal, Share
from app.smt.tuning.method import IterationScore, TuningData, TuningOutcome
from app.smt.tuning.methods import parse_method
from app.smt.tuning.pool import TuningPool
from app.smt.tuning.significance import chosen_scores
from app.smt.tuning.spreads import spreads
from app.smt.tuning.weights import column_labels, normalised, tidied

__all__ = ["BEST", "MEAN", "Run", "RunSelection", "TuningRuns", "chosen_interval", "filled", "mean_of_runs", "start_of", "tune"]

# Result of several runs: the best run, or the mean.
BEST: Final = "best"
MEAN: Final = "mean"


# Start weights are normalised if all are smaller than the first, or one is larger than the second.
LEAST_START: Final = 1e-12
LARGEST_START: Final = 1e12


@dataclass(frozen=True, eq=False)
class Run:
    """Result of one seed: weights as they are written (width,), their corpus score, and the method's outcome."""

    seed: int
    weights: Float64s
    score: float
    outcome: TuningOutcome
    held_out: float | None = None

    @property
    def curve(self) -> Sequence[IterationScore]:
        """The tuning curve."""
        return self.outcome.curve


@dataclass(frozen=True, eq=False)
class RunSelection:
    """Result of all runs: weights as they are written, their score, and their held-out score; a mean has no `seed`."""

    weights: Float64s
    score: float
    held_out: float | None
    seed: int | None


@dataclass(frozen=True, eq=False)
class TuningRuns:
    """All runs in the order of their seeds, the best run on the tuning pool, and the result `selection`.

    `first` and `start` are the scores of the decoder's first hypotheses and of the start weights; `interval` belongs to the score
    of `selection`. `units` (width,) are the spreads of columns within lists. `constant` names features that are equal within every
    list (with their component number, if there are several): their weights keep the start values.
    """

    method: str
    names: tuple[str, ...]
    runs: tuple[Run, ...]
    best: Run
    take: str
    selection: RunSelection
    first: float
    start: float
    interval: Interval
    units: Float64s
    constant: tuple[str, ...]


def tune(
    data: TuningData,
    spec: str,
    seeds: Sequence[int] = (1,),
    held_out: TuningPool | None = None,
    journal: Journal = SILENT,
    watch: Callable[[int, IterationScore], None] = lambda seed, step: None,
    take: str = BEST,
) -> TuningRuns:
    """Run the method ``name|key:value`` of `spec` for each seed, and take the best run or the mean (`mean_of_runs`).

    `held_out` has the same columns; it measures every run and decides nothing. `watch` receives each point of a seed's curve at
    once. InputError for an unknown method or unusable start weights.
    """
    method, settings = parse_method(spec)
    pool, start, units = data.pool, normalised(data.start), spreads(data.pool)
    varying = np.flatnonzero(pool.varying)
    labels = column_labels(pool.names)
    narrow = replace(
        data,
        pool=pool.with_columns(varying),
        start=start_of(_in_reach(data.start)[varying]),
        labels=tuple(labels[k] for k in varying.tolist()),
    )
    runs = []
    for number, seed in enumerate(seeds):
        share = Share(journal, number / len(seeds), (number + 1) / len(seeds))
        if len(varying):
            run_data = replace(narrow, watch=partial(watch, seed))
            # Several threads cost several times as much for products of small matrices: they wait for each other.
            with threadpool_limits(1, "blas"):
                outcome = method.tune(run_data, settings, np.random.default_rng(seed), share)
            weights = tidied(filled(start, varying, outcome.weights), units)
        else:
            outcome, weights = TuningOutcome(start), tidied(start, units)
        runs.append(Run(seed, weights, pool.score(weights), outcome, None if held_out is None else held_out.score(weights)))
    best = runs[0]
    for run in runs[1:]:
        best = run if pool.better(run.score, best.score) else best
    constant = tuple(label for label, varies in zip(labels, pool.varying, strict=True) if not varies)
    selection = RunSelection(best.weights, best.score, best.held_out, best.seed)
    if take == MEAN and len(varying):
        weights = tidied(filled(start, varying, mean_of_runs([run.weights[varying] for run in runs], units[varying])), units)
        selection = RunSelection(weights, pool.score(weights), None if held_out is None else held_out.score(weights), None)
    return TuningRuns(
        spec,
        pool.names,
        tuple(runs),
        best,
        take,
        selection,
        pool.score_of(pool.offsets[:-1]),
        pool.score(start),
        chosen_interval(pool, selection.weights),
        units,
        constant,
    )


def mean_of_runs(runs: Sequence[Float64s], units: Float64s) -> Float64s:
    """Return the mean of the runs' weights (width,), each scaled to absolute effects that sum to 1.

    Scaling by absolute weights would fail: a large weight of a nearly constant feature would shrink all others.
    """
    rows = [weights / max(float(np.abs(weights * units).sum()), 1e-300) for weights in runs]
    return np.asarray(np.mean(rows, axis=0))


def chosen_interval(pool: TuningPool, weights: Float64s) -> Interval:
    """Return the interval of the corpus score of weights, by resampled segments."""
    return chosen_scores(pool.metric, pool.statistics[pool.best_hypotheses(weights)])[1]


def _in_reach(weights: Float64s) -> Float64s:
    """Return the weights, normalised if their squares or quotients could overflow."""
    return weights if LEAST_START <= np.abs(weights).max() <= LARGEST_START else normalised(weights)


def start_of(weights: Float64s) -> Float64s:
    """Return start weights of varying columns; equal weights if all are 0."""
    return weights if weights.any() else np.ones(len(weights))


def filled(start: Float64s, varying: np.ndarray, weights: Float64s) -> Float64s:
    """Return weights of all columns: tuned ones at their former scale, and unchanged ones."""
    out = start.copy()
    scale = np.abs(start[varying]).sum() or 1.0
    out[varying] = normalised(weights) * scale
    return out
