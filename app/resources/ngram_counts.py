"""n-gram counts of a corpus with frequency quartiles, keyed by hashes of the n-grams."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numba import njit
from safetensors.numpy import load_file

from app.arrays import Float64s, Int64s, UInt64s
from app.text.batch import TokenColumn
from app.text.hashing import combine, combine_all, find_key
from app.text.ngrams import count_ngrams

__all__ = ["NgramCounts", "frequency_quartiles"]

ORDERS = 3
# QuEst's count files leave out n-grams seen once or twice.
FEWEST = 3


def frequency_quartiles(counts: Int64s) -> Int64s:
    """Cut-offs 1 to 4 of the kept counts: with f ascending and m = len(f) - 1, ``f[floor(j m / 4)]``; shape (4,)."""
    if not len(counts):
        return np.zeros(4, np.int64)
    ascending = np.sort(counts)
    return ascending[np.arange(1, 5) * (len(ascending) - 1) // 4].astype(np.int64)


@dataclass(frozen=True)
class NgramCounts:
    """n-grams seen more than twice, and the frequency of every word.

    For orders n = 1, 2, 3: ``keys[n - 1]`` sorted, ``counts[n - 1]`` beside it, ``cutoffs[n - 1]`` of
    shape (4,). `words` (sorted token hashes) and `word_counts` hold all words, rare ones too.
    """

    keys: tuple[UInt64s, ...]
    counts: tuple[Int64s, ...]
    cutoffs: tuple[Int64s, ...]
    words: UInt64s
    word_counts: Int64s

    @classmethod
    def from_counts(cls, tables: Sequence[tuple[UInt64s, Int64s]], words: UInt64s, word_counts: Int64s) -> "NgramCounts":
        """Build from unsorted (keys, counts) of the kept n-grams of each order, and of all words."""
        by_word = np.argsort(words)
        orders = [np.argsort(keys) for keys, _ in tables]
        return cls(
            tuple(keys[order] for order, (keys, _) in zip(orders, tables, strict=True)),
            tuple(counts[order].astype(np.int64) for order, (_, counts) in zip(orders, tables, strict=True)),
            tuple(frequency_quartiles(counts) for _, counts in tables),
            words[by_word],
            word_counts[by_word].astype(np.int64),
        )

    @classmethod
    def count(cls, column: TokenColumn) -> "NgramCounts":
        """Count a corpus, inside segments."""
        ngram_tables = count_ngrams(column.ids.astype(np.int64), column.lengths, len(column.vocabulary), ORDERS)
        keys = column.hashes
        tables = []
        for table in ngram_tables:
            keys = keys if table is ngram_tables[0] else combine_all(keys[table.prefix], column.hashes[table.last])
            kept = table.count >= FEWEST
            tables.append((keys[kept], table.count[kept]))
        return cls.from_counts(tables, column.hashes, ngram_tables[0].count)

    @classmethod
    def load(cls, path: Path) -> "NgramCounts":
        """Read the safetensors file that `arrays` describes."""
        arrays = load_file(path)
        orders = range(1, ORDERS + 1)
        return cls(
            tuple(arrays[f"keys.{n}"] for n in orders),
            tuple(arrays[f"counts.{n}"].astype(np.int64) for n in orders),
            tuple(arrays[f"cutoffs.{n}"] for n in orders),
            arrays["words"],
            arrays["word_counts"].astype(np.int64),
        )

    def arrays(self) -> dict[str, np.ndarray]:
        """What is stored: ``keys.n``, ``counts.n`` and ``cutoffs.n`` for n = 1, 2, 3; ``words`` and ``word_counts``."""
        stored: dict[str, np.ndarray] = {"words": self.words, "word_counts": self.word_counts.astype(np.uint32)}
        for n in range(1, ORDERS + 1):
            stored[f"keys.{n}"] = self.keys[n - 1]
            stored[f"counts.{n}"] = self.counts[n - 1].astype(np.uint32)
            stored[f"cutoffs.{n}"] = self.cutoffs[n - 1]
        return stored

    def shares(self, column: TokenColumn, order: int) -> Float64s:
        """Of every segment's n-grams, the shares in frequency quartiles 1 to 4, and of its distinct ones the share seen.

        Shape (n, 5), 0 where a segment is shorter than the order.
        """
        return _shares(
            self.keys[order - 1],
            self.counts[order - 1],
            self.cutoffs[order - 1],
            column.hashes,
            column.ids,
            column.offsets,
            order,
        )

    def word_frequencies(self, hashes: UInt64s) -> Int64s:
        """Corpus count of each token hash, 0 for words that never occur."""
        return _lookup(self.words, self.word_counts, hashes)


def _lookup(keys: UInt64s, counts: Int64s, hashes: UInt64s) -> Int64s:
    if not len(keys):
        return np.zeros(len(hashes), np.int64)
    at = np.minimum(np.searchsorted(keys, hashes), len(keys) - 1)
    return np.where(keys[at] == hashes, counts[at], 0)


@njit(cache=True, nogil=True)
def ngram_key(hashes: UInt64s, ids: np.ndarray, at: int, order: int) -> np.uint64:
    """The key of the n-gram of `order` tokens that starts at `at`."""
    key = hashes[ids[at]]
    for k in range(1, order):
        key = combine(key, hashes[ids[at + k]])
    return key


@njit(cache=True, nogil=True)
def _shares(
    keys: UInt64s, counts: Int64s, cutoffs: Int64s, hashes: UInt64s, ids: np.ndarray, offsets: Int64s, order: int
) -> Float64s:
    n = len(offsets) - 1
    out = np.zeros((n, 5))
    longest = 0
    for i in range(n):
        longest = max(longest, offsets[i + 1] - offsets[i])
    segment_keys = np.empty(longest, np.uint64)
    seen = np.empty(longest, np.bool_)
    for i in range(n):
        size = offsets[i + 1] - offsets[i] - order + 1
        if size <= 0:
            continue
        for k in range(size):
            key = ngram_key(hashes, ids, offsets[i] + k, order)
            row = find_key(keys, key, 0, len(keys))
            segment_keys[k] = key
            seen[k] = row >= 0
            if row < 0:
                continue
            count = counts[row]
            if count <= cutoffs[0]:
                out[i, 0] += 1
            elif count <= cutoffs[1]:
                out[i, 1] += 1
            elif count <= cutoffs[2]:
                out[i, 2] += 1
            elif count <= cutoffs[3]:
                out[i, 3] += 1
        distinct = hits = 0
        by_key = np.argsort(segment_keys[:size])
        for k in range(size):
            if k == 0 or segment_keys[by_key[k]] != segment_keys[by_key[k - 1]]:
                distinct += 1
                hits += seen[by_key[k]]
        out[i, :4] /= size
        out[i, 4] = hits / distinct
    return out
