"""The bodies of requests about segments, and their answers: features, quality, ranking."""

from typing import TYPE_CHECKING, Annotated, Literal

from pydantic import BaseModel, Field, FiniteFloat, create_model, field_validator

from app.api.schemas import Body, Label, Language, ModelId, SystemName, with_example
from app.planning.bands import Band, check_bands
from app.text.side_information import segment_fields

__all__ = [
    "Candidates",
    "FeaturesAnswer",
    "FeaturesRequest",
    "QualityAnswerBody",
    "QualityOptions",
    "QualityRequest",
    "RankAnswer",
    "RankRequest",
    "Segment",
    "WordQualityAnswer",
]

BOTH = {"source_language": "ro", "target_language": "en"}
PAIR = {"source": "Casa este mare.", "translation": "The house is big."}


class TextPair(Body):
    """One pair of source and translation."""

    source: str
    translation: str


if TYPE_CHECKING:

    class Segment(TextPair):
        """One pair of source and translation, with fields for every kind of side information."""

else:
    Segment = create_model("Segment", __base__=TextPair, __doc__=TextPair.__doc__, **segment_fields())


class FeaturesRequest(Body):
    """POST /v1/features."""

    model_config = with_example(
        {"source_language": "ro", "target_language": "en", "feature_set": "quest-baseline-17", "segments": [PAIR]}
    )

    source_language: Language
    target_language: Language
    feature_set: Annotated[str, Field(max_length=100)] = "quest-baseline-17"
    features: Annotated[list[str], Field(min_length=1, max_length=1000, description="Ids, in place of a set")] | None = None
    segments: list[Segment]


class BandChoice(Body):
    """A band of confidence from `at_least` on; words in it are paid at `rate`."""

    name: SystemName
    at_least: Annotated[FiniteFloat, Field(ge=0, le=1)]
    rate: Annotated[FiniteFloat, Field(ge=0, le=10)] = 1.0


class Accept(Body):
    """What may pass unseen: a label worse than `at_worst`, in its unit, is an error."""

    at_worst: FiniteFloat
    error_rate: Annotated[FiniteFloat, Field(gt=0, lt=1, description="Share of what passes that may be errors, expected")] = 0.1


class QualityOptions(Body):
    """What is wanted beside scores."""

    interval: Annotated[FiniteFloat, Field(ge=0.5, le=0.99, description="Share of labels the interval is to hold")] = 0.9
    explain: bool = False
    words: Annotated[bool, Field(description="Add tags of words and gaps, where the pair has a tagger")] = False
    warnings: Annotated[bool, Field(description="Check numbers, names, negation and untranslated text")] = False
    bands: Annotated[list[BandChoice], Field(min_length=1, max_length=20, description="Best first, the last at 0")] | None = None
    accept: Accept | None = None

    @field_validator("bands")
    @classmethod
    def _ordered(cls, bands: list[BandChoice] | None) -> list[BandChoice] | None:
        if bands is not None:
            check_bands([Band(each.name, each.at_least, each.rate) for each in bands])
        return bands


class QualityRequest(QualityOptions):
    """POST /v1/quality. `level` word asks for tags of words and gaps alone; label and options are then of no use."""

    model_config = with_example(
        {"source_language": "ro", "target_language": "en", "segments": [PAIR], "warnings": True, "words": True}
    )

    level: Literal["sentence", "word"] = "sentence"

    source_language: Language
    target_language: Language
    model: ModelId | None = None
    label: Label | None = None
    segments: list[Segment]


class Translation(Body):
    """One system's translation of a source."""

    system: SystemName
    text: str


class Candidates(Body):
    """One source with the translations to rank."""

    source: str
    translations: Annotated[list[Translation], Field(min_length=1)]


class RankRequest(Body):
    """POST /v1/rank."""

    model_config = with_example(
        {
            "source_language": "ro",
            "target_language": "en",
            "segments": [
                {
                    "source": "Casa este mare.",
                    "translations": [{"system": "one", "text": "The house is big."}, {"system": "two", "text": "House is big."}],
                }
            ],
        }
    )

    source_language: Language
    target_language: Language
    model: ModelId | None = None
    label: Label | None = None
    segments: list[Candidates]


class FeatureName(BaseModel):
    """A column of the answer."""

    id: str
    name: str


class LeftOutFeature(FeatureName):
    """A feature of the set that could not be computed."""

    reason: str


class FeaturesAnswer(BaseModel):
    """Values in the order of `features`, rows in the order of the request."""

    features: list[FeatureName]
    left_out: list[LeftOutFeature]
    values: list[list[float]]


class Contribution(BaseModel):
    """How far one feature moved the score away from the baseline (Shapley value)."""

    feature: str
    name: str
    contribution: float


class Explanation(BaseModel):
    """How contributions came about: baseline and contributions add up to the score, before that is cut to the label's range."""

    method: Literal["exact", "sampled"]
    baseline: float
    orders: int | None = Field(description="Orders of the features that were sampled")
    seed: int | None


class WarningOf(BaseModel):
    """A check that did not pass, and the words it is about."""

    code: str
    source: list[str]
    translation: list[str]


class WordTag(BaseModel):
    """A word, where it stands in the translation (in characters, null if it is not there as it is), and its tag."""

    text: str
    start: int | None
    end: int | None
    tag: Literal["OK", "BAD"]
    bad: float = Field(description="Probability of BAD")


class GapTag(BaseModel):
    """A gap: BAD where words are missing."""

    tag: Literal["OK", "BAD"]
    bad: float = Field(description="Probability of BAD")


class SegmentQuality(BaseModel):
    """Quality of one segment; `confidence` runs from 0 (worst) to 1 (best) whatever the label."""

    score: float
    std: float
    interval: list[float]
    confidence: float
    source_words: int
    source_tokens: int
    translation_tokens: int
    grade: float | None = None
    grade_probabilities: list[float] | None = None
    contributions: list[Contribution] | None = None
    band: str | None = None
    warnings: list[WarningOf] | None = None
    bad_probability: float | None = Field(None, description="That the label is worse than accept.at_worst")
    accept: bool | None = None
    words: list[WordTag] | None = None
    gaps: list[GapTag] | None = None


class BandRow(BaseModel):
    """Segments and source words in one band, and those words at its rate."""

    name: str
    at_least: float
    rate: float
    segments: int
    source_words: int
    share: float
    paid_words: float


class Acceptance(BaseModel):
    """What passes, and how many errors are expected among it; nothing passes where the threshold is null."""

    at_worst: float
    error_rate: float
    threshold: float | None
    accepted: int
    expected_errors: float
    meaning: str


class DocumentQuality(BaseModel):
    """Quality of all segments together: the plain mean, and the mean weighted by translation length."""

    score: float | None
    weighted_score: float | None
    confidence: float | None
    segments: int
    source_tokens: int
    translation_tokens: int
    source_words: int
    bands: list[BandRow] | None = None
    warnings: dict[str, int] | None = Field(None, description="Segments per check")
    acceptance: Acceptance | None = None


class QualityAnswerBody(BaseModel):
    """Answer of POST /v1/quality."""

    model: str
    label: str
    unit: str
    direction: str
    interval: float
    explanation: Explanation | None = None
    word_model: str | None = None
    segments: list[SegmentQuality]
    document: DocumentQuality


class SegmentWords(BaseModel):
    """The words of a segment and the gaps around them, one more than words."""

    words: list[WordTag]
    gaps: list[GapTag]


class WordQualityAnswer(BaseModel):
    """Answer of POST /v1/quality with level=word; `mcc` is measured on the card's data."""

    model: str
    level: str
    mcc: float
    gap_mcc: float
    segments: list[SegmentWords]


class RankedCandidate(BaseModel):
    """A candidate with its predicted score."""

    system: str
    score: float
    std: float


class SegmentOrder(BaseModel):
    """Candidates from best to worst."""

    order: list[RankedCandidate]
    confidence: float


class Standing(BaseModel):
    """A system over all segments."""

    system: str
    segments: int
    wins: float
    mean: float
    interval: list[float]
    confidence: float


class RankAnswer(BaseModel):
    """Answer of POST /v1/rank."""

    model: str
    label: str
    unit: str
    direction: str
    segments: list[SegmentOrder]
    systems: list[Standing]
