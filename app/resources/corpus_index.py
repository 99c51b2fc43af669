"""Nearest training segments of a segment, by the cosine of tf-idf vectors over an inverted index."""

from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Final

import numpy as np
from numba import njit
from safetensors.numpy import load_file

from app.arrays import Bools, Float64s, Int32s, Int64s, UInt64s
from app.text.batch import TokenColumn
from app.text.hashing import rows_of_keys

__all__ = ["CorpusIndex", "SegmentIndex"]

# 2 ** 64 over the golden ratio. It is odd, so that none of its powers is 0 modulo 2 ** 64.
ODD: Final = 0x9E3779B97F4A7C15


@dataclass(frozen=True)
class SegmentIndex:
    """Segments of one side: ``words[ids[offsets[i]:offsets[i + 1]]]`` are the token hashes of segment i; `words` is sorted."""

    words: UInt64s
    ids: Int32s
    offsets: Int64s

    @classmethod
    def of(cls, column: TokenColumn) -> "SegmentIndex":
        """Index of tokenised segments."""
        order = np.argsort(column.hashes)
        rank = np.empty(len(order), np.int32)
        rank[order] = np.arange(len(order), dtype=np.int32)
        return cls(column.hashes[order], rank[column.ids], column.offsets)

    def __len__(self) -> int:
        return len(self.offsets) - 1

    @cached_property
    def _postings(self) -> tuple[Float64s, Int64s, Int32s, Float64s]:
        """idf of each word, log(segments / segments with the word); its segments, with its weight in their unit vectors, as CSR.

        Of equal segments the first alone is found, so that the nearest ones are distinct.
        """
        n, width = len(self), max(1, len(self.words))
        rows = np.repeat(np.arange(n), np.diff(self.offsets))
        keys, counts = np.unique(self.ids.astype(np.int64) * n + rows, return_counts=True)
        words, segments = keys // n, (keys % n).astype(np.int32)
        idf = np.log(n / np.maximum(np.bincount(words, minlength=len(self.words)), 1))
        weights = counts * idf[words]
        norms = np.sqrt(np.bincount(segments, weights**2, n))
        norms[norms == 0] = 1
        is_first = np.zeros(n, np.bool_)
        is_first[np.unique(_sequence_keys(self.words, self.ids, self.offsets), return_index=True)[1]] = True
        mask = is_first[segments]
        words, segments, weights = words[mask], segments[mask], weights[mask]
        begins = np.searchsorted(words, np.arange(width + 1))
        return idf, begins.astype(np.int64), segments, weights / norms[segments]

    def prepare(self) -> None:
        """Build the inverted index, so that the first request does not wait for it."""
        _ = self._postings

    def nearest(self, column: TokenColumn, limit: int) -> tuple[Int32s, Float64s]:
        """Nearest segments of each segment of `column`, and their cosines; shape (n, limit) each, padded by -1 and 0."""
        corpus_ids = rows_of_keys(self.words, column.hashes)
        return _nearest(corpus_ids, column.ids, column.offsets, *self._postings, len(self), limit)

    @cached_property
    def _keys(self) -> UInt64s:
        """Sorted keys of all segments' word sequences, for lookups of thousands of segments."""
        return np.sort(_sequence_keys(self.words, self.ids, self.offsets))

    def holds(self, column: TokenColumn) -> Bools:
        """Mask of the segments of `column` that equal an indexed segment word for word; shape (n,). Empty segments never do."""
        rows = rows_of_keys(self._keys, _sequence_keys(column.hashes, column.ids, column.offsets))
        return np.asarray((rows >= 0) & (np.diff(column.offsets) > 0))

    def arrays(self, prefix: str) -> dict[str, np.ndarray]:
        """Stored arrays by name."""
        ids = self.ids.astype(np.uint16 if len(self.words) <= 1 << 16 else np.uint32)
        return {f"{prefix}.words": self.words, f"{prefix}.ids": ids, f"{prefix}.offsets": self.offsets}


@dataclass(frozen=True)
class CorpusIndex:
    """Segment indexes of both sides of a pair's training text."""

    source: SegmentIndex
    target: SegmentIndex

    @classmethod
    def load(cls, path: Path) -> "CorpusIndex":
        """Read a safetensors file of `arrays`."""
        arrays = load_file(path)
        sides = [
            SegmentIndex(arrays[f"{side}.words"], arrays[f"{side}.ids"].astype(np.int32), arrays[f"{side}.offsets"])
            for side in ("source", "target")
        ]
        for side in sides:
            side.prepare()
        return cls(*sides)

    def arrays(self) -> dict[str, np.ndarray]:
        """Stored arrays by name."""
        return {**self.source.arrays("source"), **self.target.arrays("target")}


def _sequence_keys(words: UInt64s, ids: Int32s, offsets: Int64s) -> UInt64s:
    """64-bit key of each segment's word sequence: a polynomial of the word hashes, modulo 2 ** 64."""
    lengths = np.diff(offsets)
    factors = np.cumprod(np.full(int(lengths.max(initial=0)), ODD, np.uint64), dtype=np.uint64)
    places = np.arange(len(ids)) - np.repeat(offsets[:-1], lengths)
    sums = np.concatenate([np.zeros(1, np.uint64), np.cumsum(words[ids] * factors[places], dtype=np.uint64)])
    return np.asarray(sums[offsets[1:]] - sums[offsets[:-1]])


@njit(cache=True, nogil=True)
def _nearest(
    corpus_ids: Int64s,
    ids: Int32s,
    offsets: Int64s,
    idf: Float64s,
    begins: Int64s,
    segments: Int32s,
    weights: Float64s,
    size: int,
    limit: int,
) -> tuple[Int32s, Float64s]:
    n = len(offsets) - 1
    nearest = np.full((n, limit), -1, np.int32)
    cosines = np.zeros((n, limit))
    sums = np.zeros(size)
    candidates = np.empty(size, np.int32)
    for i in range(n):
        count = 0
        tokens = np.sort(ids[offsets[i] : offsets[i + 1]])
        norm = 0.0
        k = 0
        while k < len(tokens):
            token, frequency = tokens[k], 0
            while k < len(tokens) and tokens[k] == token:
                frequency += 1
                k += 1
            word = corpus_ids[token]
            if word < 0:
                # A word outside the corpus has the largest idf.
                norm += (frequency * np.log(float(size))) ** 2
                continue
            weight = frequency * idf[word]
            norm += weight * weight
            if weight == 0.0:
                continue
            for p in range(begins[word], begins[word + 1]):
                if sums[segments[p]] == 0.0:
                    candidates[count] = segments[p]
                    count += 1
                sums[segments[p]] += weight * weights[p]
        for c in range(count):
            segment = candidates[c]
            value = sums[segment] / np.sqrt(norm) if norm > 0 else 0.0
            sums[segment] = 0.0
            place = limit
            # The nearest comes first; of equally near segments, the earlier.
            while place > 0 and (
                value > cosines[i, place - 1] or (value == cosines[i, place - 1] and segment < nearest[i, place - 1])
            ):
                place -= 1
            if place < limit and value > 0:
                for j in range(limit - 1, place, -1):
                    nearest[i, j], cosines[i, j] = nearest[i, j - 1], cosines[i, j - 1]
                nearest[i, place], cosines[i, place] = segment, value
    return nearest, cosines
