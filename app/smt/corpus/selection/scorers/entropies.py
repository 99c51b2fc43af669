"""Scores by cross-entropy under language models: Moore and Lewis 2010, Axelrod et al. 2011, and perplexity."""

from collections.abc import Sequence
from dataclasses import dataclass
from math import log2
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Final

import numpy as np

from app.arrays import Float64s, UInt64s
from app.building.kenlm_trie import write_kenlm_trie
from app.building.kneser_ney import estimate_language_model
from app.building.writing import full_disk_named
from app.resources.language_models import LanguageModel, open_language_model
from app.smt.corpus.selection.pool import PoolChunk
from app.text.batch import SlicedWords, TokenColumn

__all__ = ["DEFAULT_ORDER", "SIDES", "EntropyDifference", "PerplexityScorer", "SideModel", "train_models"]

# Indices of sides: 0 for the source, 1 for the target.
SIDES: Final[dict[str, tuple[int, ...]]] = {"source": (0,), "target": (1,), "both": (0, 1)}
DEFAULT_ORDER: Final = 3
# Substitute of all words outside the vocabulary.
RARE: Final = "<rare>"
BITS: Final = log2(10.0)


@dataclass(frozen=True)
class SideModel:
    """A language model. `words` are sorted hashes of its vocabulary if it was trained here; other words become `RARE`."""

    model: LanguageModel
    words: UInt64s | None = None

    def entropies(self, column: TokenColumn) -> Float64s:
        """Cross-entropy of each segment, in bits a word, with its end as a word; shape (n,)."""
        _, words = self.model.score_both(column if self.words is None else restricted(column, self.words))
        rows = np.repeat(np.arange(len(column)), column.lengths + 1)
        return -BITS * np.bincount(rows, words.log_prob, len(column)) / (column.lengths + 1)

    @classmethod
    def open(cls, path: Path) -> "SideModel":
        """Open a model in any file format of KenLM."""
        return cls(open_language_model(path))


def restricted(column: TokenColumn, words: UInt64s) -> TokenColumn:
    """Text with `RARE` for every word outside `words`, sorted hashes."""
    data, begins, ends = column.encoded_vocabulary
    hashes = column.hashes
    place = np.minimum(np.searchsorted(words, hashes), max(0, len(words) - 1))
    rare = words[place] != hashes if len(words) else np.ones(len(hashes), np.bool_)
    name = np.frombuffer(RARE.encode(), np.uint8)
    begin, end = len(data), len(data) + len(name)
    return TokenColumn(
        SlicedWords(np.concatenate([data, name]), np.where(rare, begin, begins), np.where(rare, end, ends)),
        column.ids,
        column.offsets,
    )


def train_models(texts: Sequence[TokenColumn], order: int = DEFAULT_ORDER, minimum_count: int = 2) -> list[SideModel]:
    """Models of texts over one vocabulary: words of the first text with at least `minimum_count` occurrences.

    Comparable probabilities need one vocabulary (Moore and Lewis 2010). InputError for an empty text.
    """
    counts = np.bincount(texts[0].ids, minlength=len(texts[0].vocabulary))
    words = np.sort(texts[0].hashes[counts >= minimum_count])
    with TemporaryDirectory() as folder, full_disk_named(Path(folder)):
        models = []
        for number, text in enumerate(texts):
            path = Path(folder) / f"{number}.binary"
            write_kenlm_trie(estimate_language_model(_merged(restricted(text, words)), order), path)
            # The mapped memory outlives the file name.
            models.append(SideModel(open_language_model(path), words))
    return models


def _merged(column: TokenColumn) -> TokenColumn:
    """Text with each word once in its vocabulary."""
    _, first, inverse = np.unique(column.hashes, return_index=True, return_inverse=True)
    return TokenColumn(column.vocabulary, first[inverse][column.ids].astype(np.int32), column.offsets).rows(np.arange(len(column)))


@dataclass(frozen=True)
class EntropyDifference:
    """General minus in-domain cross-entropy, in bits a word, summed over sides with models.

    The source alone is the score of Moore and Lewis (2010), both sides that of Axelrod et al. (2011). `inside` and `outside` map
    sides to models.
    """

    inside: dict[int, SideModel]
    outside: dict[int, SideModel]

    def score(self, chunk: PoolChunk) -> Float64s:
        """Scores of pairs, higher for in-domain pairs; shape (pairs,)."""
        columns = (chunk.pairs.source, chunk.pairs.target)
        differences = [
            self.outside[side].entropies(columns[side]) - self.inside[side].entropies(columns[side]) for side in self.inside
        ]
        return np.asarray(np.sum(differences, axis=0))


@dataclass(frozen=True)
class PerplexityScorer:
    """Minus the perplexity; for two sides, their geometric mean."""

    models: dict[int, SideModel]

    def score(self, chunk: PoolChunk) -> Float64s:
        """Scores up to -1, higher is better; shape (pairs,)."""
        columns = (chunk.pairs.source, chunk.pairs.target)
        return np.asarray(-np.exp2(np.mean([model.entropies(columns[side]) for side, model in self.models.items()], axis=0)))
