"""Groups of texts with a bound on the work of a group."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import TypeVar

import numpy as np

from app.arrays import Float32s

__all__ = ["batches_by_length", "grouped", "unit_vectors"]

T = TypeVar("T")


def batches_by_length(lengths: Sequence[int], limit: int) -> Iterator[list[int]]:
    """Batches of indices of texts, the shortest first, of at most `limit` tokens, or of one longer text."""
    return grouped(np.argsort(np.array(lengths, np.int64), kind="stable").tolist(), lengths.__getitem__, limit)


def grouped(items: Iterable[T], size_of: Callable[[T], int], limit: int) -> Iterator[list[T]]:
    """Groups of neighbouring items with sizes of at most `limit` in all, or of one larger item."""
    group: list[T] = []
    size = 0
    for item in items:
        if group and size + size_of(item) > limit:
            yield group
            group, size = [], 0
        group.append(item)
        size += size_of(item)
    if group:
        yield group


def unit_vectors(vectors: Float32s) -> Float32s:
    """Vectors (n, d) of length 1; zero vectors stay zero."""
    lengths = np.sqrt(np.einsum("nd,nd->n", vectors, vectors, dtype=np.float64))
    return (vectors / np.maximum(lengths, 1e-12)[:, None]).astype(np.float32)
