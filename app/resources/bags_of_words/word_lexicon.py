"""Discriminative word lexicon: the probability of a target word in the translation, given all source words.

Mauser, Hasan and Ney 2009: one logistic regression per target word.
"""

from dataclasses import dataclass
from typing import Any, Final

import numpy as np

from app.arrays import Float32s, Float64s, Int32s, Int64s, UInt64s
from app.text.batch import TokenColumn
from app.text.hashing import hash_tokens, rows_of_keys
from app.text.ragged import offsets_of

__all__ = ["ARRAYS", "WordLexicon", "bags_of", "pairs_of"]

ARRAYS: Final = ("source", "target", "bias", "begins", "places", "weights")
# Segments at a time, to bound memory.
CHUNK: Final = 128


@dataclass(frozen=True, eq=False)
class WordLexicon:
    """Log-odds of target words: ``bias[t]`` for word t, plus a weight for each source word.

    `source` (u,) and `target` (v,) are ascending hashes. Source word s has ``weights[begins[s]:begins[s + 1]]`` for the target
    words in `places`.
    """

    source: UInt64s
    target: UInt64s
    bias: Float32s
    begins: Int64s
    places: Int32s
    weights: Float32s

    def log_odds(self, sources: TokenColumn) -> Float64s:
        """Log-odds of every target word given the distinct words of each source; shape (n, v)."""
        return np.asarray((bags_of(sources, self.source) @ self._matrix()).todense()) + self.bias

    def mean_log_probabilities(self, sources: TokenColumn, translations: TokenColumn) -> Float64s:
        """Mean natural log-probability of the tokens of each translation that the lexicon knows, NaN without any; shape (n,)."""
        words = rows_of_keys(self.target, translations.hashes)
        out = np.full(len(sources), np.nan)
        for begin in range(0, len(sources), CHUNK):
            rows = np.arange(begin, min(begin + CHUNK, len(sources)))
            odds = self.log_odds(sources.rows(rows)).astype(np.float64)
            places = words[translations.ids[translations.offsets[rows[0]] : translations.offsets[rows[-1] + 1]]]
            segments = np.repeat(rows - begin, translations.lengths[rows])[places >= 0]
            logs = -np.logaddexp(0.0, -odds[segments, places[places >= 0]])
            counts = np.bincount(segments, minlength=len(rows))
            sums = np.bincount(segments, logs, len(rows))
            out[rows[counts > 0]] = sums[counts > 0] / counts[counts > 0]
        return out

    def arrays(self) -> dict[str, np.ndarray]:
        """Stored arrays by name."""
        return {name: getattr(self, name) for name in ARRAYS}

    @property
    def is_consistent(self) -> bool:
        """Return True if the lengths and places of the arrays fit together."""
        begins, places = self.begins, self.places
        return bool(
            len(begins) == len(self.source) + 1
            and begins[0] == 0
            and (np.diff(begins) >= 0).all()
            and begins[-1] == len(places) == len(self.weights)
            and len(self.bias) == len(self.target)
            and (not len(places) or 0 <= places.min() <= places.max() < len(self.target))
        )

    def _matrix(self) -> Any:
        return _sparse_matrix((self.weights, self.places, self.begins), shape=(len(self.source), len(self.target)))


def pairs_of(column: TokenColumn) -> tuple[Int64s, Int64s]:
    """Segments and words of each distinct pair of both, in the order of segments."""
    words = max(len(column.vocabulary), 1)
    keys = np.unique(column.segments * words + column.ids)
    return keys // words, keys % words


def bags_of(column: TokenColumn, words: UInt64s) -> Any:
    """CSR matrix of ones for the `words` (sorted hashes) in each segment; shape (n, len(words))."""
    segments, ids = pairs_of(column)
    places = rows_of_keys(words, column.hashes[ids] if len(ids) else hash_tokens([]))
    mask = places >= 0
    offsets = offsets_of(np.bincount(segments[mask], minlength=len(column)))
    return _sparse_matrix((np.ones(int(mask.sum()), np.float32), places[mask], offsets), shape=(len(column), len(words)))


def _sparse_matrix(entries: tuple[np.ndarray, ...], shape: tuple[int, int]) -> Any:
    # Few commands use lexicons, and this import takes a tenth of a second.
    from scipy.sparse import csr_matrix

    return csr_matrix(entries, shape=shape)
