"""The system-level protocol of Srivastava's thesis (§3.6, §4.5): weights against the decoder's choice, by several metrics.

Rows have corpus scores on every set, shares of segments with an oracle on top (OBLEU and OMET for sBLEU and METEOR), and a paired
bootstrap by every metric. An insignificant change counts as none.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np

from app.arrays import Float64s, Int64s
from app.errors import InputError
from app.metrics import Metric
from app.metrics.significance.paired_tests import paired_bootstrap
from app.metrics.significance.resampling import Interval, bootstrap_scores, confidence_interval, resample_weights
from app.running.deadline import check_deadline
from app.smt.lists.diagnosis.oracles import attains
from benchmarks.smt.protocols.measured_lists import MeasuredLists

__all__ = ["BASELINE", "SIGNIFICANT", "Best", "Measurement", "SystemRow", "best_by_metric", "measure_systems"]

BASELINE: Final = "baseline"
SIGNIFICANT: Final = 0.05
DRAWS: Final = 1000
SEED: Final = 12345


@dataclass(frozen=True)
class Measurement:
    """A system's corpus score by one metric, its 95 % interval, and its paired bootstrap against the baseline.

    `verdict` is ``better``, ``worse`` or, without a significant difference, ``equal``; the baseline has neither p-value nor
    verdict. `equals_best` is True if the system is the set's best, or not significantly worse.
    """

    score: float
    interval: Interval
    p_value: float | None
    verdict: str | None
    equals_best: bool


@dataclass(frozen=True)
class SystemRow:
    """A system on a set: its measurement by each metric, and the share of oracles on top by each oracle metric."""

    set: str
    system: str
    measured: Mapping[str, Measurement]
    on_top: Mapping[str, float]


@dataclass(frozen=True)
class Best:
    """Best systems of a set by a metric, with ties in the printed digits, and all systems that are not significantly worse."""

    set: str
    metric: str
    best: tuple[str, ...]
    not_worse: tuple[str, ...]


def measure_systems(
    sets: Mapping[str, MeasuredLists], systems: Mapping[str, Float64s], oracle_metrics: Sequence[str]
) -> list[SystemRow]:
    """Rows of every set; the baseline, the first hypotheses, comes first. `systems` are weights (width,).

    InputError for an unmeasured oracle metric or a system with the baseline's name.
    """
    if BASELINE in systems:
        raise InputError("invalid-request", f"{BASELINE} is what the first hypotheses are called", ("systems",))
    rows = []
    for name, lists in sets.items():
        if not set(oracle_metrics) <= lists.metrics.keys():
            raise InputError("invalid-request", "oracles are chosen by a metric that is measured", ("oracle_metrics",))
        selections = {
            BASELINE: lists.pool.offsets[:-1],
            **{system: lists.pool.best_hypotheses(weights) for system, weights in systems.items()},
        }
        measurements = {metric: _measurements(lists, metric, selections) for metric in lists.metrics}
        gains = {metric: lists.gains(metric) for metric in oracle_metrics}
        for system, hypotheses in selections.items():
            on_top = {metric: float(attains(values, lists.pool.offsets, hypotheses).mean()) for metric, values in gains.items()}
            rows.append(SystemRow(name, system, {metric: cells[system] for metric, cells in measurements.items()}, on_top))
    return rows


def _measurements(lists: MeasuredLists, metric: str, selections: Mapping[str, Int64s]) -> dict[str, Measurement]:
    """Measurements of all systems by one metric, against the baseline and against the best system."""
    pool = lists.by(metric)
    check_deadline()
    statistics = {system: pool.statistics[hypotheses] for system, hypotheses in selections.items()}
    resampled_scores = bootstrap_scores(pool.metric, statistics, resample_weights(len(pool), DRAWS, SEED))
    scores = {system: pool.score_of(hypotheses) for system, hypotheses in selections.items()}
    sign = 1.0 if pool.metric.higher_is_better else -1.0
    best = max(scores, key=lambda system: sign * scores[system])

    def p_value(system: str, rival: str) -> float:
        return paired_bootstrap(scores[system] - scores[rival], resampled_scores[system] - resampled_scores[rival], len(pool))

    cells = {}
    for system, score in scores.items():
        p = None if system == BASELINE else p_value(system, BASELINE)
        equals = score == scores[best] or p_value(system, best) > SIGNIFICANT
        verdict = None if p is None else _verdict(sign * (score - scores[BASELINE]), p)
        cells[system] = Measurement(score, confidence_interval(resampled_scores[system]), p, verdict, equals)
    return cells


def _verdict(gain: float, p_value: float) -> str:
    if p_value > SIGNIFICANT or gain == 0:
        return "equal"
    return "better" if gain > 0 else "worse"


def best_by_metric(rows: Sequence[SystemRow], metrics: Mapping[str, Metric], digits: int = 2) -> list[Best]:
    """Best systems of every set by every metric, with ties in `digits` digits, two more for scores below 1."""
    out = []
    for name in dict.fromkeys(row.set for row in rows):
        set_rows = [row for row in rows if row.set == name]
        for metric, definition in metrics.items():
            sign = 1 if definition.higher_is_better else -1
            largest = max(abs(row.measured[metric].score) for row in set_rows)
            places = digits + 2 if largest < 1 else digits
            scores = np.array([sign * round(row.measured[metric].score, places) for row in set_rows])
            best = tuple(row.system for row, score in zip(set_rows, scores, strict=True) if score == scores.max())
            out.append(Best(name, metric, best, tuple(row.system for row in set_rows if row.measured[metric].equals_best)))
    return out
