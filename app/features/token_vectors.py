"""Token vectors of sources and of their translations, as an encoder of sentences computes them."""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from app.arrays import Float32s, Int64s
from app.resources.encoders import EncodedTokens

__all__ = ["EncodedSides", "directions"]


@dataclass(frozen=True)
class EncodedSides:
    """Token vectors of n sources and of their n translations."""

    source: EncodedTokens
    target: EncodedTokens

    def __len__(self) -> int:
        return len(self.source.offsets) - 1

    def rows(self) -> Iterator[tuple[Float32s, Float32s]]:
        """Token vectors (s, d) and (t, d) of each source and its translation."""
        for (a, b), (c, d) in zip(_slices(self.source.offsets), _slices(self.target.offsets), strict=True):
            yield self.source.vectors[a:b], self.target.vectors[c:d]

    def sentences(self) -> tuple[Float32s, Float32s]:
        """Mean token vectors of sources and translations, scaled to length 1; zeros for texts without tokens; both (n, d)."""
        return _means(self.source), _means(self.target)


def _means(tokens: EncodedTokens) -> Float32s:
    out = np.zeros((len(tokens.offsets) - 1, tokens.vectors.shape[1]), np.float32)
    for row, (begin, end) in enumerate(_slices(tokens.offsets)):
        if end > begin:
            out[row] = tokens.vectors[begin:end].mean(0)
    return directions(out)


def _slices(offsets: Int64s) -> list[tuple[int, int]]:
    return list(zip(offsets[:-1].tolist(), offsets[1:].tolist(), strict=True))


def directions(vectors: Float32s) -> Float32s:
    """Rows with length 1; zeros stay zeros."""
    return np.asarray(vectors / np.maximum(np.linalg.norm(vectors, axis=1, keepdims=True), np.float32(1e-12)))
