"""The best weights along a direction, exactly: the corpus score between all places where a choice changes (Och 2003)."""

from dataclasses import dataclass
from typing import Final, Protocol

import numpy as np

from app.arrays import Float64s
from app.smt.tuning.mert.envelope_kernels import sum_along, trace_envelopes
from app.smt.tuning.pool import Pool

__all__ = ["BLOCK", "LinePenalty", "LinePoint", "Smoothing", "best_on_line", "intervals_on_line"]

# Intervals scored at once: rows of statistics that stay in the processor's cache.
BLOCK: Final = 4096
# How far beyond the last change of a choice a point lies, in the unit of weights whose absolute values sum to 1.
BEYOND: Final = 0.1


@dataclass(frozen=True)
class LinePoint:
    """A step along the direction, the corpus score of what is chosen there, and what is gained by it.

    The gain is in the metric's unit, more is better, and is of smoothed and penalised scores where these judge. `worth` is what the
    point is judged by there: the smoothed score, more is better.
    """

    step: float
    score: float
    gain: float = 0.0
    worth: float = 0.0


@dataclass(frozen=True)
class Smoothing:
    """How an interval is judged: by the mean (``average``) or the worst (``minimum``) of itself and `window` others on either side.

    Cer, Jurafsky and Manning 2008: optima that are narrow spikes do not last.
    """

    kind: str = "none"
    window: int = 3


class LinePenalty(Protocol):
    """What weights along a line cost."""

    @property
    def favourites(self) -> Float64s:
        """Steps that cost less than those around them; (f,)."""

    def __call__(self, steps: Float64s) -> Float64s:
        """The cost at steps, in the metric's unit; (m,) to (m,)."""


def best_on_line(
    pool: Pool, intercepts: Float64s, slopes: Float64s, smoothing: Smoothing = Smoothing(), penalty: LinePenalty | None = None
) -> LinePoint:
    """The middle of the interval with the best score; of equally good ones the widest, and 0 where it is in one of them.

    `intercepts` and `slopes` (h,) are the scores of all hypotheses where the step is 0, and what a step of 1 adds to them.
    With a penalty the point of an interval that costs least counts, of its middle and of the penalty's favourites.
    """
    edges, scores = intervals_on_line(pool, intercepts, slopes)
    if len(scores) == 1 and penalty is None:
        return LinePoint(0.0, float(scores[0]))
    judged = _smoothed(scores if pool.metric.higher_is_better else -scores, smoothing)
    here = int(np.searchsorted(edges, 0.0, side="right"))
    if penalty is not None:
        return _best_penalised(edges, scores, judged, here, penalty)
    tied = np.flatnonzero(judged == judged.max())
    if judged[here] == judged[tied[0]]:
        return LinePoint(0.0, float(scores[here]))
    best = int(tied[np.argmax(_widths(edges, tied))]) if len(tied) > 1 else int(tied[0])
    return LinePoint(_inside(edges, best), float(scores[best]), float(judged[best] - judged[here]), float(judged[best]))


def intervals_on_line(pool: Pool, intercepts: Float64s, slopes: Float64s) -> tuple[Float64s, Float64s]:
    """Ascending places where the statistics of what is chosen change, (m,), and the corpus score in each interval, (m + 1,)."""
    first, places, before, after = trace_envelopes(intercepts, slopes, pool.offsets, pool.statistics)
    base = pool.statistics[first].sum(0)
    order = np.argsort(places, kind="stable")
    places, before, after = places[order], before[order], after[order]
    scores = np.empty(len(places) + 1)
    for begin in range(0, len(scores), BLOCK):
        sums = sum_along(pool.statistics, base, before[begin : begin + BLOCK], after[begin : begin + BLOCK])
        base = sums[-1].copy()
        scores[begin : begin + len(sums)] = pool.metric.score(sums)
    if not len(places):
        return places, scores
    # Changes at one place happen together: only what holds after the last of them is an interval.
    last = np.concatenate([places[1:] > places[:-1], [True]])
    return places[last], np.concatenate([scores[:1], scores[1:][last]])


def _smoothed(scores: Float64s, smoothing: Smoothing) -> Float64s:
    if smoothing.kind == "none":
        return scores
    around = np.pad(scores, smoothing.window, mode="edge")
    windows = np.lib.stride_tricks.sliding_window_view(around, 2 * smoothing.window + 1)
    return np.asarray(windows.mean(1) if smoothing.kind == "average" else windows.min(1))


def _best_penalised(edges: Float64s, scores: Float64s, judged: Float64s, here: int, penalty: LinePenalty) -> LinePoint:
    """The best of all middles, of the favourites, and of where the line begins."""
    favourites = penalty.favourites
    steps = np.concatenate([[0.0], favourites, _middles(edges)])
    which = np.concatenate([[here], np.searchsorted(edges, favourites, side="right"), np.arange(len(scores))])
    worth = judged[which] - penalty(steps)
    best = int(np.argmax(worth))
    return LinePoint(float(steps[best]), float(scores[which[best]]), float(worth[best] - worth[0]), float(worth[best]))


def _middles(edges: Float64s) -> Float64s:
    """A point of each interval: its middle, or a little beyond its only end; (m,) to (m + 1,)."""
    if not len(edges):
        return np.zeros(1)
    return np.concatenate([[edges[0] - BEYOND], (edges[:-1] + edges[1:]) / 2, [edges[-1] + BEYOND]])


def _inside(edges: Float64s, interval: int) -> float:
    return float(_middles(edges[max(interval - 1, 0) : interval + 1])[1 if interval else 0])


def _widths(edges: Float64s, intervals: np.ndarray) -> Float64s:
    around = np.concatenate([[-np.inf], edges, [np.inf]])
    return np.asarray(around[intervals + 1] - around[intervals])
