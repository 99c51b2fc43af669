"""The loaded resources that features of one language pair may use, and what is missing for a feature."""

from collections.abc import Callable, Container, Iterable, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final, Protocol, TypeVar

from app.arrays import Float64s, Int64s
from app.errors import InputError
from app.features.declaration import CheckpointNeed, Need, Resource
from app.resources.checkpoints import Checkpoints
from app.resources.corpus_index import CorpusIndex
from app.resources.encoders import Encoder
from app.resources.language_models import LanguageModel
from app.resources.lexical_table import LexicalTable
from app.resources.loading import Resources
from app.resources.ngram_counts import NgramCounts
from app.resources.pair_sets import PairSet, Recorded
from app.resources.tagger import Tagger
from app.text.languages import LanguagePair
from app.text.side_information import Kind

if TYPE_CHECKING:
    from app.features.encoded.alignment import EncodedSides
    from app.features.view import View

__all__ = ["JudgedWords", "PairResources", "SentenceJudge", "WordJudge", "missing", "refusal", "required"]

T = TypeVar("T")
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

    def judge(self, pair: LanguagePair, sides: "EncodedSides") -> Mapping[str, Float64s]:
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


def _parser(tagger: Tagger | None) -> Tagger | None:
    return tagger if tagger is not None and tagger.parses else None


LOADED: Final[Mapping[Resource, Callable[[PairResources], object]]] = {
    Resource.SOURCE_LANGUAGE_MODEL: lambda resources: resources.source_model,
    Resource.TARGET_LANGUAGE_MODEL: lambda resources: resources.target_model,
    Resource.SOURCE_NGRAM_COUNTS: lambda resources: resources.source_counts,
    Resource.LEXICAL_TABLE: lambda resources: resources.lexical_table,
    Resource.REVERSE_LEXICAL_TABLE: lambda resources: resources.reverse_table,
    Resource.SOURCE_TAGGER: lambda resources: resources.source_tagger,
    Resource.TARGET_TAGGER: lambda resources: resources.target_tagger,
    Resource.SOURCE_PARSER: lambda resources: _parser(resources.source_tagger),
    Resource.TARGET_PARSER: lambda resources: _parser(resources.target_tagger),
    Resource.TARGET_TAG_MODEL: lambda resources: resources.target_tag_model,
    Resource.CORPUS_INDEX: lambda resources: resources.corpus_index,
    Resource.WORD_TAGGER: lambda resources: resources.word_tagger,
    Resource.NMT_WORD_TAGGER: lambda resources: resources.nmt_word_tagger,
    Resource.ENCODER: lambda resources: resources.encoder,
    Resource.SENTENCE_JUDGE: lambda resources: resources.sentence_judge,
}


def missing(needs: Iterable[Need], resources: PairResources, given: Container[Need]) -> Need | None:
    """The first of `needs` that is neither loaded for the pair nor given with the segments; None where nothing is missing."""
    return next((need for need in needs if not _is_there(need, resources, given)), None)


def _is_there(need: Need, resources: PairResources, given: Container[Need]) -> bool:
    if isinstance(need, CheckpointNeed):
        return resources.checkpoints.lacking(need.name) is None
    return need in given if isinstance(need, Kind) else LOADED[need](resources) is not None


def refusal(need: Need, resources: PairResources | None = None) -> InputError:
    """The error that says what is missing, and of a checkpoint why, where it is told what is loaded."""
    if isinstance(need, CheckpointNeed):
        reason = None if resources is None else resources.checkpoints.lacking(need.name)
        return InputError("missing-checkpoint", reason or f"the {need} is not loaded")
    if isinstance(need, Kind):
        return InputError(need.code, need.absent or f"this feature set needs {need} with every segment")
    if need in (Resource.ENCODER, Resource.SENTENCE_JUDGE):
        return InputError("missing-resource", f"the {need} is not loaded, or not asked in the profile fast")
    return InputError("missing-resource", f"the {need} is not loaded")


def required(value: T | None, need: Need) -> T:
    """`value`, or an InputError that names what is missing."""
    if value is None:
        raise refusal(need)
    return value
