"""Choice of segments that people judge for a comparison of systems: disagreement of systems, and diversity of the sources.

Zouhar et al. (2025, "How to select datapoints for efficient human evaluation of NLG models?") choose by the variance of a metric
over systems and by diversity.
"""

from collections.abc import Sequence
from typing import Final
from zlib import crc32

import numpy as np

from app.arrays import Float64s, Int64s

__all__ = ["choose_segments", "disagreement", "pool_of"]

# Trigrams of characters fall into so many classes; more of them change no choice of a few hundred segments.
CLASSES: Final = 512
LONGEST_TEXT: Final = 2000


def pool_of(count: int, size: int, seed: int) -> Int64s:
    """At most `size` of `count` rows, in order: one at random from each of `size` stretches of nearly equal length."""
    if count <= size:
        return np.arange(count)
    bounds = np.linspace(0, count, size + 1).astype(np.int64)
    return np.random.default_rng(seed).integers(bounds[:-1], bounds[1:])


def disagreement(scores: Float64s, stds: Float64s) -> Float64s:
    """Standard deviation of the quality of a random system's translation, for predictions (n, systems); shape (n,).

    Its square is the variance of the predicted scores over systems, plus the mean variance of the predictions.
    """
    return np.asarray(np.sqrt(scores.var(1) + (stds * stds).mean(1)))


def choose_segments(sources: Sequence[str], worth: Float64s, count: int, seed: int) -> Int64s:
    """At most `count` rows of `worth` (n,), the best first: each maximises worth times distance to the choice so far.

    The distance is 1 less the highest cosine of trigrams of characters, so a repeated source comes last. A seed orders ties. The
    time grows with n times `count`.
    """
    order = np.random.default_rng(seed).permutation(len(sources))
    vectors = _vectors([sources[row] for row in order])
    distance, is_free = np.ones(len(order)), np.ones(len(order), bool)
    choice: list[int] = []
    for _ in range(min(count, len(order))):
        best = int(np.argmax(np.where(is_free, worth[order] * distance, -1.0)))
        choice.append(best)
        is_free[best] = False
        distance = np.minimum(distance, np.maximum(1.0 - vectors @ vectors[best], 0.0))
    return np.asarray(order[np.array(choice, np.int64)], np.int64)


def _vectors(texts: Sequence[str]) -> Float64s:
    """Unit vectors of weighted trigrams; shape (n, classes). A trigram of every text has no weight."""
    counts = np.zeros((len(texts), CLASSES))
    for row, text in enumerate(texts):
        padded_text = f"  {text[:LONGEST_TEXT].lower()} "
        classes = [crc32(padded_text[k : k + 3].encode("utf-8", "surrogatepass")) % CLASSES for k in range(len(padded_text) - 2)]
        np.add.at(counts[row], classes, 1.0)
    weights = np.log((len(texts) + 1) / ((counts > 0).sum(0) + 1)) + 1e-3
    weighted = np.sqrt(counts) * weights
    norms = np.sqrt((weighted * weighted).sum(1, keepdims=True))
    return np.asarray(np.divide(weighted, norms, out=np.zeros_like(weighted), where=norms > 0))
