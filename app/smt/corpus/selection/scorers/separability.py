"""How well oracles can be told from other hypotheses in a set of n-best lists (Song 2015, equations 2.36 to 2.38)."""

from dataclasses import dataclass
from pathlib import Path

import numpy as np

from app.arrays import Float64s, Int64s
from app.metrics import metric_named
from app.smt.corpus.selection.choice import Budget, Purse
from app.smt.corpus.selection.pool import Pool
from app.smt.corpus.selection.scorers.n_best import BLEU, PlaceScorer, lists_of, statistics_of
from app.smt.corpus.selection.scorers.plain import draw
from app.smt.corpus.selection.scoring import PoolScores, score_pool
from app.smt.tuning.choice_kernels import first_of_best
from app.smt.tuning.pairs.sentence_bleu import smoothed_bleu
from app.text.n_best import NBestLists

__all__ = ["Separability", "choose_separable", "quality_of_oracles", "scatter"]


def quality_of_oracles(oracle: float, others: Float64s) -> float:
    """``B = (N - 1) M(R_1)^2 / sum of M(R_i)``: the oracles' score times its ratio to the mean of the others'; 0 without others."""
    total = float(others.sum())
    return len(others) * oracle**2 / total if total > 0 else 0.0


def scatter(oracles: Float64s, others: Float64s) -> float:
    """``J``: squared distances of both classes' means from that of all, over the sum of their variances; 0 where these are 0."""
    if not len(oracles) or not len(others):
        return 0.0
    mean = np.concatenate([oracles, others]).mean(0)
    between = sum(((rows.mean(0) - mean) ** 2).sum() for rows in (oracles, others))
    within = sum(rows.var(0).sum() for rows in (oracles, others))
    return float(between / within) if within > 0 else 0.0


@dataclass(frozen=True)
class Separability:
    """Lists with counts of BLEU. The oracle of a list is the best by add-one sentence BLEU, of equal ones the first."""

    lists: NBestLists
    statistics: Float64s

    def value(self, places: Int64s) -> float:
        """``Q = B J`` of some segments. BLEU is that of all their oracles, and of all their i-th other hypotheses, in [0, 1]."""
        if not len(places):
            return 0.0
        part = self.lists.rows(places)
        rows = np.concatenate([np.arange(*self.lists.offsets[place : place + 2]) for place in places.tolist()])
        statistics = self.statistics[rows]
        there = part.lengths > 0
        if not there.any():
            return 0.0
        oracles = first_of_best(smoothed_bleu(statistics), part.offsets[np.append(True, there)])
        is_other = np.ones(len(rows), np.bool_)
        is_other[oracles] = False
        others = np.flatnonzero(is_other)
        # The place of each among the others of its list.
        rank = np.arange(len(others)) - np.searchsorted(part.segments[others], part.segments[others])
        metric = metric_named(BLEU)
        sums = np.stack([np.bincount(rank, column) for column in statistics[others].T], 1).astype(np.float64)
        scores = metric.score(sums) / 100
        best = float(metric.score(statistics[oracles].sum(0, keepdims=True))[0]) / 100
        return quality_of_oracles(best, scores) * scatter(part.values[oracles], part.values[others])


def choose_separable(pool: Pool, path: Path, budget: Budget, sets: int, seed: int) -> PlaceScorer:
    """Of `sets` random sets within a budget the one whose oracles stand apart most: its Q, and minus infinity for other pairs."""
    lists = lists_of(path)
    measured = Separability(lists, statistics_of(pool, lists, str(path)))
    everything = score_pool(pool, PlaceScorer(np.where(lists.lengths > 0, 0.0, -np.inf)))
    drawn = [_set(everything, budget, seed * sets + number) for number in range(sets)]
    values = [measured.value(places) for places in drawn]
    scores = np.full(len(everything), -np.inf)
    scores[drawn[int(np.argmax(values))]] = max(values)
    return PlaceScorer(scores)


def _set(pool: PoolScores, budget: Budget, seed: int) -> Int64s:
    purse = Purse(budget, len(pool))
    places = np.flatnonzero(np.isfinite(pool.scores))
    order = places[np.argsort(draw(places, seed), kind="stable")]
    return np.sort(np.array([place for place in order.tolist() if purse.take(int(pool.words[place]))], np.int64))
