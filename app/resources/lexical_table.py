"""Lexical translation tables: probabilities of target words for each source word."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path

import numpy as np
from safetensors.numpy import load_file

from app.arrays import Float32s, Float64s, Int64s, UInt64s
from app.text.hashing import hash_tokens, rows_of_keys

__all__ = ["LexicalTable"]

# QuEst skips rarer translations.
LOWEST_PROBABILITY = 0.01


@dataclass(frozen=True)
class LexicalTable:
    """Translations of source words: those of ``source[i]`` are rows ``offsets[i]:offsets[i + 1]``.

    `source` (sorted) and `target` hold token hashes. `probability` is p(target | source) in single precision, for comparisons
    like those of QuEst.
    """

    source: UInt64s
    offsets: Int64s
    target: UInt64s
    probability: Float32s
    _counts_of: dict[float, Int64s] = field(default_factory=dict, repr=False, compare=False)
    _rows_of: dict[str, int] = field(default_factory=dict, repr=False, compare=False)
    _tables_of: dict[tuple[float, ...], Int64s] = field(default_factory=dict, repr=False, compare=False)

    @classmethod
    def from_entries(cls, entries: Sequence[tuple[str, str, float]]) -> "LexicalTable":
        """Table of (source, target, p) rows, without rows of p < 0.01."""
        sources, targets, probabilities = zip(*entries, strict=True) if entries else ((), (), ())
        return cls.of(hash_tokens(sources), hash_tokens(targets), np.array(probabilities, np.float64))

    @classmethod
    def of(cls, source: UInt64s, target: UInt64s, probability: Float64s) -> "LexicalTable":
        """Table of hashes and probabilities, (rows,) each, without rows of p < 0.01."""
        mask = probability >= LOWEST_PROBABILITY
        source, target, probability = source[mask], target[mask], probability[mask]
        order = np.argsort(source, kind="stable")
        words, begins = np.unique(source[order], return_index=True)
        return cls(words, np.append(begins, len(source)).astype(np.int64), target[order], probability.astype(np.float32)[order])

    @classmethod
    def load(cls, path: Path) -> "LexicalTable":
        """Read a safetensors file of `arrays`."""
        arrays = load_file(path)
        return cls(arrays["source"], arrays["offsets"], arrays["target"], arrays["probability"])

    @cached_property
    def by_target(self) -> tuple[UInt64s, Float32s]:
        """`target` and `probability` with the translations of each word sorted by hash, for binary search."""
        rows = np.repeat(np.arange(len(self.source)), np.diff(self.offsets))
        order = np.lexsort((self.target, rows))
        return self.target[order], self.probability[order]

    def arrays(self) -> dict[str, np.ndarray]:
        """Stored arrays by name."""
        return {"source": self.source, "offsets": self.offsets, "target": self.target, "probability": self.probability}

    def rows(self, hashes: UInt64s) -> Int64s:
        """Row of each source token in `source`, -1 for unknown tokens; shape (n,)."""
        return rows_of_keys(self.source, hashes)

    def row_of(self, word: str) -> int:
        """Row of a source word, cached; -1 for an unknown word."""
        if word not in self._rows_of:
            self._rows_of[word] = int(self.rows(hash_tokens([word]))[0])
        return self._rows_of[word]

    def translations(self, hashes: UInt64s, threshold: float) -> Int64s:
        """Number of translations with p > `threshold` of each source token, 0 for unknown tokens; shape (n,)."""
        rows = self.rows(hashes)
        if not len(self.source):
            return np.zeros(len(hashes), np.int64)
        return np.where(rows >= 0, self.per_word(threshold)[rows], 0)

    def counts_above(self, thresholds: tuple[float, ...]) -> Int64s:
        """Number of translations with p above each threshold of every word of `source`, cached; shape (words, thresholds)."""
        if thresholds not in self._tables_of:
            columns = [self.per_word(threshold) for threshold in thresholds]
            self._tables_of[thresholds] = np.ascontiguousarray(np.stack(columns, axis=1))
        return self._tables_of[thresholds]

    def per_word(self, threshold: float) -> Int64s:
        """Number of translations with p > `threshold` of every word of `source`, cached by threshold; shape (words,)."""
        if threshold not in self._counts_of:
            cumulative = np.concatenate([[0], np.cumsum(self.probability > np.float32(threshold))])
            self._counts_of[threshold] = cumulative[self.offsets[1:]] - cumulative[self.offsets[:-1]]
        return self._counts_of[threshold]
