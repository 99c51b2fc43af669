"""Minimum error rate training (Och 2003): exact line searches along coordinates and random directions, from many starts.

Song's thesis §2.2.2, Algorithm 2.1; Haddow et al. 2011 name it as their baseline. Nothing is decoded again.
"""

from dataclasses import dataclass, replace
from typing import Final

import numpy as np

from app.arrays import Float64s
from app.running.journal import Journal
from app.smt.tuning.mert.line_search import Smoothing, best_on_line
from app.smt.tuning.mert.regularisation import Penalty
from app.smt.tuning.method import Method, Outcome, Settings, Step, TuningData
from app.smt.tuning.pool import Pool
from app.smt.tuning.scaling import spreads
from app.smt.tuning.weights import normalised, tidied
from app.smt.tuning.work import ListSizes
from app.text.reading.options import Choice, Number, Parsed

__all__ = ["MERT", "tune_mert", "usual_restarts"]

# Line searches of a climb: this many times all directions.
SWEEPS: Final = 3
# Line searches from one start, for each direction of a sweep; it ends sooner where so great a share of a sweep gains nothing.
MOST_SWEEPS: Final = 60
FRUITLESS: Final = 0.8
# A sweep takes so many coordinates, drawn anew, where there are more.
MOST_COORDINATES: Final = 100
# The share of the starts that are drawn from everywhere; the others are the best so far, moved by so much of its mean weight.
ANYWHERE: Final = 0.3
DISTANCES: Final = (0.1, 0.3, 1.0)
# The share of the features that a random direction moves.
MOVED: Final = 0.5
# Where the number of restarts is not given it is the square of the number of features over this, and at most so many; fewer where
# many hypotheses make each of them long and the best of all easy to come near; more where few segments leave flat ground between.
RESTARTS: Final = 3
MOST_RESTARTS: Final = 100
FEWEST_AT_MOST: Final = 20
HYPOTHESES: Final = 2_000_000
FEW_SEGMENTS: Final = 50
MOST_TIMES: Final = 6


def tune_mert(data: TuningData, settings: Settings, rng: np.random.Generator, journal: Journal) -> Outcome:
    """The best of all starts: the given weights, then random ones, and the best so far moved a little."""
    # In units in which all features spread alike, so that what is found does not depend on theirs.
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
    curve = [Step(0, best_score)]
    data.watch(curve[-1])
    seeds = rng.integers(0, 2**63, restarts + 1)
    for number in range(restarts + 1):
        own = np.random.default_rng(seeds[number])

        def climbed(own: np.random.Generator = own, number: int = number, best: Float64s = best) -> Float64s:
            start = best if number == 0 else _start(best, number, restarts, own)
            return climber.climbed(start, own, journal, number / (restarts + 1))

        weights = journal.recall(climbed)
        worth = _worth(data.pool, weights / unit, unit, penalty.cost(weights))
        if worth > best_worth:
            best, best_worth, best_score = weights, worth, data.pool.score(tidied(weights / unit, unit))
        curve.append(Step(number + 1, best_score))
        data.watch(curve[-1])
    return Outcome(best / unit, curve, {"restarts": restarts})


def usual_restarts(segments: int, hypotheses: int, width: int) -> int:
    """How often is begun anew where nobody says it."""
    most = min(MOST_RESTARTS, max(FEWEST_AT_MOST, HYPOTHESES // max(hypotheses, 1)))
    times = min(max(FEW_SEGMENTS / max(segments, 1), 1.0), MOST_TIMES)
    return int(min(width**2 // RESTARTS, most) * times)


def _worth(pool: Pool, weights: Float64s, unit: Float64s, cost: float) -> float:
    """What weights are worth as they are written: their score, more is better, less what they cost."""
    score = pool.score(tidied(weights, unit))
    return (score if pool.metric.higher_is_better else -score) - cost


def _columns(pool: Pool) -> list[Float64s]:
    return [pool.features.column(k) for k in range(min(pool.features.width, MOST_COORDINATES))]


def _start(best: Float64s, number: int, restarts: int, rng: np.random.Generator) -> Float64s:
    """Anywhere at first; later near the best so far, since good optima lie beside one another."""
    if number <= restarts * ANYWHERE:
        return normalised(rng.uniform(-1.0, 1.0, len(best)))
    return normalised(best + rng.normal(size=len(best)) * np.abs(best).mean() * rng.choice(DISTANCES))


@dataclass(frozen=True, eq=False)
class _Climber:
    """Line searches from one start after another; `columns` are the first columns of the pool's features, one after the other."""

    pool: Pool
    columns: list[Float64s]
    directions: int
    smoothing: Smoothing
    penalty: Penalty

    def climbed(self, start: Float64s, rng: np.random.Generator, journal: Journal, share: float) -> Float64s:
        """Searches in random order, sweep after sweep, until most of a sweep gains nothing.

        A smoothed score belongs to a line as much as to a point: what one line calls better another calls worse, and there would
        always be a gain. What counts there is the best smoothed score so far, and its weights are the result.
        """
        pool, weights, width = self.pool, normalised(start), self.pool.features.width
        coordinates = min(width, MOST_COORDINATES)
        patience = FRUITLESS * (coordinates + self.directions)
        fruitless = 0
        best, most = weights, -np.inf
        for _ in range(MOST_SWEEPS):
            # Sums that were moved along collect rounding errors, so a sweep begins with new ones.
            totals = pool.features @ weights
            chosen = rng.permutation(width)[:coordinates]
            for k in rng.permutation(coordinates + self.directions):
                journal.report("climbing", share)
                direction = np.eye(1, width, chosen[k])[0] if k < coordinates else self._direction(weights, rng)
                slopes = self._slopes(int(chosen[k])) if k < coordinates else pool.features @ direction
                line = self.penalty.along(weights, direction)
                point = best_on_line(pool, totals, slopes, self.smoothing, line)
                moved = weights + point.step * direction
                scale = float(np.abs(moved).sum())
                if point.gain > 0 and 0 < scale < np.inf:
                    weights, totals = moved / scale, (totals + point.step * slopes) / scale
                    fruitful = self.smoothing.kind == "none" or point.worth > most
                    best, most = (weights, point.worth) if fruitful else (best, most)
                    fruitless = 0 if fruitful else fruitless + 1
                else:
                    fruitless += 1
                if fruitless >= patience:
                    return best
        return best

    def _slopes(self, k: int) -> Float64s:
        return self.columns[k] if k < len(self.columns) else self.pool.features.column(k)

    def _direction(self, weights: Float64s, rng: np.random.Generator) -> Float64s:
        """A random direction that moves some of the features; where zeros are wanted, none that has one."""
        moved = rng.random(len(weights)) < MOVED
        if self.penalty.l0 > 0:
            moved &= weights != 0
        if not moved.any():
            moved[rng.integers(len(weights))] = True
        direction = np.where(moved, rng.normal(size=len(weights)), 0.0)
        return np.asarray(direction / np.abs(direction).sum())


def _restarts(text: str) -> int | str:
    if text == "auto":
        return text
    return int(Number(0, 1000, 0, whole=True).read(text))


def _work(settings: Settings, sizes: ListSizes) -> float:
    """Feature values that all line searches read."""
    features = min(sizes.features, 100)
    restarts = settings["restarts"]
    if restarts == "auto":
        restarts = usual_restarts(sizes.lists, sizes.hypotheses, sizes.features)
    searches = SWEEPS * (features + settings["directions"])
    # A search looks at a slope and an intercept of each hypothesis; a random direction at all of its features.
    numbers = (2 * SWEEPS * features + (2 + sizes.features) * SWEEPS * settings["directions"]) / searches
    smoothed = 1 if settings["smooth"] == "none" else 2
    return float((restarts + 1) * searches * numbers * smoothed * sizes.hypotheses)


MERT: Final = Method(
    "mert",
    "minimum error rate training: exact line searches from many starts",
    {
        "restarts": Parsed(_restarts, "a whole number from 0 to 1000, or auto", "auto"),
        "directions": Number(0, 1000, 10, whole=True),
        "smooth": Choice({"none": "none", "average": "average", "minimum": "minimum"}, "none"),
        "window": Number(1, 100, 3, whole=True),
        "l2": Number(0, 1, 0.0),
        "l0": Number(0, 1, 0.0),
    },
    tune_mert,
    "Och 2003; Cer et al. 2008; Galley et al. 2013; Song 2015, §2.2.2",
    _work,
)
