"""Exact line search: the corpus score of every interval between two changes of choice (Och 2003)."""

from dataclasses import dataclass
from typing import Final, Protocol

import numpy as np

from app.arrays import Float64s
from app.metrics.lexical.bleu import Bleu
from app.smt.tuning.mert.bleu_kernels import bleu_along
from app.smt.tuning.mert.envelope_kernels import sum_along, trace_envelopes
from app.smt.tuning.pool import TuningPool

__all__ = ["BLOCK", "LinePenalty", "LinePoint", "Smoothing", "best_on_line", "intervals_on_line"]

# Intervals scored at once: their statistics stay in the processor's cache.
BLOCK: Final = 4096
# Relative difference of two values of `bleu_along` that rounding could explain; it is some hundred times smaller.
ROUNDING: Final = 1e-10
# Smaller values have fewer digits.
LEAST_VALUE: Final = 1e-200
# Distance of a point beyond the last change, for weights with absolute values that sum to 1.
BEYOND: Final = 0.1


@dataclass(frozen=True)
class LinePoint:
    """A step along the direction, the corpus score of the choices there, and the gain over the step 0.

    The gain is in the metric's unit, higher is better; it includes smoothing and penalties if they apply. `worth` is the smoothed
    score at the point, higher is better.
    """

    step: float
    score: float
    gain: float = 0.0
    worth: float = 0.0


@dataclass(frozen=True)
class Smoothing:
    """Smoothing of interval scores: mean (``average``) or worst (``minimum``) over `window` intervals on either side.

    Cer, Jurafsky and Manning 2008: optima on narrow spikes do not generalise.
    """

    kind: str = "none"
    window: int = 3


class LinePenalty(Protocol):
    """Penalty of weights along a line."""

    @property
    def favourites(self) -> Float64s:
        """Return the local minima of the penalty, as steps; (f,)."""

    def __call__(self, steps: Float64s) -> Float64s:
        """Return the penalty at steps, in the metric's unit; (m,) to (m,)."""


def best_on_line(
    pool: TuningPool, intercepts: Float64s, slopes: Float64s, smoothing: Smoothing = Smoothing(), penalty: LinePenalty | None = None
) -> LinePoint:
    """Return the middle of the best interval: of equal ones the widest, or step 0 if one of them contains it.

    `intercepts` (h,) are the scores of all hypotheses at step 0, `slopes` (h,) the change by a step of 1. With a penalty, the
    cheapest point of an interval counts: its middle, or a local minimum of the penalty.
    """
    only_best = smoothing.kind == "none" and penalty is None
    edges, scores = intervals_on_line(pool, intercepts, slopes, not only_best)
    if len(scores) == 1 and penalty is None:
        return LinePoint(0.0, float(scores[0]))
    worths = _smoothed(scores if pool.metric.higher_is_better else -scores, smoothing)
    zero_interval = int(np.searchsorted(edges, 0.0, side="right"))
    if penalty is not None:
        return _best_penalised(edges, scores, worths, zero_interval, penalty)
    candidates = np.flatnonzero(worths == worths.max())
    if worths[zero_interval] == worths[candidates[0]]:
        return LinePoint(0.0, float(scores[zero_interval]))
    best = int(candidates[np.argmax(_widths(edges, candidates))]) if len(candidates) > 1 else int(candidates[0])
    return LinePoint(_inside(edges, best), float(scores[best]), float(worths[best] - worths[zero_interval]), float(worths[best]))


def intervals_on_line(
    pool: TuningPool, intercepts: Float64s, slopes: Float64s, all_scores: bool = True
) -> tuple[Float64s, Float64s]:
    """Return the ascending changes of the chosen statistics (m,), and the corpus score of each interval (m + 1,).

    Without `all_scores`, a score may be -inf if its interval is neither the best one nor that of step 0; of BLEU only.
    """
    first, places, before, after = trace_envelopes(intercepts, slopes, pool.offsets, pool.statistics)
    base = pool.statistics[first].sum(0)
    by_value = not all_scores and type(pool.metric) is Bleu and pool.metric.smooth != "add-k"
    # Counts have equal sums in any order of equal places.
    order = np.argsort(places, kind="quicksort" if by_value else "stable")
    places, before, after = places[order], before[order], after[order]
    # Equal changes happen together: an interval begins after the last of them.
    last = np.ones(len(places) + 1, np.bool_)
    last[1:-1] = places[1:] > places[:-1]
    edges, intervals = places[last[1:]], np.flatnonzero(last)
    if by_value:
        sums, values = bleu_along(pool.statistics, base, before, after)
        sums, values = sums[intervals], values[intervals]
        limit = values.max() * (1.0 - ROUNDING)
        if limit > LEAST_VALUE:
            mask = values >= limit
            mask[np.searchsorted(edges, 0.0, side="right")] = True
            scores = np.full(len(values), -np.inf)
            scores[mask] = pool.metric.score(np.asfortranarray(sums[mask]))
            return edges, scores
    scores = np.empty(len(places) + 1)
    for begin in range(0, len(scores), BLOCK):
        sums = sum_along(pool.statistics, base, before[begin : begin + BLOCK], after[begin : begin + BLOCK])
        base = sums[-1].copy()
        scores[begin : begin + len(sums)] = pool.metric.score(sums)
    return edges, scores[intervals]


def _smoothed(scores: Float64s, smoothing: Smoothing) -> Float64s:
    if smoothing.kind == "none":
        return scores
    around = np.pad(scores, smoothing.window, mode="edge")
    windows = np.lib.stride_tricks.sliding_window_view(around, 2 * smoothing.window + 1)
    return np.asarray(windows.mean(1) if smoothing.kind == "average" else windows.min(1))


def _best_penalised(edges: Float64s, scores: Float64s, worths: Float64s, zero_interval: int, penalty: LinePenalty) -> LinePoint:
    """Return the best of the middles, the penalty's local minima, and step 0."""
    favourites = penalty.favourites
    steps = np.concatenate([[0.0], favourites, _middles(edges)])
    intervals = np.concatenate([[zero_interval], np.searchsorted(edges, favourites, side="right"), np.arange(len(scores))])
    worth = worths[intervals] - penalty(steps)
    best = int(np.argmax(worth))
    return LinePoint(float(steps[best]), float(scores[intervals[best]]), float(worth[best] - worth[0]), float(worth[best]))


def _middles(edges: Float64s) -> Float64s:
    """Return a point in each interval: its middle, or a point near its only end; (m,) to (m + 1,)."""
    if not len(edges):
        return np.zeros(1)
    return np.concatenate([[edges[0] - BEYOND], (edges[:-1] + edges[1:]) / 2, [edges[-1] + BEYOND]])


def _inside(edges: Float64s, interval: int) -> float:
    return float(_middles(edges[max(interval - 1, 0) : interval + 1])[1 if interval else 0])


def _widths(edges: Float64s, intervals: np.ndarray) -> Float64s:
    around = np.concatenate([[-np.inf], edges, [np.inf]])
    return np.asarray(around[intervals + 1] - around[intervals])
