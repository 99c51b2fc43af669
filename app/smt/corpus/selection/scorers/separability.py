"""Separability of oracles from other hypotheses in n-best lists (Song 2015, equations 2.36 to 2.38)."""

from dataclasses import dataclass
from pathlib import Path

import numpy as np

from app.arrays import Float64s, Int64s
from app.metrics import metric_named
from app.smt.corpus.selection.choice import Budget, Purse
from app.smt.corpus.selection.pool import Pool
from app.smt.corpus.selection.scorers.n_best import BLEU, lists_of, statistics_of
from app.smt.corpus.selection.scorers.plain import draw
from app.smt.corpus.selection.scoring import PlaceScorer, PoolScores, score_pool
from app.smt.tuning.choice_kernels import first_of_best
from app.smt.tuning.pairs.sentence_bleu import smoothed_bleu
from app.text.n_best import NBestLists

__all__ = ["Separability", "choose_separable", "quality_of_oracles", "scatter"]


def quality_of_oracles(oracle: float, rivals: Float64s) -> float:
    """``B = (N - 1) M(R_1)^2 / sum of M(R_i)``: oracle score times its ratio to the mean score of rivals; 0 without rivals."""
    total = float(rivals.sum())
    return len(rivals) * oracle**2 / total if total > 0 else 0.0


def scatter(oracles: Float64s, rivals: Float64s) -> float:
    """``J``: squared distances of both class means from the overall mean, over the sum of variances; 0 without variance."""
    if not len(oracles) or not len(rivals):
        return 0.0
    mean = np.concatenate([oracles, rivals]).mean(0)
    between = sum(((rows.mean(0) - mean) ** 2).sum() for rows in (oracles, rivals))
    within = sum(rows.var(0).sum() for rows in (oracles, rivals))
    return float(between / within) if within > 0 else 0.0


@dataclass(frozen=True)
class Separability:
    """Lists with BLEU counts. The oracle of a list is the first hypothesis with the best add-one sentence BLEU."""

    lists: NBestLists
    statistics: Float64s

    def value(self, places: Int64s) -> float:
        """``Q = B J`` of segments, from BLEU of all their oracles and of all their i-th rivals, in [0, 1]."""
        if not len(places):
            return 0.0
        part = self.lists.rows(places)
        rows = np.concatenate([np.arange(*self.lists.offsets[place : place + 2]) for place in places.tolist()])
        statistics = self.statistics[rows]
        mask = part.lengths > 0
        if not mask.any():
            return 0.0
        oracles = first_of_best(smoothed_bleu(statistics), part.offsets[np.append(True, mask)])
        is_other = np.ones(len(rows), np.bool_)
        is_other[oracles] = False
        rivals = np.flatnonzero(is_other)
        # Rank of each rival in its list.
        rank = np.arange(len(rivals)) - np.searchsorted(part.segments[rivals], part.segments[rivals])
        metric = metric_named(BLEU)
        sums = np.stack([np.bincount(rank, column) for column in statistics[rivals].T], 1).astype(np.float64)
        scores = metric.score(sums) / 100
        best = float(metric.score(statistics[oracles].sum(0, keepdims=True))[0]) / 100
        return quality_of_oracles(best, scores) * scatter(part.values[oracles], part.values[rivals])


def choose_separable(pool: Pool, path: Path, budget: Budget, sets: int, seed: int) -> PlaceScorer:
    """Scores that select the best of `sets` random sets within a budget: its Q, and minus infinity for other pairs."""
    lists = lists_of(path)
    separability = Separability(lists, statistics_of(pool, lists, str(path)))
    pool_scores = score_pool(pool, PlaceScorer(np.where(lists.lengths > 0, 0.0, -np.inf)))
    samples = [_set(pool_scores, budget, seed * sets + number) for number in range(sets)]
    values = [separability.value(places) for places in samples]
    scores = np.full(len(pool_scores), -np.inf)
    scores[samples[int(np.argmax(values))]] = max(values)
    return PlaceScorer(scores)


def _set(pool: PoolScores, budget: Budget, seed: int) -> Int64s:
    purse = Purse(budget, len(pool))
    places = np.flatnonzero(np.isfinite(pool.scores))
    order = places[np.argsort(draw(places, seed), kind="stable")]
    return np.sort(np.array([place for place in order.tolist() if purse.take(int(pool.words[place]))], np.int64))
