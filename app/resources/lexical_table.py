"""The loaded form of a lexical translation table."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
from safetensors.numpy import load_file

from app.text.arrays import Float32s, Int64s, UInt64s
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
        kept = [(s, t, p) for s, t, p in entries if p >= LOWEST_PROBABILITY]
        source = hash_tokens([s for s, _, _ in kept])
        order = np.argsort(source, kind="stable")
        words, begins = np.unique(source[order], return_index=True)
        return cls(
            words,
            np.append(begins, len(kept)).astype(np.int64),
            hash_tokens([t for _, t, _ in kept])[order],
            np.array([p for _, _, p in kept], np.float32)[order],
        )

    @classmethod
    def load(cls, path: Path) -> "LexicalTable":
        """Read the safetensors file that `arrays` describes."""
        arrays = load_file(path)
        return cls(arrays["source"], arrays["offsets"], arrays["target"], arrays["probability"])

    def arrays(self) -> dict[str, np.ndarray]:
        """What is stored, by name."""
        return {
            "source": self.source,
            "offsets": self.offsets,
            "target": self.target,
            "probability": self.probability,
        }

    def translations(self, hashes: UInt64s, threshold: float) -> Int64s:
        """Number of translations with p strictly above `threshold` of each source token; 0 for unknown ones."""
        if not len(self.source):
            return np.zeros(len(hashes), np.int64)
        at = np.minimum(np.searchsorted(self.source, hashes), len(self.source) - 1)
        return np.where(self.source[at] == hashes, self._per_word(threshold)[at], 0).astype(np.int64)

    def _per_word(self, threshold: float) -> Int64s:
        """Number of translations above `threshold` of every word, counted once: features use few thresholds."""
        if threshold not in self._counted:
            above = np.concatenate([[0], np.cumsum(self.probability > np.float32(threshold))])
            self._counted[threshold] = above[self.offsets[1:]] - above[self.offsets[:-1]]
        return self._counted[threshold]
