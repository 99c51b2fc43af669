"""Batches of texts of similar length, with a bound on the work of a batch."""

from collections.abc import Iterator, Sequence

import numpy as np

from app.arrays import Float32s

__all__ = ["batches_by_length", "unit_vectors"]


def batches_by_length(lengths: Sequence[int], limit: int) -> Iterator[list[int]]:
    """Batches of indices of texts, the shortest first, of at most `limit` tokens, or of one longer text."""
    batch: list[int] = []
    tokens = 0
    for number in np.argsort(np.array(lengths, np.int64), kind="stable").tolist():
        if batch and tokens + lengths[number] > limit:
            yield batch
            batch, tokens = [], 0
        batch.append(number)
        tokens += lengths[number]
    if batch:
        yield batch


def unit_vectors(vectors: Float32s) -> Float32s:
    """Vectors (n, d) of length 1; zero vectors stay zero."""
    lengths = np.sqrt(np.einsum("nd,nd->n", vectors, vectors, dtype=np.float64))
    return (vectors / np.maximum(lengths, 1e-12)[:, None]).astype(np.float32)
