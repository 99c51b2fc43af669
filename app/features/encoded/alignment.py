"""Similarity of the tokens of two texts by their vectors: precision and recall as in BERTScore, across languages.

Vectors of a network lie in a narrow cone. Their mean is subtracted, since only the differences distinguish tokens.
"""

from typing import Final

import numpy as np

from app.arrays import Float32s, Float64s
from app.features.token_vectors import EncodedSides, directions
from app.running.deadline import check_deadline

__all__ = ["NUMBERS", "aligned_numbers"]

# Measured numbers, in the order of columns.
NUMBERS: Final = (
    ("cosine", "Cosine of the mean vectors of both texts"),
    ("source.mean", "Mean over source tokens of the similarity with the nearest token of the translation"),
    ("target.mean", "Mean over tokens of the translation of the similarity with the nearest source token"),
    ("source.lowest", "Similarity of the source token that is farthest from the translation"),
    ("target.lowest", "Similarity of the token of the translation that is farthest from the source"),
    ("source.worst_quarter", "Mean similarity of the worst quarter of the source tokens"),
    ("target.worst_quarter", "Mean similarity of the worst quarter of the tokens of the translation"),
    ("source.spread", "Standard deviation of the similarities of source tokens"),
    ("target.spread", "Standard deviation of the similarities of tokens of the translation"),
    ("source.mutual", "Share of source tokens whose nearest token has them as its nearest"),
    ("target.mutual", "Share of tokens of the translation whose nearest token has them as its nearest"),
    ("jumps", "Mean distance in the translation between what is nearest to neighbours in the source"),
    ("source.tokens", "Tokens of the source, as the encoder cuts them"),
    ("target.tokens", "Tokens of the translation, as the encoder cuts them"),
    ("length_ratio", "Logarithm of tokens of the translation per source token"),
)


def aligned_numbers(sides: EncodedSides, centre: Float32s) -> Float64s:
    """The columns of NUMBERS; shape (n, 15), all but the cosine and counts 0 for a side without tokens.

    `centre` (d,) is subtracted from the vector of every token, but not for the cosine.
    """
    u, v = sides.sentences()
    out = np.zeros((len(sides), len(NUMBERS)))
    out[:, 0] = (u * v).sum(1)
    out[:, 12], out[:, 13] = np.diff(sides.source.offsets), np.diff(sides.target.offsets)
    for row, (source, target) in enumerate(sides.rows()):
        if len(source) and len(target):
            check_deadline()
            out[row, 1:12] = _pair(directions(source - centre) @ directions(target - centre).T)
            out[row, 14] = np.log(len(target) / len(source))
    return out


def _pair(similarity: Float32s) -> Float64s:
    """Columns 1 to 11 of one pair of texts from the similarities of its tokens (s, t)."""
    of_source, of_target = similarity.max(1), similarity.max(0)
    nearest, nearest_back = similarity.argmax(1), similarity.argmax(0)
    jumps = np.abs(np.diff(nearest))
    return np.array(
        [
            of_source.mean(),
            of_target.mean(),
            of_source.min(),
            of_target.min(),
            _worst_quarter(of_source),
            _worst_quarter(of_target),
            of_source.std(),
            of_target.std(),
            (nearest_back[nearest] == np.arange(len(nearest))).mean(),
            (nearest[nearest_back] == np.arange(len(nearest_back))).mean(),
            jumps.mean() if len(jumps) else 0.0,
        ],
        np.float64,
    )


def _worst_quarter(similarities: Float32s) -> float:
    return float(np.sort(similarities)[: max(1, len(similarities) // 4)].mean())
