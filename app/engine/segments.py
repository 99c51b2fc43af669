"""Segments, options and answers of the engine."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property

from app.arrays import Float64s, Int64s
from app.checks import SegmentWarning
from app.checks.reasons import Reason
from app.documents.glossaries import Glossary
from app.errors import InputError
from app.features import Evidence
from app.planning.acceptance import bad_probability
from app.planning.confidence import capped, confidence_of
from app.planning.terms import Terms
from app.predictors import Model, Prediction
from app.predictors.word_tags import WordTagger, WordTags
from app.predictors.word_tags.marks import Marks
from app.registry.drift import Drift
from app.text import LanguagePair, TokenColumn
from app.text.side_information import NO_SIDE_INFORMATION, SideInformation
from app.text.side_information.kinds import TOKEN_LOG_PROBS

__all__ = ["Assessment", "Options", "Segments", "SourceTags", "TaggedWords"]


@dataclass(frozen=True)
class Segments:
    """n segment pairs of a request; each kind of side information covers all of them or none."""

    pair: LanguagePair
    sources: Sequence[str]
    translations: Sequence[str]
    side_information: SideInformation = NO_SIDE_INFORMATION

    @property
    def evidence(self) -> Evidence:
        """Kinds of side information that the request gives for all segments."""
        return self.side_information.evidence

    @property
    def token_log_probs(self) -> tuple[tuple[float, ...], ...] | None:
        """Natural-log probability of each token of the MT system, one tuple per segment; the end of sentence comes last."""
        return self.side_information.get(TOKEN_LOG_PROBS)

    def __len__(self) -> int:
        return len(self.sources)

    @classmethod
    def joined(cls, parts: Sequence["Segments"]) -> "Segments":
        """Join segments of one pair with equal kinds of side information; InputError for a source without a translation."""
        if any(len(part.sources) != len(part.translations) for part in parts):
            raise InputError("unequal-lengths", "each source needs one translation")
        if len(parts) == 1:
            return parts[0]
        sources = [text for part in parts for text in part.sources]
        translations = [text for part in parts for text in part.translations]
        return cls(parts[0].pair, sources, translations, SideInformation.joined([part.side_information for part in parts]))


@dataclass(frozen=True)
class Options:
    """Parts of an answer beside the scores.

    `interval` is the coverage of the intervals. `words` asks for tags of words if the pair has a tagger, `warnings` for the
    checks, with those of terms if there is a `glossary`. `terms` ask for acceptance without review and for words per band.
    """

    interval: float = 0.9
    explain: bool = False
    words: bool = False
    warnings: bool = False
    terms: Terms = field(default_factory=Terms)
    glossary: Glossary | None = None


@dataclass(frozen=True)
class SourceTags:
    """Probability `bad` of a missing or wrong translation, for every word of n sources, with their marks.

    From the `threshold` on, tags agree best with annotators by Matthews' correlation. `words` are the sources' tokens in their
    original case; the probabilities follow their offsets.
    """

    bad: Float64s
    marks: Marks
    words: TokenColumn
    texts: Sequence[str]
    threshold: float


@dataclass(frozen=True)
class TaggedWords:
    """Tags of every word and gap of n segments by `tagger`; `words` are the translations' tokens in their original case.

    `mcc` is Matthews' correlation measured for the probabilities from their best threshold on. Rows in `truncated` have tags of
    their first tokens alone. `source` has tags of the sources' words, if those measured for the cross-encoder were good enough.
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
    """Predicted quality of n segments by `model`, with the parts that `options` ask for.

    `contributions` (n, k) are Shapley values. `options.terms` are in the terms of the model's label. Rows in `truncated` were
    scored by their first tokens; their numbers of words and tokens are those before the cut. `drift` covers these segments alone.
    """

    model: Model
    prediction: Prediction
    source_words: Sequence[int]
    source_tokens: Int64s
    translation_tokens: Int64s
    options: Options
    contributions: Float64s | None = None
    words: TaggedWords | None = None
    warnings: Sequence[tuple[SegmentWarning, ...]] | None = None
    reasons: Sequence[tuple[Reason, ...]] | None = None
    truncated: frozenset[int] = frozenset()
    drift: Drift | None = None

    @cached_property
    def confidence(self) -> Float64s:
        """Confidence in each segment, from 0 to 1, limited by its errors; shape (n,)."""
        confidence = confidence_of(self.model.label, self.prediction.mean)
        return confidence if self.warnings is None else capped(confidence, self.warnings)

    @cached_property
    def error_mask(self) -> list[bool]:
        """Mask of the segments with an error."""
        return [any(warning.severity == "error" for warning in row) for row in self.warnings or [()] * len(self.prediction.mean)]

    @cached_property
    def bad(self) -> Float64s | None:
        """Probability of a label worse than `options.terms.at_worst`, shape (n,); None without such a label."""
        worst, p = self.options.terms.at_worst, self.prediction
        return None if worst is None else bad_probability(self.model, p.mean, p.std, worst)
