"""Word features, keys and numbers alike, into the buckets of a weight vector."""

from collections.abc import Sequence
from functools import lru_cache

import numpy as np

from app.arrays import Float64s, Int32s
from app.features.declaration import Feature
from app.features.view import View
from app.features.word_level.words import is_key
from app.predictors.word_tags.bucket_kernel import hashed_buckets
from app.text.hashing import hash_tokens

__all__ = ["BINS", "bin_edges", "feature_buckets"]

BINS = 12
_seeds_of = lru_cache(maxsize=64)(hash_tokens)


def bin_edges(features: Sequence[Feature], columns: Sequence[np.ndarray]) -> dict[str, Float64s]:
    """Between `BINS` equally filled bins of each number, by feature id."""
    edges = {}
    for feature, values in zip(features, columns, strict=True):
        if not is_key(values):
            edges[feature.id] = np.quantile(values, np.arange(1, BINS) / BINS) if len(values) else np.zeros(BINS - 1)
    return edges


def columns_of(features: Sequence[Feature], view: View) -> list[np.ndarray]:
    """The values of each feature at every position: uint64 keys or float64 numbers."""
    columns = [np.asarray(feature.compute(view)) for feature in features]
    return [values if is_key(values) else values.astype(np.float64) for values in columns]


def feature_buckets(features: Sequence[Feature], columns: Sequence[np.ndarray], edges: dict[str, Float64s], buckets: int) -> Int32s:
    """The bucket of each feature at each position, shape (positions, k): a hash of the feature and its value."""
    keys = np.empty((len(features), len(columns[0])), np.uint64)
    for k, (feature, values) in enumerate(zip(features, columns, strict=True)):
        keys[k] = values if is_key(values) else np.searchsorted(edges[feature.id], values)
    bucket_numbers: Int32s = hashed_buckets(keys, _seeds_of(tuple(feature.id for feature in features)), buckets)
    return bucket_numbers
