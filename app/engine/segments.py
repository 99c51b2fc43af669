"""What the engine is asked about segments, and what it answers."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from app.arrays import Float64s, Int64s
from app.errors import InputError
from app.features import Need
from app.features.warnings import SegmentWarning
from app.planning.bands import Band
from app.predictors import Model, Prediction
from app.predictors.word_tags import WordTagger, WordTags
from app.text import LanguagePair, TokenColumn
from app.text.side_information import NO_SIDE_INFORMATION, TOKEN_LOG_PROBS, SideInformation

__all__ = ["Options", "QualityAnswer", "Segments", "WordAnswer"]


@dataclass(frozen=True)
class Segments:
    """n segment pairs as they were sent; each kind of side information for all of them or for none."""

    pair: LanguagePair
    sources: Sequence[str]
    translations: Sequence[str]
    side_information: SideInformation = NO_SIDE_INFORMATION

    @property
    def sent(self) -> frozenset[Need]:
        """What came beside the two texts."""
        return self.side_information.kinds

    @property
    def token_log_probs(self) -> tuple[tuple[float, ...], ...] | None:
        """The natural-log probability of each token of the MT system for each segment, the end of sentence last."""
        return self.side_information.get(TOKEN_LOG_PROBS)

    def __len__(self) -> int:
        return len(self.sources)

    @classmethod
    def joined(cls, parts: "Sequence[Segments]") -> "Segments":
        """One batch of several that are of one pair and came with the same kinds of side information."""
        first = parts[0]
        if any(len(part.sources) != len(part.translations) for part in parts):
            raise InputError("unequal-lengths", "each source needs one translation")
        return cls(
            first.pair,
            [text for part in parts for text in part.sources],
            [text for part in parts for text in part.translations],
            SideInformation.joined([part.side_information for part in parts]),
        )


@dataclass(frozen=True)
class Options:
    """What is wanted beside the scores.

    `interval` is the share of labels the intervals are to hold; `words` asks for tags of words where the pair has a tagger;
    `warnings` for the checks; `bands` for a band per segment and words per band. A label worse than `at_worst` (in its unit) is
    bad, and of what is accepted at most the share `error_rate` is expected to be.
    """

    interval: float = 0.9
    explain: bool = False
    words: bool = False
    warnings: bool = False
    bands: tuple[Band, ...] = ()
    at_worst: float | None = None
    error_rate: float | None = None

    @classmethod
    def of(cls, params: Mapping[str, Any]) -> "Options":
        """From the parameters of a request or a job; what is not there is not wanted."""
        accept = params.get("accept") or {}
        return cls(
            params.get("interval", 0.9),
            params.get("explain", False),
            params.get("words", False),
            params.get("warnings", False),
            tuple(Band(**band) for band in params.get("bands") or ()),
            accept.get("at_worst"),
            accept.get("error_rate"),
        )


@dataclass(frozen=True)
class WordAnswer:
    """Tags of every word and gap of n segments by `tagger`; `words` are the translations' tokens as they were written."""

    tagger: WordTagger
    tags: WordTags
    words: TokenColumn
    texts: Sequence[str]


@dataclass(frozen=True)
class QualityAnswer:
    """Predicted quality of n segments by `model`, and what of `options` was wanted and there is.

    `confidence` (n,) runs from 0 to 1; `contributions` (n, k) are Shapley values; `bad` (n,) is the probability of being worse
    than `options.at_worst`.
    """

    model: Model
    prediction: Prediction
    confidence: Float64s
    source_words: Sequence[int]
    source_tokens: Int64s
    translation_tokens: Int64s
    options: Options
    contributions: Float64s | None = None
    words: WordAnswer | None = None
    warnings: Sequence[tuple[SegmentWarning, ...]] | None = None
    bad: Float64s | None = None
