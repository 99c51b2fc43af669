"""Tuning as a whole: several runs of a method, each from a seed of its own, and what their weights are worth."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import partial

import numpy as np

from app.arrays import Float64s
from app.journal import SILENT, Journal, Share
from app.metrics.significance.resampling import Interval
from app.tuning.method import Outcome, Step, TuningData
from app.tuning.methods import parse_method
from app.tuning.pool import Pool
from app.tuning.scaling import spreads
from app.tuning.significance import chosen_scores
from app.tuning.weights import normalised, tidied

__all__ = ["Run", "Tuned", "chosen_interval", "filled", "start_of", "tune"]


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
class Tuned:
    """All runs in the order of their seeds, and the best of them on the pool that was tuned on.

    `first` and `start` are the scores of the decoder's first hypotheses and of what the start weights choose; `interval` is that of
    the best run's score. `units` (width,) are the spreads of the columns inside lists, in which weights are of one size. `constant`
    are features that are equal in every list: their weights could not be tuned, and stay.
    """

    method: str
    names: tuple[str, ...]
    runs: tuple[Run, ...]
    best: Run
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
) -> Tuned:
    """Run the method ``name|key:value`` of `spec` once a seed.

    `held_out` has the same columns and measures the weights of every run; it chooses nothing. `watch` is told each point of a
    seed's curve as soon as the method knows it. InputError where the method or the start weights cannot be.
    """
    method, settings = parse_method(spec)
    pool, start, units = data.pool, normalised(data.start), spreads(data.pool)
    varying = np.flatnonzero(pool.varying)
    narrow = replace(data, pool=pool.with_columns(varying), start=start_of(data.start[varying]))
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
    constant = tuple(dict.fromkeys(name for name, varies in zip(pool.names, pool.varying, strict=True) if not varies))
    return Tuned(
        spec,
        pool.names,
        tuple(runs),
        best,
        pool.score_of(pool.offsets[:-1]),
        pool.score(start),
        chosen_interval(pool, best.weights),
        units,
        constant,
    )


def chosen_interval(pool: Pool, weights: Float64s) -> Interval:
    """The interval of the corpus score of what weights choose, segments drawn anew."""
    return chosen_scores(pool.metric, pool.statistics[pool.chosen(weights)])[1]


def start_of(weights: Float64s) -> Float64s:
    """Start weights of the columns that vary; equal ones where all of these are 0."""
    return weights if weights.any() else np.ones(len(weights))


def filled(start: Float64s, varying: np.ndarray, weights: Float64s) -> Float64s:
    """Weights of all columns: what was tuned, on the scale that it had, and the others as they were."""
    out = start.copy()
    scale = np.abs(start[varying]).sum() or 1.0
    out[varying] = normalised(weights) * scale
    return out
