"""A plan of the buckets of a random field's features: which keys and which places of tokens they share, found once."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from app.arrays import Float64s, Int32s, Int64s, UInt64s
from app.features.declaration import Column, Feature
from app.features.view import View
from app.features.word_level.keys import Key, KeyPair
from app.predictors.word_tags.bucket_kernel import NO_NUMBER, buckets_of_keys, buckets_of_numbers
from app.text.hashing import hash_tokens
from app.text.ragged import offsets_of

__all__ = ["BucketPlan"]


@dataclass(frozen=True)
class BucketPlan:
    """Features of words or of gaps, compiled: shared arrays of keys, places of tokens in them, and numbers with their bins.

    `steps` are those of `buckets_of_keys`; `columns` are the places of the numbers among the features.
    """

    width: int
    keys: tuple[Column, ...]
    places: tuple[Callable[[View], Int64s], ...]
    steps: Int64s
    numbers: tuple[Column, ...]
    columns: Int64s
    edges: Float64s
    seeds: UInt64s

    @classmethod
    def of(cls, features: Sequence[Feature], edges: Mapping[str, Float64s]) -> "BucketPlan":
        """Compile declarations; features with `edges` are numbers."""
        keys: dict[Column, int] = {}
        places: dict[Any, int] = {None: NO_NUMBER}
        steps: list[list[int]] = []
        numbers: list[tuple[int, Feature]] = []
        for column, feature in enumerate(features):
            if feature.id in edges:
                numbers.append((column, feature))
                continue
            compute = feature.compute
            pair = (compute.left, compute.right) if isinstance(compute, KeyPair) else (compute, None)
            step = [column]
            for part in pair:
                array, place = (part.keys, part.places) if isinstance(part, Key) else (part, None)
                number = NO_NUMBER if array is None else keys.setdefault(array, len(keys))
                step += [number, places.setdefault(place, len(places) - 1)]
            steps.append(step)
        all_edges = np.array([edges[feature.id] for _, feature in numbers], np.float64)
        return cls(
            len(features),
            tuple(keys),
            tuple(place for place in places if place is not None),
            np.array(steps, np.int64).reshape(-1, 5),
            tuple(feature.compute for _, feature in numbers),
            np.array([column for column, _ in numbers], np.int64),
            all_edges.reshape(len(numbers), -1),
            hash_tokens([feature.id for feature in features]),
        )

    def buckets(self, view: View, positions: int, size: int) -> Int32s:
        """The bucket of each feature at each position, of `size`; shape (positions, k)."""
        out = np.empty((positions, self.width), np.int32)
        if len(self.steps):
            arrays = [view.cached(keys) for keys in self.keys]
            begins = offsets_of([len(array) for array in arrays])
            places = np.empty((len(self.places), positions), np.int64)
            for number, place in enumerate(self.places):
                places[number] = view.cached(place)
            buckets_of_keys(np.concatenate(arrays), begins, places, self.steps, self.seeds, size, out)
        if self.numbers:
            numbers = np.empty((len(self.numbers), positions))
            for number, compute in enumerate(self.numbers):
                numbers[number] = compute(view)
            buckets_of_numbers(numbers, self.edges, self.columns, self.seeds, size, out)
        return out
