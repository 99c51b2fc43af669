"""LA-SVM: parallel features of good data against those of the worst pairs (Song 2015, 4.4.5)."""

from dataclasses import dataclass
from typing import Any

import numpy as np

from app.arrays import Float64s
from app.errors import InputError
from app.smt.corpus.selection.choice import Budget, choose_best
from app.smt.corpus.selection.pool import Pool, PoolChunk
from app.smt.corpus.selection.scorers.parallel_features import ParallelScorer
from app.smt.corpus.selection.scoring import PoolScores, score_pool

__all__ = ["ClassifierScorer", "train_classifier"]


@dataclass(frozen=True)
class ClassifierScorer:
    """The signed distance from a support vector machine's boundary, positive on the side of good data."""

    parallel: ParallelScorer
    machine: Any

    def score(self, chunk: PoolChunk) -> Float64s:
        """Minus infinity outside of the bounds of lengths."""
        fits = self.parallel.fits(chunk)
        out = np.full(len(chunk), -np.inf)
        if fits.any():
            out[fits] = self.machine.decision_function(self.parallel.values(chunk)[fits])
        return out


def train_classifier(
    pool: Pool, good: Pool, parallel: ParallelScorer, words: int = 30_000, c: float = 1.0, gamma: float = 1.0
) -> ClassifierScorer:
    """Learn from the first `words` words of good data, and from as many of the pairs of the pool with the lowest sums of features.

    The kernel is radial; SVM-light's own `c` is 1 with it, as is its `gamma`. InputError where either side has no pair of a length
    that is wanted.
    """
    from sklearn.svm import SVC

    scores = score_pool(pool, parallel)
    lowest = PoolScores(np.where(np.isfinite(scores.scores), -scores.scores, -np.inf).astype(np.float32), scores.words)
    bad = _features(pool, parallel, choose_best(lowest, Budget(words=words)))
    first = score_pool(good, parallel)
    early = PoolScores(np.where(np.isfinite(first.scores), 0.0, -np.inf).astype(np.float32), first.words)
    fine = _features(good, parallel, choose_best(early, Budget(words=words)))
    for rows, path in ((bad, pool.source), (fine, good.source)):
        if not len(rows):
            detail = f"{path} has no pair with {parallel.low + 1} to {parallel.top - 1} words of the source"
            raise InputError("empty-input", detail, (str(path),))
    machine = SVC(C=c, gamma=gamma)
    machine.fit(np.concatenate([fine, bad]), np.repeat([1, 0], [len(fine), len(bad)]))
    return ClassifierScorer(parallel, machine)


def _features(pool: Pool, parallel: ParallelScorer, chosen: np.ndarray) -> Float64s:
    rows = [np.zeros((0, 12))]
    for chunk in pool.chunks():
        wanted = chosen[chunk.first : chunk.first + len(chunk)]
        if wanted.any():
            rows.append(parallel.values(chunk)[wanted])
    return np.concatenate(rows)
