"""Scores of all pairs of a pool, by anything that scores a chunk."""

from dataclasses import dataclass
from typing import Protocol

import numpy as np

from app.arrays import Float32s, Float64s, Int32s
from app.smt.corpus.selection.pool import Pool, PoolChunk

__all__ = ["PoolScores", "Scorer", "score_pool"]


class Scorer(Protocol):
    """What says how much a pair is wanted. A pair's score depends on the pair and its place alone, and not on its chunk."""

    def score(self, chunk: PoolChunk) -> Float64s:
        """Higher is better; shape (pairs,). Pairs that are not usable may have any."""
        ...


@dataclass(frozen=True)
class PoolScores:
    """Scores of n pairs, minus infinity for those that are not to be chosen, and their words of the source; 8 bytes a pair."""

    scores: Float32s
    words: Int32s

    def __len__(self) -> int:
        return len(self.scores)


def score_pool(pool: Pool, scorer: Scorer) -> PoolScores:
    """One pass over a pool. Minus infinity for pairs that are not usable, and in the place of what is no number."""
    scores: list[Float32s] = []
    words: list[Int32s] = []
    for chunk in pool.chunks():
        values = np.where(chunk.usable, scorer.score(chunk), -np.inf)
        scores.append(np.where(np.isnan(values), -np.inf, values).astype(np.float32))
        words.append(chunk.pairs.source.lengths.astype(np.int32))
    return PoolScores(np.concatenate(scores), np.concatenate(words))
