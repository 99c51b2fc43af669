"""How well the tokens of two texts find one another by their vectors: precision and recall as BERTScore has them, across languages.

Vectors of one network lie in a narrow cone, so their mean is taken away first; what is left tells tokens apart.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

import numpy as np

from app.arrays import Float32s, Float64s, Int64s
from app.resources.encoders import EncodedTokens
from app.running.deadline import check_deadline

__all__ = ["NUMBERS", "EncodedSides", "aligned_numbers", "directions"]

# What is measured, in the order of columns.
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


@dataclass(frozen=True)
class EncodedSides:
    """Token vectors of n sources and of their n translations."""

    source: EncodedTokens
    target: EncodedTokens

    def __len__(self) -> int:
        return len(self.source.offsets) - 1

    def rows(self) -> Iterator[tuple[Float32s, Float32s]]:
        """The token vectors (s, d) and (t, d) of each source and its translation."""
        for (a, b), (c, d) in zip(_slices(self.source.offsets), _slices(self.target.offsets), strict=True):
            yield self.source.vectors[a:b], self.target.vectors[c:d]

    def sentences(self) -> tuple[Float32s, Float32s]:
        """Means of the token vectors of sources and translations with length 1, zeros where there is no token; both (n, d)."""
        return _means(self.source), _means(self.target)


def _means(tokens: EncodedTokens) -> Float32s:
    out = np.zeros((len(tokens.offsets) - 1, tokens.vectors.shape[1]), np.float32)
    for row, (begin, end) in enumerate(_slices(tokens.offsets)):
        if end > begin:
            out[row] = tokens.vectors[begin:end].mean(0)
    return directions(out)


def _slices(offsets: Int64s) -> list[tuple[int, int]]:
    return list(zip(offsets[:-1].tolist(), offsets[1:].tolist(), strict=True))


def aligned_numbers(sides: EncodedSides, centre: Float32s) -> Float64s:
    """The columns of NUMBERS; shape (n, 15), all but the cosine and counts 0 where a side has no token.

    `centre` (d,) is taken from the vector of every token, but not for the cosine.
    """
    source, target = sides.source, sides.target
    u, v = sides.sentences()
    out = np.zeros((len(sides), len(NUMBERS)))
    out[:, 0] = (u * v).sum(1)
    lengths = np.diff(source.offsets), np.diff(target.offsets)
    out[:, 12], out[:, 13] = lengths
    rows = zip(_slices(source.offsets), _slices(target.offsets), strict=True)
    for row, ((a, b), (c, d)) in enumerate(rows):
        if b > a and d > c:
            check_deadline()
            out[row, 1:12] = _pair(directions(source.vectors[a:b] - centre) @ directions(target.vectors[c:d] - centre).T)
            out[row, 14] = np.log((d - c) / (b - a))
    return out


def directions(vectors: Float32s) -> Float32s:
    """Rows with length 1; zeros stay zeros."""
    return np.asarray(vectors / np.maximum(np.linalg.norm(vectors, axis=1, keepdims=True), np.float32(1e-12)))


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
