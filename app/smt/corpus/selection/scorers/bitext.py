"""Scorer of bitext: translation probability, and fluency of both sides (Khadivi and Ney 2005)."""

from dataclasses import dataclass
from math import log

import numpy as np

from app.arrays import Float64s
from app.smt.corpus.selection.pool import PoolChunk
from app.smt.corpus.selection.scorers.entropies import SideModel
from app.smt.corpus.selection.scoring import Scorer

__all__ = ["BitextScorer"]


@dataclass(frozen=True)
class BitextScorer:
    """Score of a translation model, in nats a word, minus `weight` times the mean cross-entropy of the sides."""

    translation: Scorer
    models: dict[int, SideModel]
    weight: float

    def score(self, chunk: PoolChunk) -> Float64s:
        """Scores of pairs, higher is better; shape (pairs,)."""
        columns = (chunk.pairs.source, chunk.pairs.target)
        costs = np.mean([model.entropies(columns[side]) for side, model in self.models.items()], axis=0)
        return np.asarray(self.translation.score(chunk) - self.weight * log(2.0) * costs)
