"""Learning curves of methods over segments, synthetic features, and sizes of lists."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType
from typing import Final

import numpy as np

from app.arrays import Float64s
from app.errors import InputError
from app.metrics.significance.resampling import bootstrap_scores, confidence_interval, resample_weights
from app.running.journal import SILENT, Journal, Share
from app.smt.tuning.method import TuningData
from app.smt.tuning.tune import tune
from benchmarks.smt.protocols.measured_lists import MeasuredLists
from benchmarks.smt.protocols.runs import check_columns, choices
from benchmarks.smt.protocols.synthetic_features import with_synthetic_features

__all__ = ["AXES", "LearningPoint", "learning_curve"]

DRAWS: Final = 1000
SEED: Final = 12345


@dataclass(frozen=True)
class LearningPoint:
    """Mean scores of a method over seeds at one amount: segments, synthetic features or hypotheses per list.

    `dev` is the score on the tuning set, which changes its size in a curve by segments. `deviation` is the deviation of the test
    score over seeds, None for one seed. `low` and `high` bound the mean test score, by resampled segments.
    """

    axis: str
    method: str
    amount: int
    dev: float
    test: float
    deviation: float | None
    low: float
    high: float


# Both sets, at one amount and seed.
ListPair = tuple[MeasuredLists, MeasuredLists]


def _by_segments(dev: MeasuredLists, test: MeasuredLists, amount: int, seed: int, signal: float) -> ListPair:
    """Draw segments by seed; a larger amount contains the segments of a smaller one."""
    order = np.random.default_rng(seed).permutation(len(dev.pool))
    return dev.rows(np.sort(order[:amount])), test


def _by_features(dev: MeasuredLists, test: MeasuredLists, amount: int, seed: int, signal: float) -> ListPair:
    """Draw features for both sets by seed; a larger amount contains the features of a smaller one."""
    return with_synthetic_features(dev, amount, seed, 0, signal), with_synthetic_features(test, amount, seed, 1, signal)


def _by_size(dev: MeasuredLists, test: MeasuredLists, amount: int, seed: int, signal: float) -> ListPair:
    """Shorten the lists of the tuning set only."""
    return dev.first(amount), test


AXES: Final[Mapping[str, Callable[[MeasuredLists, MeasuredLists, int, int, float], ListPair]]] = MappingProxyType(
    {"segments": _by_segments, "features": _by_features, "size": _by_size}
)


def learning_curve(
    dev: MeasuredLists,
    test: MeasuredLists,
    start: Float64s,
    methods: Sequence[str],
    axis: str,
    amounts: Sequence[int],
    seeds: Sequence[int],
    signal: float = 0.0,
    journal: Journal = SILENT,
) -> list[LearningPoint]:
    """Return the points of every method by ascending amount; InputError for an unknown axis or empty arguments.

    New features start with weights of 0: without any move of them, choices do not change.
    """
    check_columns(dev, test)
    if axis not in AXES:
        raise InputError("invalid-request", f"learning curves are by {', '.join(AXES)}", ("axis",))
    if not methods or not seeds or not amounts or min(amounts) < (0 if axis == "features" else 1):
        raise InputError("invalid-request", "a learning curve needs methods, seeds and amounts above 0", ("amounts",))
    maximum = {"segments": len(dev.pool), "size": int(dev.pool.lengths.max()), "features": max(amounts)}[axis]
    sizes = sorted({min(amount, maximum) for amount in amounts})
    points = []
    for number, amount in enumerate(sizes):
        list_pairs = [AXES[axis](dev, test, amount, seed, signal) for seed in seeds]
        for place, method in enumerate(methods):
            begin = (number + place / len(methods)) / len(sizes)
            share = Share(journal, begin, begin + 1 / (len(sizes) * len(methods)))
            points.append(_point(axis, amount, method, list_pairs, start, seeds, share))
    return sorted(points, key=lambda point: (methods.index(point.method), point.amount))


def _point(
    axis: str, amount: int, method: str, list_pairs: Sequence[ListPair], start: Float64s, seeds: Sequence[int], journal: Journal
) -> LearningPoint:
    statistics, dev_scores = {}, []
    for number, (seed, (dev, test)) in enumerate(zip(seeds, list_pairs, strict=True)):
        share = Share(journal, number / len(seeds), (number + 1) / len(seeds))
        begin = np.concatenate([start, np.zeros(dev.pool.features.width - len(start))])
        tuning = tune(TuningData(dev.pool, begin), method, [seed], journal=share)
        dev_scores.append(tuning.best.score)
        statistics[str(number)] = test.pool.statistics[choices(test.pool, tuning)[0]]
    metric = list_pairs[0][1].pool.metric
    scores = np.array([metric.score(rows.sum(0)[None])[0] for rows in statistics.values()])
    resampled_scores = bootstrap_scores(metric, statistics, resample_weights(len(list_pairs[0][1].pool), DRAWS, SEED))
    interval = confidence_interval(np.mean(list(resampled_scores.values()), axis=0))
    return LearningPoint(
        axis,
        method,
        amount,
        float(np.mean(dev_scores)),
        float(scores.mean()),
        float(scores.std(ddof=1)) if len(scores) > 1 else None,
        interval.low,
        interval.high,
    )
