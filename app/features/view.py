"""A view: a batch with the resources of its pair, and shared values computed once."""

from collections.abc import Callable, Hashable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final, Protocol, TypeVar

import numpy as np

from app.arrays import Bools, Float64s, Int64s
from app.features.kernels import copies
from app.features.needs import Evidence, required
from app.resources.bags_of_words import BagsOfWords
from app.resources.checkpoints import Checkpoints
from app.resources.corpus_index import CorpusIndex
from app.resources.grammar import Grammar
from app.resources.language_models import LanguageModel
from app.resources.lexical_table import LexicalTable
from app.resources.linear_tagger.names import NameTagger
from app.resources.loading import Resources
from app.resources.ngram_counts import NgramCounts
from app.resources.pair_sets import FileRecords, PairSet
from app.resources.pieces.reader import PairReader
from app.resources.tagger import Tagger
from app.text.batch import SegmentBatch, TokenColumn
from app.text.languages import LanguagePair
from app.text.side_information import Kind

__all__ = ["JudgedWords", "PairResources", "View", "WordJudge", "copied_tokens", "copies_in", "ratio", "token_mask"]

T = TypeVar("T")
Column = TypeVar("Column")
NO_CHECKPOINTS: Final = Checkpoints()


class JudgedWords(Protocol):
    """Probabilities that words (CSR by `word_offsets`) and gaps (`gap_offsets`) are wrong."""

    @property
    def words(self) -> Float64s:
        """Probability of every word."""

    @property
    def word_offsets(self) -> Int64s:
        """Index of the first word of each segment."""

    @property
    def gaps(self) -> Float64s:
        """Probability of every gap."""

    @property
    def gap_offsets(self) -> Int64s:
        """Index of the first gap of each segment."""


class WordJudge(Protocol):
    """A predictor of wrong words, used by features."""

    def tag(self, view: "View") -> JudgedWords:
        """Tag every word and gap."""


@dataclass(frozen=True)
class PairResources:
    """Loaded resources of a pair; a missing resource is None. `files` has names and checksums of manifests by field.

    `equals` has names and checksums of unused files that are equal in effect to used ones.
    """

    pair: LanguagePair
    source_model: LanguageModel | None = None
    target_model: LanguageModel | None = None
    source_counts: NgramCounts | None = None
    lexical_table: LexicalTable | None = None
    reverse_table: LexicalTable | None = None
    source_tagger: Tagger | None = None
    target_tagger: Tagger | None = None
    target_tag_model: LanguageModel | None = None
    corpus_index: CorpusIndex | None = None
    target_counts: NgramCounts | None = None
    bags_of_words: BagsOfWords | None = None
    source_grammar: Grammar | None = None
    target_grammar: Grammar | None = None
    source_names: NameTagger | None = None
    target_names: NameTagger | None = None
    word_tagger: WordJudge | None = None
    nmt_word_tagger: WordJudge | None = None
    cross_encoder: PairReader | None = None
    checkpoints: Checkpoints = NO_CHECKPOINTS
    files: FileRecords = field(default_factory=dict, repr=False)
    equals: Mapping[str, str] = field(default_factory=dict, repr=False)
    # Plans of feature sets, which depend on the resources at hand.
    plans: dict[Hashable, Any] = field(init=False, default_factory=dict, repr=False, compare=False)

    @classmethod
    def of(cls, loaded: Resources, pair: LanguagePair) -> "PairResources":
        """The first set of resources of a loaded pair; a user's own set comes first."""
        return cls.of_set(loaded.sets(pair)[0])

    @classmethod
    def of_set(cls, pair_set: PairSet) -> "PairResources":
        """The resources of one set."""
        source, target = pair_set.source, pair_set.target
        return cls(
            pair_set.pair,
            source.model,
            target.model,
            source.counts,
            pair_set.table,
            pair_set.reverse_table,
            source.tagger,
            target.tagger,
            target.tag_model,
            pair_set.index,
            target.counts,
            pair_set.bags_of_words,
            source.grammar,
            target.grammar,
            source.names,
            target.names,
            files=pair_set.file_records,
            equals=pair_set.equals,
        )


class View:
    """Input of features: a batch and the resources of its pair."""

    def __init__(self, batch: SegmentBatch, resources: PairResources) -> None:
        self.batch = batch
        self.resources = resources
        self._columns: dict[Callable[..., Any], Any] = {}

    @property
    def given(self) -> Evidence:
        """Kinds of side information of the segments, and their parts."""
        return self.batch.side_information.evidence

    def beside(self, kind: Kind[Column]) -> Column:
        """Side information of a kind; InputError for segments without it."""
        return required(self.batch.side_information.get(kind), kind)

    @property
    def source(self) -> TokenColumn:
        """The tokens of the sources."""
        return self.batch.source

    @property
    def target(self) -> TokenColumn:
        """The tokens of the translations."""
        return self.batch.translation

    @property
    def texts(self) -> tuple[Sequence[str], Sequence[str]]:
        """Sources and translations of the request, or their joined tokens for a batch without texts."""
        if self.batch.texts is not None:
            return self.batch.texts
        columns = self.batch.cased_source, self.batch.cased_translation
        source, target = ([" ".join(column.tokens(row)) for row in range(len(column))] for column in columns)
        return source, target

    def __len__(self) -> int:
        return len(self.batch)

    def is_cached(self, compute: Callable[["View"], T]) -> bool:
        """True if ``compute(self)`` is computed."""
        return compute in self._columns

    def cached(self, compute: Callable[["View"], T]) -> T:
        """``compute(self)``, computed once."""
        if compute not in self._columns:
            self._columns[compute] = compute(self)
        result: T = self._columns[compute]
        return result


def token_mask(column: TokenColumn, test: Callable[[str], bool]) -> Bools:
    """True for tokens whose word passes a test; shape (tokens,)."""
    return np.array([test(word) for word in column.vocabulary], np.bool_)[column.ids]


def copies_in(column: TokenColumn, opposite: TokenColumn) -> Bools:
    """True for tokens of `column` that also stand in the segment of `opposite`; shape (tokens,)."""
    sides = (column.hashes, column.ids, column.offsets), (opposite.hashes, opposite.ids, opposite.offsets)
    mask: Bools = copies(*sides[0], *sides[1])
    return mask


def copied_tokens(view: View) -> Bools:
    """True for tokens of the translation that also stand in the source."""
    return copies_in(view.target, view.source)


def ratio(numerator: Float64s | Int64s, denominator: Float64s | Int64s) -> Float64s:
    """Element-wise quotient, 0 where the denominator is 0; `denominator` (n,) divides rows of (n, k) too."""
    if numerator.ndim > denominator.ndim:
        denominator = denominator[:, None]
    out = np.zeros(numerator.shape)
    np.divide(numerator, denominator, out=out, where=denominator != 0)
    return out
