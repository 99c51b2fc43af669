"""Discriminative word lexicon: the probability of a target word in the translation, given all source words.

Mauser, Hasan and Ney 2009: one logistic regression per target word. Trained by AdaGrad (Duchi et al. 2011).
"""

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

import numpy as np
from scipy.sparse import csr_matrix

from app.arrays import Float32s, Float64s, Int32s, Int64s, UInt64s
from app.building.carded_arrays import read_arrays, write_arrays
from app.errors import InputError
from app.running.journal import SILENT, Journal
from app.text.batch import TokenColumn
from app.text.hashing import hash_tokens
from app.text.ragged import offsets_of

__all__ = ["WordLexicon", "train_word_lexicon"]

# Least frequency of words, and most words: the rarest are left out.
LEAST_SOURCE: Final = 2
LEAST_TARGET: Final = 3
MOST_SOURCE: Final = 10_000
MOST_TARGET: Final = 5_000
BATCH: Final = 256
RATE: Final = 0.3
FIRST_SQUARE: Final = 0.01
# Least absolute weight in a file.
SMALLEST: Final = 0.02
KIND: Final = "word-lexicon"
ARRAYS: Final = ("source", "target", "bias", "begins", "places", "weights")


@dataclass(frozen=True, eq=False)
class WordLexicon:
    """Log-odds of target words: ``bias[t]`` for word t, plus a weight for each source word.

    `source` (u,) and `target` (v,) are ascending hashes. Source word s has ``weights[begins[s]:begins[s + 1]]`` for the target
    words in `places`. `card` has the origin of the lexicon.
    """

    source: UInt64s
    target: UInt64s
    bias: Float32s
    begins: Int64s
    places: Int32s
    weights: Float32s
    card: Mapping[str, Any] = field(default_factory=dict)

    def score(self, sources: TokenColumn, hypotheses: TokenColumn, segment_of: Int64s) -> Float64s:
        """Return the sum of the log-odds of a hypothesis' distinct words, given the source of its segment; (h,).

        Words outside the lexicon add nothing.
        """
        odds = np.asarray((_bags(sources, self.source) @ self._matrix()).todense()) + self.bias
        words = _bags(hypotheses, self.target).tocoo()
        return np.asarray(np.bincount(words.row, odds[segment_of[words.row], words.col], len(hypotheses)), np.float64)

    def save(self, path: Path) -> None:
        """Write arrays and card; equal lexicons give equal bytes."""
        write_arrays(path, KIND, {name: getattr(self, name) for name in ARRAYS}, self.card)

    @classmethod
    def load(cls, path: Path) -> "WordLexicon":
        """Read a file of `save`; InputError for any other or damaged file."""
        arrays, card = read_arrays(path, KIND, "word lexicon")
        if arrays.keys() != set(ARRAYS):
            raise InputError("invalid-table", f"{path.name} is not a word lexicon", (str(path),))
        lexicon = cls(**arrays, card=card)
        if not lexicon._is_consistent():
            raise InputError("invalid-table", f"{path.name} is damaged: its arrays do not fit together", (str(path),))
        return lexicon

    def _is_consistent(self) -> bool:
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
        return csr_matrix((self.weights, self.places, self.begins), shape=(len(self.source), len(self.target)))


def train_word_lexicon(
    sources: TokenColumn, targets: TokenColumn, passes: int = 4, journal: Journal = SILENT, seed: int = 1
) -> WordLexicon:
    """Train a lexicon on n segment pairs, in O(passes × Σ source words × target vocabulary).

    Equal text and seed give an equal lexicon. InputError without text, or for unequal numbers of segments.
    """
    if len(sources) != len(targets):
        raise InputError("unequal-lengths", f"{len(sources)} source segments but {len(targets)} target segments")
    frequent, target_words = _frequent(sources, LEAST_SOURCE, MOST_SOURCE), _frequent(targets, LEAST_TARGET, MOST_TARGET)
    if not len(frequent) or not len(target_words):
        raise InputError("empty-input", "a word lexicon needs text with repeated words")
    inputs, outputs = _bags(sources, frequent), _bags(targets, target_words)
    shares = np.asarray(outputs.sum(0), np.float64).ravel() / len(targets)
    shares = np.clip(shares, 0.5 / len(targets), 1 - 0.5 / len(targets))
    bias = np.log(shares / (1 - shares)).astype(np.float32)
    weights = np.zeros((len(frequent), len(target_words)), np.float32)
    squares = np.full(weights.shape, FIRST_SQUARE, np.float32)
    rng = np.random.default_rng(seed)
    for number in range(passes):
        order = rng.permutation(len(sources))
        for begin in range(0, len(order), BATCH):
            journal.report("word lexicon", (number + begin / len(order)) / passes)
            rows = order[begin : begin + BATCH]
            _step(inputs[rows], outputs[rows], bias, weights, squares)
    weights[np.abs(weights) < SMALLEST] = 0.0
    sparse_weights = csr_matrix(weights)
    return WordLexicon(
        frequent,
        target_words,
        bias,
        sparse_weights.indptr.astype(np.int64),
        sparse_weights.indices.astype(np.int32),
        sparse_weights.data,
    )


def _step(inputs: Any, outputs: Any, bias: Float32s, weights: Float32s, squares: Float32s) -> None:
    """Take a step of AdaGrad on a batch, in place."""
    present = np.unique(inputs.indices)
    inputs, rows = inputs[:, present], weights[present]
    odds = inputs @ rows + bias
    errors = 1.0 / (1.0 + np.exp(-odds))
    errors[np.repeat(np.arange(outputs.shape[0]), np.diff(outputs.indptr)), outputs.indices] -= 1.0
    slopes = inputs.T @ errors
    total = squares[present] + slopes * slopes
    squares[present] = total
    weights[present] = rows - RATE * slopes / np.sqrt(total)


def _frequent(column: TokenColumn, minimum: int, limit: int) -> UInt64s:
    """Return ascending hashes of the words in the most segments."""
    counts = Counter(_pairs(column)[1].tolist())
    frequent = [word for word, count in counts.most_common(limit) if count >= minimum]
    return np.sort(column.hashes[frequent]) if frequent else np.zeros(0, np.uint64)


def _pairs(column: TokenColumn) -> tuple[Int64s, Int64s]:
    """Return segments and words of each distinct pair of both."""
    words = max(len(column.vocabulary), 1)
    keys = np.unique(column.segments * words + column.ids)
    return keys // words, keys % words


def _bags(column: TokenColumn, words: UInt64s) -> Any:
    """Return a CSR matrix of ones for the `words` in each segment; (n, len(words))."""
    segments, ids = _pairs(column)
    hashes = column.hashes[ids] if len(ids) else hash_tokens([])
    at = np.minimum(np.searchsorted(words, hashes), max(len(words) - 1, 0))
    present = words[at] == hashes if len(words) else np.zeros(len(ids), np.bool_)
    offsets = offsets_of(np.bincount(segments[present], minlength=len(column)))
    return csr_matrix((np.ones(int(present.sum()), np.float32), at[present], offsets), shape=(len(column), len(words)))
