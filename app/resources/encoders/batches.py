"""Texts of like length together, so that none waits for a longer one and a batch is a bounded piece of work."""

from collections.abc import Iterator, Sequence

import numpy as np

from app.arrays import Float32s

__all__ = ["batches_by_length", "unit_vectors"]


def batches_by_length(lengths: Sequence[int], most: int) -> Iterator[list[int]]:
    """Numbers of texts, the shortest first, as many together as have `most` tokens; one that is longer alone."""
    batch: list[int] = []
    tokens = 0
    for number in np.argsort(np.array(lengths, np.int64), kind="stable").tolist():
        if batch and tokens + lengths[number] > most:
            yield batch
            batch, tokens = [], 0
        batch.append(number)
        tokens += lengths[number]
    if batch:
        yield batch


def unit_vectors(vectors: Float32s) -> Float32s:
    """Vectors (n, d) with length 1; one of zeros remains."""
    lengths = np.sqrt(np.einsum("nd,nd->n", vectors, vectors, dtype=np.float64))
    return (vectors / np.maximum(lengths, 1e-12)[:, None]).astype(np.float32)
