"""Topics of two languages: a topic has words of both, so that texts of either language have shares of the same topics.

Latent Dirichlet allocation (Blei et al. 2003) with a word distribution per language (Mimno et al. 2009), as features by Rubino et
al. 2013.
"""

from dataclasses import dataclass
from typing import Final

import numpy as np

from app.arrays import Float32s, Float64s, Int64s, UInt64s
from app.text.batch import TokenColumn
from app.text.hashing import rows_of_keys

__all__ = ["TopicModel", "TopicWords"]

# A fixed number of steps gives equal texts equal shares in any batch, at a bounded cost.
STEPS: Final = 40
# Segments at a time, to bound memory.
CHUNK: Final = 128
# Keeps a division from 0, as in scikit-learn.
SMALL: Final = float(np.finfo(np.float64).eps)


@dataclass(frozen=True, eq=False)
class TopicWords:
    """Words of one language: sorted hashes (v,), and exp(E[log p(word | topic)]) of each word and topic; shape (v, k)."""

    words: UInt64s
    weights: Float32s

    def arrays(self) -> dict[str, np.ndarray]:
        """Stored arrays by name."""
        return {"words": self.words, "weights": self.weights}


@dataclass(frozen=True, eq=False)
class TopicModel:
    """Words of k topics in both languages; `prior` is the Dirichlet parameter of each topic in a text."""

    source: TopicWords
    target: TopicWords
    prior: float

    def source_shares(self, column: TokenColumn) -> Float64s:
        """Shares of topics in source segments; shape (n, k), rows sum to 1. All are equal without known words."""
        return self._shares(self.source, column)

    def target_shares(self, column: TokenColumn) -> Float64s:
        """Shares of topics in translations; shape (n, k), rows sum to 1. All are equal without known words."""
        return self._shares(self.target, column)

    def _shares(self, side: TopicWords, column: TokenColumn) -> Float64s:
        rows = rows_of_keys(side.words, column.hashes)
        out = np.empty((len(column), side.weights.shape[1]))
        for begin in range(0, len(column), CHUNK):
            offsets = column.offsets[begin : begin + CHUNK + 1]
            out[begin : begin + CHUNK] = self._chunk(side, rows[column.ids[offsets[0] : offsets[-1]]], offsets - offsets[0])
        return out

    def _chunk(self, side: TopicWords, tokens: Int64s, offsets: Int64s) -> Float64s:
        """Variational inference from the distinct words of a few segments, whose tokens are rows of the words or -1."""
        # Few commands use topics, and this import takes a tenth of a second.
        from scipy.special import digamma

        n, width = len(offsets) - 1, max(1, len(side.words))
        mask = tokens >= 0
        keys = np.unique(np.repeat(np.arange(n), np.diff(offsets))[mask] * width + tokens[mask])
        segments = keys // width
        weights = side.weights[keys % width].astype(np.float64)
        present, begins = np.unique(segments, return_index=True)
        strengths = np.ones((n, side.weights.shape[1]))
        for _ in range(STEPS if len(keys) else 0):
            expected = np.exp(digamma(strengths) - digamma(strengths.sum(1, keepdims=True)))
            scales = 1 / ((expected[segments] * weights).sum(1) + SMALL)
            strengths = np.full_like(strengths, self.prior)
            strengths[present] += expected[present] * np.add.reduceat(scales[:, None] * weights, begins)
        return strengths / strengths.sum(1, keepdims=True)
