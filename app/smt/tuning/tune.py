"""Tuning as a whole: several runs of a method, each from a seed of its own, and what their weights are worth."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Final

import numpy as np

from app.arrays import Float64s
from app.metrics.significance.resampling import Interval
from app.running.journal import SILENT, Journal, Share
from app.smt.tuning.method import Outcome, Step, TuningData
from app.smt.tuning.methods import parse_method
from app.smt.tuning.pool import Pool
from app.smt.tuning.scaling import spreads
from app.smt.tuning.significance import chosen_scores
from app.smt.tuning.weights import column_labels, normalised, tidied

__all__ = ["BEST", "MEAN", "Run", "Taken", "Tuned", "chosen_interval", "filled", "mean_of_runs", "start_of", "tune"]

# What is taken of several runs.
BEST: Final = "best"
MEAN: Final = "mean"


# Start weights that are all smaller, or one of which is larger, are normalised.
LEAST_START: Final = 1e-12
LARGEST_START: Final = 1e12


@dataclass(frozen=True, eq=False)
class Run:
    """What one seed gave: weights as they are written (width,), the corpus score of what these choose, and the way there."""

    seed: int
    weights: Float64s
    score: float
    outcome: Outcome
    held_out: float | None = None

    @property
    def curve(self) -> Sequence[Step]:
        """The tuning curve."""
        return self.outcome.curve


@dataclass(frozen=True, eq=False)
class Taken:
    """The result of all runs: weights as they are written, their score, and on what is held out; `seed` is None of a mean."""

    weights: Float64s
    score: float
    held_out: float | None
    seed: int | None


@dataclass(frozen=True, eq=False)
class Tuned:
    """All runs in the order of their seeds, the best of them on the pool that was tuned on, and what was `taken` of them.

    `first` and `start` are the scores of the decoder's first hypotheses and of what the start weights choose; `interval` is that of
    the score of what was taken. `units` (width,) are the spreads of the columns inside lists, in which weights are of one size.
    `constant` are features that are equal in every list: their weights could not be tuned, and stay. Of a feature with
    several components, each that is equal is named with its number.
    """

    method: str
    names: tuple[str, ...]
    runs: tuple[Run, ...]
    best: Run
    take: str
    taken: Taken
    first: float
    start: float
    interval: Interval
    units: Float64s
    constant: tuple[str, ...]


def tune(
    data: TuningData,
    spec: str,
    seeds: Sequence[int] = (1,),
    held_out: Pool | None = None,
    journal: Journal = SILENT,
    watch: Callable[[int, Step], None] = lambda seed, step: None,
    take: str = BEST,
) -> Tuned:
    """Run the method ``name|key:value`` of `spec` once a seed, and take the best run or the mean of all (`mean_of_runs`).

    `held_out` has the same columns and measures the weights of every run; it chooses nothing. `watch` is told each point of a
    seed's curve as soon as the method knows it. InputError where the method or the start weights cannot be.
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
            watched = replace(narrow, watch=partial(watch, seed))
            outcome = method.tune(watched, settings, np.random.default_rng(seed), share)
            weights = tidied(filled(start, varying, outcome.weights), units)
        else:
            outcome, weights = Outcome(start), tidied(start, units)
        runs.append(Run(seed, weights, pool.score(weights), outcome, None if held_out is None else held_out.score(weights)))
    best = runs[0]
    for run in runs[1:]:
        best = run if pool.better(run.score, best.score) else best
    constant = tuple(label for label, varies in zip(labels, pool.varying, strict=True) if not varies)
    taken = Taken(best.weights, best.score, best.held_out, best.seed)
    if take == MEAN and len(varying):
        weights = tidied(filled(start, varying, mean_of_runs([run.weights[varying] for run in runs], units[varying])), units)
        taken = Taken(weights, pool.score(weights), None if held_out is None else held_out.score(weights), None)
    return Tuned(
        spec,
        pool.names,
        tuple(runs),
        best,
        take,
        taken,
        pool.score_of(pool.offsets[:-1]),
        pool.score(start),
        chosen_interval(pool, taken.weights),
        units,
        constant,
    )


def mean_of_runs(runs: Sequence[Float64s], units: Float64s) -> Float64s:
    """The mean of weights (width,) that do equally much: those of each run are scaled so that absolute effects sum to 1.

    Weights whose absolute values sum to 1 would not do: where one of a feature that hardly varies is large, all others are small.
    """
    scaled = [weights / max(float(np.abs(weights * units).sum()), 1e-300) for weights in runs]
    return np.asarray(np.mean(scaled, axis=0))


def chosen_interval(pool: Pool, weights: Float64s) -> Interval:
    """The interval of the corpus score of what weights choose, segments drawn anew."""
    return chosen_scores(pool.metric, pool.statistics[pool.chosen(weights)])[1]


def _in_reach(weights: Float64s) -> Float64s:
    """Weights as they were given; normalised where squares or quotients of them would be no numbers any more."""
    return weights if LEAST_START <= np.abs(weights).max() <= LARGEST_START else normalised(weights)


def start_of(weights: Float64s) -> Float64s:
    """Start weights of the columns that vary; equal ones where all of these are 0."""
    return weights if weights.any() else np.ones(len(weights))


def filled(start: Float64s, varying: np.ndarray, weights: Float64s) -> Float64s:
    """Weights of all columns: what was tuned, on the scale that it had, and the others as they were."""
    out = start.copy()
    scale = np.abs(start[varying]).sum() or 1.0
    out[varying] = normalised(weights) * scale
    return out
