"""The loaded resources that features of one language pair may use, and what is missing for a feature."""

from collections.abc import Callable, Container, Iterable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, Protocol, TypeVar

from app.arrays import Float64s, Int64s
from app.errors import InputError
from app.features.declaration import Need
from app.resources.corpus_index import CorpusIndex
from app.resources.language_models import LanguageModel
from app.resources.lexical_table import LexicalTable
from app.resources.loading import Resources
from app.resources.ngram_counts import NgramCounts
from app.resources.tagger import Tagger
from app.text.batch import SegmentBatch
from app.text.languages import LanguagePair

if TYPE_CHECKING:
    from app.features.view import View

__all__ = ["SENT", "JudgedWords", "PairResources", "WordJudge", "is_loaded", "missing", "refusal", "required", "sent_needs"]

T = TypeVar("T")


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


@dataclass(frozen=True)
class PairResources:
    """What is loaded for a pair; a missing resource is None."""

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

    @classmethod
    def of(cls, loaded: Resources, pair: LanguagePair) -> "PairResources":
        """Those of a pair whose languages are loaded."""
        source, target = loaded.languages[pair.source], loaded.languages[pair.target]
        return cls(
            pair,
            source.model,
            target.model,
            source.counts,
            loaded.tables.get(pair),
            loaded.tables.get(pair.reversed),
            source.tagger,
            target.tagger,
            target.tag_model,
            loaded.indexes.get(pair),
        )


LOADED: Final[Mapping[Need, Callable[[PairResources], object]]] = {
    Need.SOURCE_LANGUAGE_MODEL: lambda known: known.source_model,
    Need.TARGET_LANGUAGE_MODEL: lambda known: known.target_model,
    Need.SOURCE_NGRAM_COUNTS: lambda known: known.source_counts,
    Need.LEXICAL_TABLE: lambda known: known.lexical_table,
    Need.REVERSE_LEXICAL_TABLE: lambda known: known.reverse_table,
    Need.SOURCE_TAGGER: lambda known: known.source_tagger,
    Need.TARGET_TAGGER: lambda known: known.target_tagger,
    Need.SOURCE_PARSER: lambda known: known.source_tagger if known.source_tagger and known.source_tagger.parses else None,
    Need.TARGET_PARSER: lambda known: known.target_tagger if known.target_tagger and known.target_tagger.parses else None,
    Need.TARGET_TAG_MODEL: lambda known: known.target_tag_model,
    Need.CORPUS_INDEX: lambda known: known.corpus_index,
    Need.WORD_TAGGER: lambda known: known.word_tagger,
    Need.NMT_WORD_TAGGER: lambda known: known.nmt_word_tagger,
}
SENT: Final[Mapping[Need, Callable[[SegmentBatch], object]]] = {
    Need.TOKEN_LOG_PROBS: lambda batch: batch.token_log_probs,
    Need.TOKENS: lambda batch: batch.side_information.tokens,
    Need.TOKEN_ENTROPIES: lambda batch: batch.side_information.token_entropies,
    Need.PASSES: lambda batch: batch.side_information.passes,
    Need.SAMPLES: lambda batch: batch.side_information.samples,
    Need.N_BEST: lambda batch: batch.side_information.n_best,
    Need.SEARCH: lambda batch: batch.side_information.search,
    Need.PSEUDO_REFERENCES: lambda batch: batch.side_information.pseudo_references,
    Need.BACK_TRANSLATION: lambda batch: batch.side_information.back_translations,
}


# Names of the columns of side information.
COLUMNS: Final = {
    "token_log_probs": Need.TOKEN_LOG_PROBS,
    "tokens": Need.TOKENS,
    "token_entropies": Need.TOKEN_ENTROPIES,
    "passes": Need.PASSES,
    "samples": Need.SAMPLES,
    "n_best": Need.N_BEST,
    "search": Need.SEARCH,
    "pseudo_references": Need.PSEUDO_REFERENCES,
    "back_translations": Need.BACK_TRANSLATION,
}


def sent_needs(columns: Mapping[str, object]) -> frozenset[Need]:
    """What is there among columns that were sent; others are ignored."""
    return frozenset(need for name, need in COLUMNS.items() if columns.get(name) is not None)


def is_loaded(need: Need, resources: PairResources) -> bool:
    """Whether a resource is there."""
    return LOADED[need](resources) is not None


def missing(needs: Iterable[Need], resources: PairResources, given: Container[Need]) -> Need | None:
    """The first of `needs` that is neither loaded for the pair nor given with the segments; None where nothing is missing."""
    return next((need for need in needs if not (need in given if need in SENT else is_loaded(need, resources))), None)


def refusal(need: Need) -> InputError:
    """The error that says what is missing."""
    if need is Need.TOKEN_LOG_PROBS:
        return InputError("log-prob-mismatch", "this feature set needs token_log_probs for every segment")
    if need in SENT:
        return InputError("missing-evidence", f"this feature set needs {need} with every segment")
    return InputError("missing-resource", f"the {need} is not loaded")


def required(value: T | None, need: Need) -> T:
    """`value`, or an InputError that names what is missing."""
    if value is None:
        raise refusal(need)
    return value
