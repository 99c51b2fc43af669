"""Scores of all pairs of a pool, from a scorer of chunks."""

from dataclasses import dataclass
from typing import Protocol

import numpy as np

from app.arrays import Float32s, Float64s, Int32s
from app.smt.corpus.selection.pool import Pool, PoolChunk

__all__ = ["PlaceScorer", "PoolScores", "Scorer", "score_pool"]


class Scorer(Protocol):
    """Scorer of pairs for a selection. A score depends on the pair and its position, not on its chunk."""

    def score(self, chunk: PoolChunk) -> Float64s:
        """Scores of pairs, higher is better; shape (pairs,). Unusable pairs may have any score."""
        ...


@dataclass(frozen=True)
class PlaceScorer:
    """Precomputed scores, by position in the pool."""

    scores: Float64s

    def score(self, chunk: PoolChunk) -> Float64s:
        """Scores of a chunk, shape (pairs,); minus infinity beyond the last position."""
        scores = self.scores[chunk.first : chunk.first + len(chunk)]
        return np.concatenate([scores, np.full(len(chunk) - len(scores), -np.inf)])


@dataclass(frozen=True)
class PoolScores:
    """Scores of n pairs, minus infinity for unusable ones, and numbers of source words; 8 bytes a pair."""

    scores: Float32s
    words: Int32s

    def __len__(self) -> int:
        return len(self.scores)


def score_pool(pool: Pool, scorer: Scorer) -> PoolScores:
    """Score a pool in one pass. Unusable pairs and NaN scores become minus infinity."""
    scores: list[Float32s] = []
    words: list[Int32s] = []
    for chunk in pool.chunks():
        values = np.where(chunk.usable, scorer.score(chunk), -np.inf)
        scores.append(np.where(np.isnan(values), -np.inf, values).astype(np.float32))
        words.append(chunk.pairs.source.lengths.astype(np.int32))
    return PoolScores(np.concatenate(scores), np.concatenate(words))
