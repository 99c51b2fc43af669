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

__all__ = ["BASELINE", "SIGNIFICANT", "Best", "Measured", "SystemRow", "best_by_metric", "measure_systems"]

BASELINE: Final = "baseline"
SIGNIFICANT: Final = 0.05
DRAWS: Final = 1000
SEED: Final = 12345


@dataclass(frozen=True)
class Measured:
    """A system's corpus score by one metric, its 95 % interval, and what a paired bootstrap against the baseline says.

    `verdict` is ``better``, ``worse`` or, where the difference is not significant, ``equal``; the baseline has neither p-value nor
    verdict. `equals_best` says whether the system is the set's best one, or was not shown to be worse than it.
    """

    score: float
    interval: Interval
    p_value: float | None
    verdict: str | None
    equals_best: bool


@dataclass(frozen=True)
class SystemRow:
    """One system on one set: by every metric what was measured, and by oracle metric the share of oracles on top."""

    set: str
    system: str
    measured: Mapping[str, Measured]
    on_top: Mapping[str, float]


@dataclass(frozen=True)
class Best:
    """The best systems of a set by a metric: those that tie in so many digits, and those that were not shown to be worse."""

    set: str
    metric: str
    best: tuple[str, ...]
    not_worse: tuple[str, ...]


def measure_systems(
    sets: Mapping[str, MeasuredLists], systems: Mapping[str, Float64s], oracle_metrics: Sequence[str]
) -> list[SystemRow]:
    """Rows of every set, the baseline first, which is what stands first in every list; `systems` are weights (width,).

    InputError where an oracle metric is not measured, or a system is called as the baseline is.
    """
    if BASELINE in systems:
        raise InputError("invalid-request", f"{BASELINE} is what the first hypotheses are called", ("systems",))
    rows = []
    for name, one in sets.items():
        if not set(oracle_metrics) <= one.metrics.keys():
            raise InputError("invalid-request", "oracles are chosen by a metric that is measured", ("oracle_metrics",))
        chosen = {
            BASELINE: one.pool.offsets[:-1],
            **{system: one.pool.best_hypotheses(weights) for system, weights in systems.items()},
        }
        measured = {metric: _measured(one, metric, chosen) for metric in one.metrics}
        gains = {metric: one.gains(metric) for metric in oracle_metrics}
        for system, hypotheses in chosen.items():
            on_top = {metric: float(attains(values, one.pool.offsets, hypotheses).mean()) for metric, values in gains.items()}
            rows.append(SystemRow(name, system, {metric: cells[system] for metric, cells in measured.items()}, on_top))
    return rows


def _measured(one: MeasuredLists, metric: str, chosen: Mapping[str, Int64s]) -> dict[str, Measured]:
    """All systems by one metric, against the baseline and against the best of them."""
    pool = one.by(metric)
    check_deadline()
    statistics = {system: pool.statistics[hypotheses] for system, hypotheses in chosen.items()}
    resampled = bootstrap_scores(pool.metric, statistics, resample_weights(len(pool), DRAWS, SEED))
    scores = {system: pool.score_of(hypotheses) for system, hypotheses in chosen.items()}
    sign = 1.0 if pool.metric.higher_is_better else -1.0
    best = max(scores, key=lambda system: sign * scores[system])

    def p_value(system: str, other: str) -> float:
        return paired_bootstrap(scores[system] - scores[other], resampled[system] - resampled[other], len(pool))

    cells = {}
    for system, score in scores.items():
        p = None if system == BASELINE else p_value(system, BASELINE)
        equals = score == scores[best] or p_value(system, best) > SIGNIFICANT
        verdict = None if p is None else _verdict(sign * (score - scores[BASELINE]), p)
        cells[system] = Measured(score, confidence_interval(resampled[system]), p, verdict, equals)
    return cells


def _verdict(gain: float, p_value: float) -> str:
    if p_value > SIGNIFICANT or gain == 0:
        return "equal"
    return "better" if gain > 0 else "worse"


def best_by_metric(rows: Sequence[SystemRow], metrics: Mapping[str, Metric], digits: int = 2) -> list[Best]:
    """The best systems of every set by every metric, with their ties in so many digits; in two more where scores are at most 1."""
    out = []
    for name in dict.fromkeys(row.set for row in rows):
        own = [row for row in rows if row.set == name]
        for metric, made in metrics.items():
            sign = 1 if made.higher_is_better else -1
            largest = max(abs(row.measured[metric].score) for row in own)
            rounded = digits + 2 if largest < 1 else digits
            scores = np.array([sign * round(row.measured[metric].score, rounded) for row in own])
            best = tuple(row.system for row, score in zip(own, scores, strict=True) if score == scores.max())
            out.append(Best(name, metric, best, tuple(row.system for row in own if row.measured[metric].equals_best)))
    return out
