"""Random scores, of all pairs or within a range of lengths."""

from dataclasses import dataclass

import numpy as np

from app.arrays import Float64s, Int64s, UInt64s
from app.smt.corpus.selection.pool import PoolChunk

__all__ = ["LengthScorer", "RandomScorer", "draw"]


def draw(places: Int64s, seed: int) -> Float64s:
    """Random number in [0, 1) of each position in a text, independent of chunks: SplitMix64 (Steele et al. 2014)."""
    with np.errstate(over="ignore"):
        z = (places.astype(np.uint64) + np.uint64(1) + _mixed(np.array([seed], np.uint64))) * np.uint64(0x9E3779B97F4A7C15)
        return np.asarray((_mixed(z) >> np.uint64(11)).astype(np.float64) * 2.0**-53)


def _mixed(z: UInt64s) -> UInt64s:
    with np.errstate(over="ignore"):
        z = (z ^ (z >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
        z = (z ^ (z >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return z ^ (z >> np.uint64(31))


@dataclass(frozen=True)
class RandomScorer:
    """Random numbers, the baseline of all selectors."""

    seed: int = 1

    def score(self, chunk: PoolChunk) -> Float64s:
        """Numbers in [0, 1); shape (pairs,)."""
        return draw(chunk.first + np.arange(len(chunk)), self.seed)


@dataclass(frozen=True)
class LengthScorer:
    """Random numbers for pairs with `low` to `high` source words, inclusive (Song 2015, 4.4.1)."""

    low: int
    high: int
    seed: int = 1

    def score(self, chunk: PoolChunk) -> Float64s:
        """Numbers in [0, 1), or minus infinity; shape (pairs,)."""
        lengths = chunk.pairs.source.lengths
        inside = (lengths >= self.low) & (lengths <= self.high)
        return np.where(inside, RandomScorer(self.seed).score(chunk), -np.inf)
