"""n-gram counts of a corpus with frequency quartiles, keyed by hashes of the n-grams."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

import numpy as np
from numba import njit
from safetensors.numpy import load_file

from app.arrays import Float64s, Int64s, UInt64s
from app.text.batch import TokenColumn
from app.text.hashing import combine, combine_all, find_key, rows_of_keys
from app.text.ngrams import count_ngrams

__all__ = ["NgramCounts", "frequency_quartiles"]

ORDERS = 3
# QuEst's count files leave out rarer n-grams.
MINIMUM_COUNT = 3
# Number of the most frequent words that count as stop words.
STOP_WORDS = 100


def frequency_quartiles(counts: Int64s) -> Int64s:
    """Cut-offs j = 1 to 4 of counts: ``f[floor(j m / 4)]`` with the sorted counts f and m = len(f) - 1; shape (4,)."""
    if not len(counts):
        return np.zeros(4, np.int64)
    ascending = np.sort(counts)
    return ascending[np.arange(1, 5) * (len(ascending) - 1) // 4].astype(np.int64)


@dataclass(frozen=True)
class NgramCounts:
    """Counts of n-grams that occur at least three times, and the frequency of every word.

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
        """Counts from unsorted (keys, counts) of the n-grams of each order, and of all words."""
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
        """Count the n-grams within the segments of a corpus."""
        ngram_tables = count_ngrams(column.ids.astype(np.int64), column.lengths, len(column.vocabulary), ORDERS)
        keys = column.hashes
        tables = []
        for table in ngram_tables:
            keys = keys if table is ngram_tables[0] else combine_all(keys[table.prefix], column.hashes[table.last])
            mask = table.count >= MINIMUM_COUNT
            tables.append((keys[mask], table.count[mask]))
        return cls.from_counts(tables, column.hashes, ngram_tables[0].count)

    @classmethod
    def load(cls, path: Path) -> "NgramCounts":
        """Read a safetensors file of `arrays`."""
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
        """Stored arrays: ``keys.n``, ``counts.n`` and ``cutoffs.n`` for n = 1, 2, 3; ``words`` and ``word_counts``."""
        stored: dict[str, np.ndarray] = {"words": self.words, "word_counts": self.word_counts.astype(np.uint32)}
        for n in range(1, ORDERS + 1):
            stored[f"keys.{n}"] = self.keys[n - 1]
            stored[f"counts.{n}"] = self.counts[n - 1].astype(np.uint32)
            stored[f"cutoffs.{n}"] = self.cutoffs[n - 1]
        return stored

    def shares(self, column: TokenColumn, order: int) -> Float64s:
        """Shares of each segment's n-grams in frequency quartiles 1 to 4, and the known share of its distinct n-grams.

        Shape (n, 5). Segments shorter than the order have zeros.
        """
        return _shares(
            self.keys[order - 1], self.counts[order - 1], self.cutoffs[order - 1], column.hashes, column.ids, column.offsets, order
        )

    @cached_property
    def stop_frequency(self) -> int:
        """Frequency of the hundredth most frequent token, the least of a stop word; of the rarest among fewer tokens, 0 without."""
        ascending = np.sort(self.word_counts)
        return int(ascending[-STOP_WORDS:][0]) if len(ascending) else 0

    def word_frequencies(self, hashes: UInt64s) -> Int64s:
        """Corpus count of each token hash, 0 for unknown words; shape (n,)."""
        rows = rows_of_keys(self.words, hashes)
        return np.where(rows >= 0, self.word_counts[rows], 0) if len(self.words) else np.zeros(len(hashes), np.int64)


@njit(cache=True, nogil=True)
def ngram_key(hashes: UInt64s, ids: np.ndarray, start: int, order: int) -> np.uint64:
    """Key of the n-gram of `order` tokens from position `start`."""
    key = hashes[ids[start]]
    for k in range(1, order):
        key = combine(key, hashes[ids[start + k]])
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
    is_known = np.empty(longest, np.bool_)
    for i in range(n):
        size = offsets[i + 1] - offsets[i] - order + 1
        if size <= 0:
            continue
        for k in range(size):
            key = ngram_key(hashes, ids, offsets[i] + k, order)
            row = find_key(keys, key, 0, len(keys))
            segment_keys[k] = key
            is_known[k] = row >= 0
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
                hits += is_known[by_key[k]]
        out[i, :4] /= size
        out[i, 4] = hits / distinct
    return out
