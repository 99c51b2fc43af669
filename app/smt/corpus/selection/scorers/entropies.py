"""Cross-entropies under language models: Moore and Lewis 2010, Axelrod et al. 2011, and perplexity."""

from collections.abc import Sequence
from dataclasses import dataclass
from math import log2
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Final, Literal

import numpy as np

from app.arrays import Float64s, UInt64s
from app.building.kenlm_trie import write_kenlm_trie
from app.building.kneser_ney import estimate_language_model
from app.building.writing import full_disk_named
from app.resources.language_models import LanguageModel, open_language_model
from app.smt.corpus.selection.pool import PoolChunk
from app.text.batch import TokenColumn, Words

__all__ = ["DEFAULT_ORDER", "SIDES", "EntropyDifference", "PerplexityScorer", "Side", "SideModel", "sides_of", "train_models"]

Side = Literal["source", "target", "both"]
SIDES: Final[dict[str, Side]] = {"source": "source", "target": "target", "both": "both"}
DEFAULT_ORDER: Final = 3
# Stands for every word outside of the vocabulary; a word of text that is written so is one of them.
RARE: Final = "<rare>"
BITS: Final = log2(10.0)


@dataclass(frozen=True)
class SideModel:
    """A language model, and sorted hashes of the words that it tells apart where it was made here: all others are `RARE`."""

    model: LanguageModel
    words: UInt64s | None = None

    def entropies(self, column: TokenColumn) -> Float64s:
        """Bits a word of each segment, its end counted as a word; shape (n,). Unknown words have ``<unk>`` of models of others."""
        _, words = self.model.score_both(column if self.words is None else restricted(column, self.words))
        rows = np.repeat(np.arange(len(column)), column.lengths + 1)
        return -BITS * np.bincount(rows, words.log_prob, len(column)) / (column.lengths + 1)

    @classmethod
    def open(cls, path: Path) -> "SideModel":
        """A model in any file that KenLM reads."""
        return cls(open_language_model(path))


def restricted(column: TokenColumn, words: UInt64s) -> TokenColumn:
    """The same text with `RARE` for every word that is not among these, sorted hashes."""
    data, begins, ends = column.encoded_vocabulary
    hashes = column.hashes
    place = np.minimum(np.searchsorted(words, hashes), max(0, len(words) - 1))
    rare = words[place] != hashes if len(words) else np.ones(len(hashes), np.bool_)
    name = np.frombuffer(RARE.encode(), np.uint8)
    begin, end = len(data), len(data) + len(name)
    return TokenColumn(
        Words(np.concatenate([data, name]), np.where(rare, begin, begins), np.where(rare, end, ends)), column.ids, column.offsets
    )


def train_models(texts: Sequence[TokenColumn], order: int = DEFAULT_ORDER, fewest: int = 2) -> list[SideModel]:
    """A model of each text over one vocabulary, that of the first: its words that stand there `fewest` times at least.

    Probabilities of models over different vocabularies cannot be compared (Moore and Lewis 2010). InputError where a text is empty.
    """
    counts = np.bincount(texts[0].ids, minlength=len(texts[0].vocabulary))
    words = np.sort(texts[0].hashes[counts >= fewest])
    with TemporaryDirectory() as folder, full_disk_named(Path(folder)):
        models = []
        for number, text in enumerate(texts):
            path = Path(folder) / f"{number}.binary"
            write_kenlm_trie(estimate_language_model(_merged(restricted(text, words)), order), path)
            # Mapped into memory, which outlives its name.
            models.append(SideModel(open_language_model(path), words))
    return models


def _merged(column: TokenColumn) -> TokenColumn:
    """The same with each word once in the vocabulary."""
    _, first, inverse = np.unique(column.hashes, return_index=True, return_inverse=True)
    return TokenColumn(column.vocabulary, first[inverse][column.ids].astype(np.int32), column.offsets).rows(np.arange(len(column)))


def sides_of(side: Side) -> tuple[int, ...]:
    """Source is 0, target 1."""
    return {"source": (0,), "target": (1,), "both": (0, 1)}[side]


@dataclass(frozen=True)
class EntropyDifference:
    """Minus the cross-entropy in domain, plus that in general, added up over the sides that there are models of, in bits a word.

    Of the source alone it is Moore and Lewis's, of both sides Axelrod et al.'s. `inside` and `outside` have a model by side.
    """

    inside: dict[int, SideModel]
    outside: dict[int, SideModel]

    def score(self, chunk: PoolChunk) -> Float64s:
        """Higher where the pair looks more like the domain than like the rest."""
        columns = (chunk.pairs.source, chunk.pairs.target)
        differences = [
            self.outside[side].entropies(columns[side]) - self.inside[side].entropies(columns[side]) for side in self.inside
        ]
        return np.asarray(np.sum(differences, axis=0))


@dataclass(frozen=True)
class PerplexityScorer:
    """Minus the perplexity; over two sides, their geometric mean."""

    models: dict[int, SideModel]

    def score(self, chunk: PoolChunk) -> Float64s:
        """At most -1; higher is better."""
        columns = (chunk.pairs.source, chunk.pairs.target)
        return np.asarray(-np.exp2(np.mean([model.entropies(columns[side]) for side, model in self.models.items()], axis=0)))
