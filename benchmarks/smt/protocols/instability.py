"""Optimiser instability: gains beside their spread over seeds (Clark et al. 2011, MultEval).

Every method runs from several seeds. A table has means, and deviations over runs and over resampled segments. Its p-values are by
approximate randomisation over all runs at once.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np

from app.arrays import Float64s
from app.errors import InputError
from app.metrics import RunSummary
from app.metrics.significance.paired_tests import randomisation_draws
from app.metrics.significance.resampling import Interval, bootstrap_scores, confidence_interval, resample_weights
from app.metrics.significance.runs import summarise_runs
from app.running.journal import SILENT, Journal
from app.smt.tuning.tune import TuningRuns
from benchmarks.smt.protocols.measured_lists import MeasuredLists
from benchmarks.smt.protocols.runs import FIRST, WeightSpread, check_columns, choices, tune_all, weight_spreads

__all__ = ["Instability", "InstabilityRow", "compare_runs", "measure_instability"]

DRAWS: Final = 1000
TRIALS: Final = 10_000
SEED: Final = 12345


@dataclass(frozen=True)
class InstabilityRow:
    """A method on one set by one metric: summary, lowest and highest run, and the interval of the mean over runs.

    The interval is by resampled segments; each resample is a mean over runs.
    """

    set: str
    summary: RunSummary
    lowest: float
    highest: float
    interval: Interval


@dataclass(frozen=True)
class Instability:
    """Rows of all methods and of the first hypotheses, and the spread of every method's weights."""

    baseline: str
    rows: tuple[InstabilityRow, ...]
    weights: tuple[WeightSpread, ...]


def measure_instability(
    dev: MeasuredLists,
    test: MeasuredLists,
    start: Float64s,
    methods: Sequence[str],
    seeds: Sequence[int],
    baseline: str = FIRST,
    journal: Journal = SILENT,
) -> Instability:
    """Tune on `dev` by its first metric; measure both sets by all metrics against `baseline`, a method or the first hypotheses."""
    check_columns(dev, test)
    if baseline not in (FIRST, *methods):
        raise InputError("invalid-tuning", f"the baseline is {FIRST}, or one of the methods", ("baseline",))
    tunings = tune_all(dev.pool, start, methods, seeds, journal)
    sets = {"dev": dev, "test": test}
    rows = [
        row
        for name, lists in sets.items()
        for metric in lists.metrics
        for row in compare_runs(name, lists, metric, tunings, baseline)
    ]
    return Instability(baseline, tuple(rows), tuple(weight_spreads(dev.pool, tunings)))


def compare_runs(
    set_name: str, lists: MeasuredLists, metric: str, tunings: Mapping[str, TuningRuns], baseline: str = FIRST
) -> list[InstabilityRow]:
    """Return the rows of a set by one metric, beginning with the first hypotheses."""
    pool = lists.by(metric)
    statistics = {FIRST: pool.statistics[pool.offsets[:-1]]}
    runs: dict[str, list[str]] = {FIRST: [FIRST]}
    for method, result in tunings.items():
        runs[method] = []
        for number, choice in enumerate(choices(pool, result), 1):
            name = f"{method} {number}"
            runs[method].append(name)
            statistics[name] = pool.statistics[choice]
    draws = resample_weights(len(pool), DRAWS, SEED)
    trials = randomisation_draws(TRIALS, len(pool), SEED)
    resampled_scores = bootstrap_scores(pool.metric, statistics, draws)
    summaries = summarise_runs(metric, pool.metric, statistics, runs, baseline, draws, trials)
    rows = []
    for summary in summaries:
        scores = [float(pool.metric.score(statistics[name].sum(0)[None])[0]) for name in summary.runs]
        interval = confidence_interval(np.mean([resampled_scores[name] for name in summary.runs], axis=0))
        rows.append(InstabilityRow(set_name, summary, min(scores), max(scores), interval))
    return rows
