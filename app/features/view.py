"""A batch with the resources of its pair, and whatever several features need of them, computed once."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final, Protocol, TypeVar

import numpy as np

from app.arrays import Bools, Float64s, Int64s
from app.features.needs import required
from app.features.token_vectors import EncodedSides
from app.resources.checkpoints import Checkpoints
from app.resources.corpus_index import CorpusIndex
from app.resources.encoders import Encoder
from app.resources.language_models import LanguageModel
from app.resources.lexical_table import LexicalTable
from app.resources.loading import Resources
from app.resources.ngram_counts import NgramCounts
from app.resources.pair_sets import PairSet, Recorded
from app.resources.tagger import Tagger
from app.text.batch import SegmentBatch, TokenColumn
from app.text.languages import LanguagePair
from app.text.side_information import Kind

__all__ = [
    "JudgedWords",
    "PairResources",
    "SentenceJudge",
    "View",
    "WordJudge",
    "also_in",
    "copied_tokens",
    "part",
    "ratio",
]

T = TypeVar("T")
Column = TypeVar("Column")
NO_CHECKPOINTS: Final = Checkpoints()


class JudgedWords(Protocol):
    """Probabilities of being wrong: of words (CSR by `word_offsets`), and of gaps (`gap_offsets`)."""

    @property
    def words(self) -> Float64s:
        """Of every word."""

    @property
    def word_offsets(self) -> Int64s:
        """Where the words of each segment begin."""

    @property
    def gaps(self) -> Float64s:
        """Of every gap."""

    @property
    def gap_offsets(self) -> Int64s:
        """Where the gaps of each segment begin."""


class WordJudge(Protocol):
    """What tells wrong words from right ones; predictors are, and features only use them."""

    def tag(self, view: "View") -> JudgedWords:
        """Judge every word and gap."""


class SentenceJudge(Protocol):
    """What tells good translations from bad ones by the vectors of both texts, whatever their languages; predictors are."""

    @property
    def encoder(self) -> str:
        """The name of the encoder whose vectors it was trained on; of others it knows nothing."""

    def judge(self, pair: LanguagePair, sides: EncodedSides) -> Mapping[str, Float64s]:
        """What it says of each of n pairs of texts by the vectors of their tokens, by name; each of shape (n,)."""


@dataclass(frozen=True)
class PairResources:
    """What is loaded for a pair; a missing resource is None. `files` has names and checksums by field, as manifests have them.

    `equals` has those of files that are not in use and do the same work as some that are.
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
    word_tagger: WordJudge | None = None
    nmt_word_tagger: WordJudge | None = None
    encoder: Encoder | None = None
    sentence_judge: SentenceJudge | None = None
    checkpoints: Checkpoints = NO_CHECKPOINTS
    files: Recorded = field(default_factory=dict, repr=False)
    equals: Mapping[str, str] = field(default_factory=dict, repr=False)

    @classmethod
    def of(cls, loaded: Resources, pair: LanguagePair) -> "PairResources":
        """Those of a pair whose languages are loaded; a user's own set where there is one."""
        return cls.of_set(loaded.sets(pair)[0])

    @classmethod
    def of_set(cls, chosen: PairSet) -> "PairResources":
        """Those of one of a pair's sets."""
        source, target = chosen.source, chosen.target
        return cls(
            chosen.pair,
            source.model,
            target.model,
            source.counts,
            chosen.table,
            chosen.reverse_table,
            source.tagger,
            target.tagger,
            target.tag_model,
            chosen.index,
            files=chosen.recorded,
            equals=chosen.equals,
        )


class View:
    """What features look at: one batch, one pair's resources."""

    def __init__(self, batch: SegmentBatch, resources: PairResources) -> None:
        self.batch = batch
        self.resources = resources
        self._done: dict[Callable[..., Any], Any] = {}

    @property
    def given(self) -> frozenset[Kind[Any]]:
        """What came with the segments."""
        return self.batch.side_information.kinds

    def beside(self, kind: Kind[Column]) -> Column:
        """The side information of a kind; InputError where the segments came without."""
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
        """Sources and translations as they were sent, or their tokens with blanks between where there is nothing else."""
        if self.batch.texts is not None:
            return self.batch.texts
        columns = self.batch.cased_source, self.batch.cased_translation
        source, target = ([" ".join(column.tokens(row)) for row in range(len(column))] for column in columns)
        return source, target

    def __len__(self) -> int:
        return len(self.batch)

    def done(self, compute: Callable[["View"], T]) -> bool:
        """Whether ``compute(self)`` is there already."""
        return compute in self._done

    def once(self, compute: Callable[["View"], T]) -> T:
        """``compute(self)``, the same object each time."""
        if compute not in self._done:
            self._done[compute] = compute(self)
        result: T = self._done[compute]
        return result


def also_in(column: TokenColumn, other: TokenColumn) -> Bools:
    """Whether each token of `column` stands in the same segment of `other` too; shape (tokens,)."""
    numbers = {word: k for k, word in enumerate(other.vocabulary)}
    same = np.array([numbers.get(word, -1) for word in column.vocabulary], np.int64)[column.ids]
    width = len(other.vocabulary) + 1
    present = np.sort(other.segments * width + other.ids)
    if not len(present):
        return np.zeros(len(column.ids), np.bool_)
    # np.isin does the same, and takes as long for one segment as for a hundred.
    looked_for = column.segments * width + same
    places = np.minimum(np.searchsorted(present, looked_for), len(present) - 1)
    return np.asarray((same >= 0) & (present[places] == looked_for))


def copied_tokens(view: View) -> Bools:
    """Whether each token of the translation stands in its source too."""
    return also_in(view.target, view.source)


def part(block: Callable[[View], Float64s], k: int) -> Callable[[View], Float64s]:
    """Column `k` of a block (n, m) that is computed once."""
    return lambda view: view.once(block)[:, k]


def ratio(numerator: Float64s | Int64s, denominator: Float64s | Int64s) -> Float64s:
    """Element-wise quotient, 0 where the denominator is 0; `denominator` (n,) divides rows of (n, k) too."""
    if numerator.ndim > denominator.ndim:
        denominator = denominator[:, None]
    out = np.zeros(numerator.shape)
    np.divide(numerator, denominator, out=out, where=denominator != 0)
    return out
