"""Word features, keys and numbers alike, into the buckets of a weight vector."""

from collections.abc import Sequence

import numpy as np

from app.features.declaration import Feature
from app.features.view import View
from app.features.word_level.words import is_key
from app.text.arrays import Float64s, Int32s, UInt64s
from app.text.hashing import combine_all, hash_tokens

__all__ = ["BINS", "feature_buckets", "number_cuts"]

BINS = 12


def number_cuts(features: Sequence[Feature], columns: Sequence[np.ndarray]) -> dict[str, Float64s]:
    """Cuts of each number into `BINS` equally filled bins, by feature id."""
    cuts = {}
    for feature, values in zip(features, columns, strict=True):
        if not is_key(values):
            cuts[feature.id] = np.quantile(values, np.arange(1, BINS) / BINS) if len(values) else np.zeros(BINS - 1)
    return cuts


def columns_of(features: Sequence[Feature], view: View) -> list[np.ndarray]:
    """The values of each feature at every position: uint64 keys or float64 numbers."""
    found = [np.asarray(feature.compute(view)) for feature in features]
    return [values if is_key(values) else values.astype(np.float64) for values in found]


def feature_buckets(features: Sequence[Feature], columns: Sequence[np.ndarray], cuts: dict[str, Float64s], buckets: int) -> Int32s:
    """The bucket of each feature at each position, shape (positions, k): a hash of the feature and its value."""
    out = np.empty((len(columns[0]), len(features)), np.int32)
    for k, (feature, values) in enumerate(zip(features, columns, strict=True)):
        keys: UInt64s = values if is_key(values) else np.searchsorted(cuts[feature.id], values).astype(np.uint64)
        seed = np.full(len(keys), hash_tokens([feature.id])[0], np.uint64)
        out[:, k] = (combine_all(seed, keys) % np.uint64(buckets)).astype(np.int32)
    return out
