"""The loaded form of a lexical translation table."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path

import numpy as np
from safetensors.numpy import load_file

from app.arrays import Float32s, Float64s, Int64s, UInt64s
from app.text.hashing import hash_tokens

__all__ = ["LexicalTable"]

# QuEst never loads rarer translations.
LOWEST_PROBABILITY = 0.01


@dataclass(frozen=True)
class LexicalTable:
    """Translations per source word: those of ``source[i]`` are rows ``offsets[i]:offsets[i + 1]``.

    `source` (sorted) and `target` hold token hashes, `probability` is p(target | source) in single
    precision, as QuEst compares it.
    """

    source: UInt64s
    offsets: Int64s
    target: UInt64s
    probability: Float32s
    _counted: dict[float, Int64s] = field(default_factory=dict, repr=False, compare=False)

    @classmethod
    def from_entries(cls, entries: Sequence[tuple[str, str, float]]) -> "LexicalTable":
        """Build from (source, target, p) rows; rows with p < 0.01 are left out."""
        sources, targets, probabilities = zip(*entries, strict=True) if entries else ((), (), ())
        return cls.of(hash_tokens(sources), hash_tokens(targets), np.array(probabilities, np.float64))

    @classmethod
    def of(cls, source: UInt64s, target: UInt64s, probability: Float64s) -> "LexicalTable":
        """Build from hashes and probabilities of the same rows."""
        kept = probability >= LOWEST_PROBABILITY
        source, target, probability = source[kept], target[kept], probability[kept]
        order = np.argsort(source, kind="stable")
        words, begins = np.unique(source[order], return_index=True)
        return cls(words, np.append(begins, len(source)).astype(np.int64), target[order], probability.astype(np.float32)[order])

    @classmethod
    def load(cls, path: Path) -> "LexicalTable":
        """Read the safetensors file that `arrays` describes."""
        arrays = load_file(path)
        return cls(arrays["source"], arrays["offsets"], arrays["target"], arrays["probability"])

    @cached_property
    def by_target(self) -> tuple[UInt64s, Float32s]:
        """`target` and `probability` with the translations of each word sorted by hash, to be searched."""
        rows = np.repeat(np.arange(len(self.source)), np.diff(self.offsets))
        order = np.lexsort((self.target, rows))
        return self.target[order], self.probability[order]

    def arrays(self) -> dict[str, np.ndarray]:
        """What is stored, by name."""
        return {
            "source": self.source,
            "offsets": self.offsets,
            "target": self.target,
            "probability": self.probability,
        }

    def rows(self, hashes: UInt64s) -> Int64s:
        """The row of each source token in `source`, -1 for unknown ones."""
        if not len(self.source):
            return np.full(len(hashes), -1, np.int64)
        at = np.minimum(np.searchsorted(self.source, hashes), len(self.source) - 1)
        return np.where(self.source[at] == hashes, at, -1).astype(np.int64)

    def translations(self, hashes: UInt64s, threshold: float) -> Int64s:
        """Number of translations with p strictly above `threshold` of each source token; 0 for unknown ones."""
        rows = self.rows(hashes)
        if not len(self.source):
            return np.zeros(len(hashes), np.int64)
        return np.where(rows >= 0, self.per_word(threshold)[rows], 0)

    def per_word(self, threshold: float) -> Int64s:
        """Number of translations above `threshold` of every word of `source`, counted once: features use few thresholds."""
        if threshold not in self._counted:
            above = np.concatenate([[0], np.cumsum(self.probability > np.float32(threshold))])
            self._counted[threshold] = above[self.offsets[1:]] - above[self.offsets[:-1]]
        return self._counted[threshold]
