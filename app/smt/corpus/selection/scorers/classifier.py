"""LA-SVM: a classifier of parallel features, good data against the worst pairs (Song 2015, 4.4.5)."""

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
    """Signed distance from the boundary of a support vector machine, positive for good data."""

    parallel: ParallelScorer
    machine: Any

    def score(self, chunk: PoolChunk) -> Float64s:
        """Distances, shape (pairs,); minus infinity for lengths outside the limits."""
        fits = self.parallel.fits(chunk)
        out = np.full(len(chunk), -np.inf)
        if fits.any():
            out[fits] = self.machine.decision_function(self.parallel.values(chunk)[fits])
        return out


def train_classifier(
    pool: Pool, good: Pool, parallel: ParallelScorer, words: int = 30_000, c: float = 1.0, gamma: float = 1.0
) -> ClassifierScorer:
    """Train on the first `words` words of good data, and on as many words of pool pairs with the lowest sums of features.

    The kernel is radial; 1 is the default of SVM-light for `c` and `gamma`. InputError if good data or pool have no pair within
    the limits of length.
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


def _features(pool: Pool, parallel: ParallelScorer, mask: np.ndarray) -> Float64s:
    rows = [np.zeros((0, 12))]
    for chunk in pool.chunks():
        chunk_mask = mask[chunk.first : chunk.first + len(chunk)]
        if chunk_mask.any():
            rows.append(parallel.values(chunk)[chunk_mask])
    return np.concatenate(rows)
