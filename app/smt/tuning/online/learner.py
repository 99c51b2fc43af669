"""The common loop of MIRA and the structured perceptron: epochs over n-best lists."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import partial
from typing import Any, Final

import numpy as np

from app.arrays import Float64s, Int32s, Int64s
from app.running.deadline import check_deadline
from app.running.journal import Journal
from app.smt.tuning.matrix import HypothesisFeatures
from app.smt.tuning.method import IterationScore, Settings, TuningData, TuningOutcome
from app.smt.tuning.online.constraint_kernels import ONE_PAIR
from app.smt.tuning.online.gain import CorpusGain
from app.smt.tuning.online.step_kernels import take_steps
from app.smt.tuning.pool import TuningPool
from app.smt.tuning.rescoring import oracle_gains
from app.smt.tuning.spreads import spreads
from app.text.reading.options import DEFAULT_YES, Choice, Number, Option

__all__ = ["CHUNK", "LESSON_OPTIONS", "Lesson", "kernel_rows", "learn", "unit_of"]

# Lists between two reports: a few hundredths of a second of work.
CHUNK: Final = 2000
# Lists between two reports if each target has a margin with every hypothesis.
CHUNK_OF_PAIRS: Final = 40
MOST_EPOCHS: Final = 1000
# Options of all online methods; each is a field of `Lesson`.
LESSON_OPTIONS: Final[Mapping[str, Option]] = {
    "epochs": Number(1, MOST_EPOCHS, 60, is_whole=True),
    "steps": Number(0, 1_000_000, 30_000, is_whole=True),
    "scale": Number(1e-6, 1e6, 100.0),
    "decay": Number(0.0, 1.0, 0.999),
    "background": Choice({"hope": "hope", "model": "model", "none": "none"}, "hope"),
    "average": Choice({"all": "all", "epoch": "epoch", "none": "none"}, "all"),
    "take": Choice({"best": "best", "last": "last"}, "best"),
    "unit": Choice({"none": "none", "root": "root", "spread": "spread"}, "none"),
    "shuffle": DEFAULT_YES,
}


@dataclass(frozen=True)
class Lesson:
    """Parameters of online learning; rules are constants of `step_kernels`.

    Gains are measured with `background` statistics: the sum of ``hope`` or ``model`` choices of earlier lists, times `decay` per
    list; ``none`` measures the hypothesis alone. `average` is over all steps (``all``), over one epoch (``epoch``), or ``none``.
    `mix` is the share of the score in mixed targets; `pairs` and `oracles` are those of `constraint_kernels`. The number of
    epochs is at least `epochs`, and enough for `steps` steps.
    """

    rule: int
    target: int
    rival: int
    cap: float
    scale: float
    background: str
    decay: float
    epochs: int
    steps: int
    average: str
    take: str
    unit: str
    shuffle: bool = True
    mix: float = 0.5
    pairs: int = ONE_PAIR
    oracles: int = 1

    @classmethod
    def of(cls, settings: Settings, rule: int, target: int, rival: int, cap: float) -> "Lesson":
        """Build a lesson from a method's rules and the values of `LESSON_OPTIONS`."""
        return cls(rule, target, rival, cap, **{name: settings[name] for name in LESSON_OPTIONS}, mix=settings["mix"])

    def epochs_of(self, lists: int) -> int:
        """Return the number of epochs for a number of lists."""
        return max(self.epochs, min(-(-self.steps // lists), MOST_EPOCHS))


@dataclass
class _State:
    """State between lists; `counts` are those of `take_steps`."""

    weights: Float64s
    lag: Float64s
    background: Float64s
    counts: Int64s

    def as_array(self) -> Float64s:
        return np.concatenate([self.weights, self.lag, self.background, self.counts.astype(np.float64)])

    def unpack(self, flat: Float64s) -> None:
        ends = np.cumsum([len(self.weights), len(self.lag), len(self.background)])
        self.weights, self.lag, self.background, counts = (np.ascontiguousarray(part) for part in np.split(flat, ends))
        self.counts = counts.astype(np.int64)

    def mean_weights(self) -> Float64s:
        return self.weights - self.lag / max(int(self.counts[0]), 1)


def unit_of(pool: TuningPool, unit: str) -> Float64s:
    """Return the factors of columns before learning; (width,).

    ``spread`` gives all columns a deviation of 1 inside lists. ``root`` uses the square root of these factors: nearly constant
    columns then do not dominate. ``none`` leaves columns as they are.
    """
    if unit == "none":
        return np.ones(pool.features.width)
    spread = np.maximum(spreads(pool), 1e-9)
    return np.asarray(1.0 / (spread if unit == "spread" else np.sqrt(spread)))


def kernel_rows(features: HypothesisFeatures) -> tuple[Float64s, Int32s, Int32s, Float64s]:
    """Return features as kernels read them: dense columns, and offsets, columns and values of sparse rows."""
    dense = np.ascontiguousarray(features.dense)
    if features.sparse is None:
        return dense, np.zeros(len(dense) + 1, np.int32), np.empty(0, np.int32), np.empty(0)
    sparse = features.sparse
    return dense, sparse.indptr.astype(np.int32), sparse.indices.astype(np.int32), np.asarray(sparse.data, np.float64)


def learn(data: TuningData, lesson: Lesson, rng: np.random.Generator, journal: Journal) -> TuningOutcome:
    """Learn from all lists, epoch by epoch, from the start weights; return the last weights or the best ones."""
    pool, unit = data.pool, unit_of(data.pool, lesson.unit)
    scaled_pool = pool if lesson.unit == "none" else replace(pool, features=pool.features.scaled(unit))
    walk = _Walk(scaled_pool, lesson)
    state = _State(data.start / unit, np.zeros(len(unit)), _first_background(pool, data.start, lesson), np.zeros(4, np.int64))
    best = last = data.start
    best_score = pool.score(data.start)
    curve, totals = [IterationScore(0, best_score)], np.zeros(4, np.int64)
    epochs = lesson.epochs_of(len(pool))
    for epoch in range(epochs):
        order = rng.permutation(len(pool)) if lesson.shuffle else np.arange(len(pool))
        if lesson.average == "epoch":
            totals += state.counts
            state.lag[:], state.counts[:] = 0.0, 0
        state.unpack(journal.recall(partial(walk.epoch, order, state, journal, epoch / epochs)))
        last = unit * (state.weights if lesson.average == "none" else state.mean_weights())
        score = pool.score(last)
        curve.append(IterationScore(epoch + 1, score))
        if pool.better(score, best_score):
            best, best_score = last, score
    totals += state.counts
    names = ("steps", "updates", "clipped", "satisfied")
    notes: dict[str, Any] = {"epochs": epochs, **dict(zip(names, totals.tolist(), strict=True))}
    weights_taken = best if lesson.take == "best" or not last.any() else last
    return TuningOutcome(weights_taken, curve, notes)


class _Walk:
    """Steps of online learning over a pool."""

    def __init__(self, pool: TuningPool, lesson: Lesson) -> None:
        self._pool, self._lesson = pool, lesson
        self._gain = CorpusGain(pool.metric, lesson.scale)
        self._rows = kernel_rows(pool.features)
        self._scratch = np.zeros(pool.features.width - pool.features.dense.shape[1])
        self._is_alone = lesson.background == "none"
        self._gains = lesson.scale * oracle_gains(pool) if self._is_alone else np.zeros(len(pool.statistics))

    def epoch(self, order: Int64s, state: _State, journal: Journal, share: float) -> Float64s:
        is_compiled = self._is_alone or self._gain.compiled
        size = CHUNK if self._lesson.pairs == ONE_PAIR else max(CHUNK_OF_PAIRS // self._lesson.oracles, 1)
        for begin in range(0, len(order), size):
            journal.report("learning", share)
            part = order[begin : begin + size]
            if is_compiled:
                self._steps(part, state)
                continue
            for k in range(len(part)):
                if k % 100 == 0:
                    journal.report("learning", share)
                self._measure(int(part[k]), state.background)
                self._steps(part[k : k + 1], state)
        return state.as_array()

    def _measure(self, segment: int, background: Float64s) -> None:
        """Return the gains of a list with the background: the corpus score times the number of lists in it."""
        first, last = self._pool.offsets[segment : segment + 2].tolist()
        rows = self._pool.statistics[first:last]
        self._gains[first:last] = (background[-1] + 1.0) * self._gain.of(background[:-1], rows)

    def _steps(self, segments: Int64s, state: _State) -> None:
        check_deadline()
        pool, lesson = self._pool, self._lesson
        take_steps(
            segments,
            pool.offsets,
            *self._rows,
            pool.statistics,
            self._gains,
            state.weights,
            state.lag,
            state.background,
            state.counts,
            self._scratch,
            lesson.rule,
            lesson.target,
            lesson.rival,
            lesson.cap,
            lesson.scale,
            lesson.decay,
            lesson.background == "model",
            self._gain.compiled and not self._is_alone,
            lesson.mix,
            lesson.pairs,
            lesson.oracles,
        )


def _first_background(pool: TuningPool, start: Float64s, lesson: Lesson) -> Float64s:
    """Return the initial background: mean statistics of the start weights' choices, times the decay's effective list count."""
    list_count = min(1.0 / max(1.0 - lesson.decay, 1e-9), float(len(pool)))
    mean = pool.statistics[pool.best_hypotheses(start)].mean(0)
    return np.append(mean * list_count, list_count)
