"""The grid of Srivastava's thesis, chapter 3: lists of several sizes, rescored towards the oracles of two metrics in two ways."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np

from app.arrays import Float64s, Int64s
from app.errors import InputError
from app.metrics import Metric
from app.metrics.significance.paired_tests import paired_bootstrap
from app.metrics.significance.resampling import bootstrap_scores, resample_weights
from app.running.deadline import check_deadline
from app.smt.lists.diagnosis.oracles import attains, oracles
from app.smt.tuning.rescoring import mean_features, rescored_by_product, rescored_by_sum
from benchmarks.smt.protocols.measured_lists import MeasuredLists
from benchmarks.smt.protocols.movement import Movement, order_by, positions

__all__ = ["SIZES", "WAYS", "Grid", "GridRow", "best_systems", "run_grid"]

# The thesis' sizes; sizes beyond the longest list are equal.
SIZES: Final = (100, 250, 500, 750, 1000, 2500, 5000)
WAYS: Final = {"prod": rescored_by_product, "sum": rescored_by_sum}
BASELINE: Final = "baseline"
DRAWS: Final = 1000
SEED: Final = 12345


@dataclass(frozen=True)
class GridRow:
    """One system on one set with lists of one size.

    `scores` are corpus scores by metric, `on_top` shares of segments with the oracle first, by oracle metric. `p_value` is by
    paired bootstrap against the baseline, for the first metric. `movement` is that of the oracles of the system's own metric. The
    baseline has neither.
    """

    set: str
    size: int
    system: str
    scores: Mapping[str, float]
    on_top: Mapping[str, float]
    p_value: float | None = None
    movement: Movement | None = None


@dataclass(frozen=True)
class Grid:
    """All rows, and the weights of every rescored system by its size and name."""

    rows: tuple[GridRow, ...]
    weights: Mapping[tuple[int, str], Float64s]


def run_grid(
    dev: MeasuredLists,
    sets: Mapping[str, MeasuredLists],
    weights: Float64s,
    oracle_metrics: Sequence[str],
    sizes: Sequence[int],
    step: float = 1.0,
) -> Grid:
    """Move `weights` (width,) by the oracles of `dev` for every size, and apply them to all `sets`, without tuning on these.

    The baseline is the first hypothesis of every list. InputError for an unmeasured oracle metric.
    """
    for metric in oracle_metrics:
        if metric not in dev.metrics:
            raise InputError("invalid-request", "oracles are chosen by a metric that is measured", ("oracle_metrics",))
    longest = int(max(lists.pool.lengths.max() for lists in (dev, *sets.values())))
    rows: list[GridRow] = []
    weights_of: dict[tuple[int, str], Float64s] = {}
    draws = {name: resample_weights(len(lists.pool), DRAWS, SEED) for name, lists in sets.items()}
    for size in sorted({min(size, longest) for size in sizes}):
        systems = dict(_rescored(dev.first(size), weights, oracle_metrics, step))
        weights_of |= {(size, system): vector for system, (_, vector) in systems.items()}
        for name, lists in sets.items():
            check_deadline()
            rows += _of_set(name, size, lists.first(size), systems, oracle_metrics, draws[name])
    return Grid(tuple(rows), weights_of)


def _rescored(
    dev: MeasuredLists, weights: Float64s, oracle_metrics: Sequence[str], step: float
) -> Iterator[tuple[str, tuple[str, Float64s]]]:
    """Yield the name, the oracle metric and the moved weights of every way and oracle metric."""
    pool = dev.pool
    for metric in oracle_metrics:
        means = mean_features(pool, oracles(dev.gains(metric), pool.offsets), pool.offsets[:-1])
        for way, rescore in WAYS.items():
            yield f"{way} {metric}", (metric, rescore(weights, means, step))


def _of_set(
    name: str,
    size: int,
    lists: MeasuredLists,
    systems: Mapping[str, tuple[str, Float64s]],
    oracle_metrics: Sequence[str],
    draws: np.ndarray,
) -> Iterator[GridRow]:
    pool, first = lists.pool, lists.pool.offsets[:-1]
    gains = {metric: lists.gains(metric) for metric in oracle_metrics}
    leading = next(iter(lists.metrics))

    def on_top(selection: Int64s) -> dict[str, float]:
        return {metric: float(attains(values, pool.offsets, selection).mean()) for metric, values in gains.items()}

    yield GridRow(name, size, BASELINE, lists.scores(first), on_top(first))
    baseline = lists.statistics[leading][first]
    for system, (metric, weights) in systems.items():
        scores = pool.features @ weights
        selection = oracles(scores, pool.offsets)
        best = oracles(gains[metric], pool.offsets)
        after = positions(order_by(scores, pool.offsets), pool.offsets)[best]
        p_value = _p_value(lists.metrics[leading], baseline, lists.statistics[leading][selection], draws)
        movement = Movement.between(best - pool.offsets[:-1] + 1, after)
        yield GridRow(name, size, system, lists.scores(selection), on_top(selection), p_value, movement)


def best_systems(rows: Sequence[GridRow], metric: str, higher_is_better: bool, digits: int = 2) -> list[str]:
    """Best systems of the rows of one set and size by a metric, with all ties in `digits` digits."""
    sign = 1 if higher_is_better else -1
    scores = [sign * round(row.scores[metric], digits) for row in rows]
    return [row.system for row, score in zip(rows, scores, strict=True) if score == max(scores)]


def _p_value(metric: Metric, baseline: Float64s, system: Float64s, draws: np.ndarray) -> float:
    """P-value of a difference of corpus scores, by paired bootstrap."""
    scores = bootstrap_scores(metric, {"baseline": baseline, "system": system}, draws)
    difference = metric.score(np.stack([baseline.sum(0), system.sum(0)]))
    return paired_bootstrap(float(difference[1] - difference[0]), scores["system"] - scores["baseline"], len(baseline))
