"""Minimum error rate training (Och 2003): exact line searches along coordinates and random directions, from many starts.

Song's thesis §2.2.2, Algorithm 2.1; the baseline of Haddow et al. 2011. Lists are not decoded again.
"""

from dataclasses import dataclass, replace
from typing import Final

import numpy as np

from app.arrays import Float64s
from app.running.journal import Journal
from app.smt.tuning.mert.line_search import Smoothing, best_on_line
from app.smt.tuning.mert.regularisation import Penalty
from app.smt.tuning.method import IterationScore, Settings, TuningData, TuningMethod, TuningOutcome
from app.smt.tuning.pool import TuningPool
from app.smt.tuning.spreads import spreads
from app.smt.tuning.weights import normalised, tidied
from app.smt.tuning.work import ListSizes
from app.text.reading.options import Choice, Number, ParsedOption

__all__ = ["MERT", "tune_mert", "usual_restarts"]

# Line searches of a climb: this many times all directions.
SWEEPS: Final = 3
# Most line searches from one start, per direction of a sweep; a climb ends earlier if this share of a sweep gains nothing.
MOST_SWEEPS: Final = 60
FRUITLESS: Final = 0.8
# Most coordinates of a sweep; each sweep draws new ones.
MOST_COORDINATES: Final = 100
# Share of starts drawn at random; other starts are the best weights so far, moved by this share of their mean weight.
ANYWHERE: Final = 0.3
DISTANCES: Final = (0.1, 0.3, 1.0)
# Share of features in a random direction.
FEATURE_SHARE: Final = 0.5
# Default number of restarts: the squared number of features over this, up to a limit. Large pools get fewer: each restart is long
# and the optimum easy to approach. Few segments get more: the score has flat regions.
RESTARTS: Final = 3
MOST_RESTARTS: Final = 100
LEAST_LIMIT: Final = 20
HYPOTHESES: Final = 2_000_000
FEW_SEGMENTS: Final = 50
MOST_TIMES: Final = 6


def tune_mert(data: TuningData, settings: Settings, rng: np.random.Generator, journal: Journal) -> TuningOutcome:
    """Return the best result over all starts: the start weights, random ones, and perturbed best weights."""
    # Features get equal spread: results do not depend on their units.
    unit = spreads(data.pool)
    unit = np.where(unit > 0, unit, 1.0)
    pool = replace(data.pool, features=data.pool.features.scaled(1.0 / unit))
    restarts = (
        usual_restarts(len(pool), len(pool.features), pool.features.width)
        if settings["restarts"] == "auto"
        else settings["restarts"]
    )
    best = normalised(data.start * unit)
    penalty = Penalty(settings["l2"], settings["l0"], best, pool.points)
    smoothing = Smoothing(settings["smooth"], settings["window"])
    climber = _Climber(pool, _columns(pool), settings["directions"], smoothing, penalty)
    best_score, best_worth = pool.score(best), _worth(data.pool, best / unit, unit, penalty.cost(best))
    curve = [IterationScore(0, best_score)]
    data.watch(curve[-1])
    seeds = rng.integers(0, 2**63, restarts + 1)
    for number in range(restarts + 1):
        run_rng = np.random.default_rng(seeds[number])

        def climbed(run_rng: np.random.Generator = run_rng, number: int = number, best: Float64s = best) -> Float64s:
            start = best if number == 0 else _start(best, number, restarts, run_rng)
            return climber.climbed(start, run_rng, journal, number / (restarts + 1))

        weights = journal.recall(climbed)
        worth = _worth(data.pool, weights / unit, unit, penalty.cost(weights))
        if worth > best_worth:
            best, best_worth, best_score = weights, worth, data.pool.score(tidied(weights / unit, unit))
        curve.append(IterationScore(number + 1, best_score))
        data.watch(curve[-1])
    return TuningOutcome(best / unit, curve, {"restarts": restarts})


def usual_restarts(segments: int, hypotheses: int, width: int) -> int:
    """Return the default number of restarts."""
    limit = min(MOST_RESTARTS, max(LEAST_LIMIT, HYPOTHESES // max(hypotheses, 1)))
    times = min(max(FEW_SEGMENTS / max(segments, 1), 1.0), MOST_TIMES)
    return int(min(width**2 // RESTARTS, limit) * times)


def _worth(pool: TuningPool, weights: Float64s, unit: Float64s, cost: float) -> float:
    """Return the score of weights as they are written (higher is better), minus their penalty."""
    score = pool.score(tidied(weights, unit))
    return (score if pool.metric.higher_is_better else -score) - cost


def _columns(pool: TuningPool) -> list[Float64s]:
    return [pool.features.column(k) for k in range(min(pool.features.width, MOST_COORDINATES))]


def _start(best: Float64s, number: int, restarts: int, rng: np.random.Generator) -> Float64s:
    """Return start weights: random at first, later near the best so far, because good optima are close together."""
    if number <= restarts * ANYWHERE:
        return normalised(rng.uniform(-1.0, 1.0, len(best)))
    return normalised(best + rng.normal(size=len(best)) * np.abs(best).mean() * rng.choice(DISTANCES))


@dataclass(frozen=True, eq=False)
class _Climber:
    """Climbs from several starts; `columns` caches the first feature columns of the pool, each contiguous."""

    pool: TuningPool
    columns: list[Float64s]
    directions: int
    smoothing: Smoothing
    penalty: Penalty

    def climbed(self, start: Float64s, rng: np.random.Generator, journal: Journal, share: float) -> Float64s:
        """Search along directions in random order, sweep by sweep, until most of a sweep gains nothing.

        A smoothed score depends on the line as well as the point, so lines could contradict each other without end. With smoothing,
        a climb returns the weights of the best smoothed score so far.
        """
        pool, weights, width = self.pool, normalised(start), self.pool.features.width
        coordinates = min(width, MOST_COORDINATES)
        patience = FRUITLESS * (coordinates + self.directions)
        fruitless = 0
        best, sweep_limit = weights, -np.inf
        for _ in range(MOST_SWEEPS):
            # Updated sums collect rounding errors: each sweep computes them again.
            totals = pool.features @ weights
            coordinate_order = rng.permutation(width)[:coordinates]
            for k in rng.permutation(coordinates + self.directions):
                journal.report("climbing", share)
                direction = np.eye(1, width, coordinate_order[k])[0] if k < coordinates else self._direction(weights, rng)
                slopes = self._slopes(int(coordinate_order[k])) if k < coordinates else pool.features @ direction
                line = self.penalty.along(weights, direction)
                point = best_on_line(pool, totals, slopes, self.smoothing, line)
                next_weights = weights + point.step * direction
                scale = float(np.abs(next_weights).sum())
                if point.gain > 0 and 0 < scale < np.inf:
                    weights, totals = next_weights / scale, (totals + point.step * slopes) / scale
                    fruitful = self.smoothing.kind == "none" or point.worth > sweep_limit
                    best, sweep_limit = (weights, point.worth) if fruitful else (best, sweep_limit)
                    fruitless = 0 if fruitful else fruitless + 1
                else:
                    fruitless += 1
                if fruitless >= patience:
                    return best
        return best

    def _slopes(self, k: int) -> Float64s:
        return self.columns[k] if k < len(self.columns) else self.pool.features.column(k)

    def _direction(self, weights: Float64s, rng: np.random.Generator) -> Float64s:
        """Return a random direction over some features; with an L0 penalty, over features with weights other than 0."""
        moved = rng.random(len(weights)) < FEATURE_SHARE
        if self.penalty.l0 > 0:
            moved &= weights != 0
        if not moved.any():
            moved[rng.integers(len(weights))] = True
        direction = np.where(moved, rng.normal(size=len(weights)), 0.0)
        return np.asarray(direction / np.abs(direction).sum())


def _restarts(text: str) -> int | str:
    if text == "auto":
        return text
    return int(Number(0, 1000, 0, is_whole=True).read(text))


def _work(settings: Settings, sizes: ListSizes) -> float:
    """Feature values that all line searches read."""
    features = min(sizes.features, 100)
    restarts = settings["restarts"]
    if restarts == "auto":
        restarts = usual_restarts(sizes.lists, sizes.hypotheses, sizes.features)
    searches = SWEEPS * (features + settings["directions"])
    # A search looks at a slope and an intercept of each hypothesis; a random direction at all of its features.
    numbers = (2 * SWEEPS * features + (2 + sizes.features) * SWEEPS * settings["directions"]) / searches
    evaluations = 1 if settings["smooth"] == "none" else 2
    return float((restarts + 1) * searches * numbers * evaluations * sizes.hypotheses)


MERT: Final = TuningMethod(
    "mert",
    "minimum error rate training: exact line searches from many starts",
    {
        "restarts": ParsedOption(_restarts, "a whole number from 0 to 1000, or auto", "auto"),
        "directions": Number(0, 1000, 10, is_whole=True),
        "smooth": Choice({"none": "none", "average": "average", "minimum": "minimum"}, "none"),
        "window": Number(1, 100, 3, is_whole=True),
        "l2": Number(0, 1, 0.0),
        "l0": Number(0, 1, 0.0),
    },
    tune_mert,
    "Och 2003; Cer et al. 2008; Galley et al. 2013; Song 2015, §2.2.2",
    _work,
)
