"""What the engine is asked about segments, and what it answers."""

from collections.abc import Sequence
from dataclasses import dataclass, field

from app.arrays import Float64s, Int64s
from app.errors import InputError
from app.features import Need
from app.features.evidence import Reason
from app.features.warnings import SegmentWarning
from app.planning.terms import Terms
from app.predictors import Model, Prediction
from app.predictors.word_tags import WordTagger, WordTags
from app.registry.drift import Drift
from app.text import LanguagePair, TokenColumn
from app.text.side_information import NO_SIDE_INFORMATION, SideInformation
from app.text.side_information.kinds import TOKEN_LOG_PROBS

__all__ = ["Assessment", "Options", "Segments", "SourceTags", "TaggedWords"]


@dataclass(frozen=True)
class Segments:
    """n segment pairs as they were sent; each kind of side information for all of them or for none."""

    pair: LanguagePair
    sources: Sequence[str]
    translations: Sequence[str]
    side_information: SideInformation = NO_SIDE_INFORMATION

    @property
    def given(self) -> frozenset[Need]:
        """What came beside the two texts."""
        return self.side_information.kinds

    @property
    def token_log_probs(self) -> tuple[tuple[float, ...], ...] | None:
        """The natural-log probability of each token of the MT system for each segment, the end of sentence last."""
        return self.side_information.get(TOKEN_LOG_PROBS)

    def __len__(self) -> int:
        return len(self.sources)

    @classmethod
    def joined(cls, parts: Sequence["Segments"]) -> "Segments":
        """Several of one pair, with the same kinds of side information, one after the other; InputError for a part of two sizes."""
        if any(len(part.sources) != len(part.translations) for part in parts):
            raise InputError("unequal-lengths", "each source needs one translation")
        if len(parts) == 1:
            return parts[0]
        sources = [text for part in parts for text in part.sources]
        translations = [text for part in parts for text in part.translations]
        return cls(parts[0].pair, sources, translations, SideInformation.joined([part.side_information for part in parts]))


@dataclass(frozen=True)
class Options:
    """What is wanted beside the scores.

    `interval` is the share of labels the intervals are to hold; `words` asks for tags of words where the pair has a tagger;
    `warnings` for the checks; `terms` for what may pass unseen and for words per band.
    """

    interval: float = 0.9
    explain: bool = False
    words: bool = False
    warnings: bool = False
    terms: Terms = field(default_factory=Terms)


@dataclass(frozen=True)
class SourceTags:
    """Probabilities `bad` of every word of n sources that it is not translated, or wrongly; BAD from `threshold` on.

    `words` are the sources' tokens as they were written, by whose offsets the probabilities stand.
    """

    bad: Float64s
    threshold: float
    words: TokenColumn
    texts: Sequence[str]


@dataclass(frozen=True)
class TaggedWords:
    """Tags of every word and gap of n segments by `tagger`; `words` are the translations' tokens as they were written.

    `mcc` is what was measured of tags that were made in this way. Of the rows in `truncated` they are those of the beginning.
    `source` has tags of the sources' words, where a network reads tokens and they were worth it.
    """

    tagger: WordTagger
    mcc: float
    tags: WordTags
    words: TokenColumn
    texts: Sequence[str]
    truncated: frozenset[int] = frozenset()
    source: SourceTags | None = None


@dataclass(frozen=True)
class Assessment:
    """Predicted quality of n segments by `model`, and what of `options` was wanted and there is.

    `confidence` (n,) runs from 0 to 1; `contributions` (n, k) are Shapley values; `bad` (n,) is the probability of being worse
    than `options.terms.at_worst`; those terms are of the model's label. Rows in `truncated` were judged by their beginnings;
    their numbers of words and tokens are whole. `drift` is of these segments alone.
    """

    model: Model
    prediction: Prediction
    confidence: Float64s
    source_words: Sequence[int]
    source_tokens: Int64s
    translation_tokens: Int64s
    options: Options
    contributions: Float64s | None = None
    words: TaggedWords | None = None
    warnings: Sequence[tuple[SegmentWarning, ...]] | None = None
    bad: Float64s | None = None
    reasons: Sequence[tuple[Reason, ...]] | None = None
    truncated: frozenset[int] = frozenset()
    drift: Drift | None = None
