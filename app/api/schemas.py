"""The bodies of requests and answers."""

from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field, FiniteFloat

__all__ = [
    "Body",
    "FeaturesAnswer",
    "FeaturesRequest",
    "JobAnswer",
    "JobList",
    "JobRequest",
    "ModelCard",
    "ModelList",
    "QualityAnswerBody",
    "QualityRequest",
    "RankAnswer",
    "RankRequest",
    "ResourcesAnswer",
    "Status",
    "SystemName",
]

Language = Annotated[str, Field(pattern="^[a-z]{2,3}$", description="ISO 639 code", examples=["en"])]
Label = Annotated[Literal["hter", "da", "effort", "likert", "time"], Field(description="What is predicted")]
ModelId = Annotated[str, Field(min_length=1, max_length=100, description="A model's id, from GET /v1/models")]
SystemName = Annotated[str, Field(min_length=1, max_length=100)]
LogProbs = Annotated[list[FiniteFloat], Field(description="Natural logs, one per token of the MT system, then the end of sentence")]
SearchName = Literal["hypotheses", "nodes", "discarded", "pruned", "recombined", "phrases", "longest_phrase", "unknown_words"]


class Body(BaseModel):
    """A request: unknown fields are refused, types are not guessed."""

    model_config = ConfigDict(extra="forbid", strict=True)


class ListEntry(Body):
    """One hypothesis of an n-best list."""

    text: str
    score: FiniteFloat
    features: Annotated[dict[SystemName, Annotated[list[FiniteFloat], Field(max_length=100)]], Field(max_length=100)] = {}


class Segment(Body):
    """One pair of source and translation."""

    source: str
    translation: str
    token_log_probs: LogProbs | None = None
    tokens: Annotated[list[str], Field(description="The MT system's own tokens, with @@ or ▁, for word-level quality")] | None = (
        None
    )
    token_entropies: Annotated[list[FiniteFloat], Field(description="Nats, one per token of the MT system")] | None = None
    passes: Annotated[list[LogProbs], Field(max_length=100, description="Log-probabilities in several passes")] | None = None
    samples: Annotated[list[str], Field(max_length=100, description="Translations sampled from the same system")] | None = None
    n_best: Annotated[list[ListEntry], Field(max_length=1000, description="The decoder's n-best list, best first")] | None = None
    search: Annotated[dict[SearchName, FiniteFloat], Field(description="Counts of the decoder's search")] | None = None
    pseudo_references: Annotated[list[str], Field(max_length=64, description="Translations by other systems")] | None = None
    back_translation: Annotated[str, Field(description="The translation, translated back")] | None = None


class FeaturesRequest(Body):
    """POST /v1/features."""

    source_language: Language
    target_language: Language
    feature_set: Annotated[str, Field(max_length=100)] = "quest-baseline-17"
    features: Annotated[list[str], Field(min_length=1, max_length=1000, description="Ids, in place of a set")] | None = None
    segments: list[Segment]


class QualityRequest(Body):
    """POST /v1/quality. `level` word asks for tags of words and gaps; label, interval and explain are then of no use."""

    level: Literal["sentence", "word"] = "sentence"

    source_language: Language
    target_language: Language
    model: ModelId | None = None
    label: Label | None = None
    segments: list[Segment]
    interval: Annotated[FiniteFloat, Field(ge=0.5, le=0.99, description="Share of labels the interval is to hold")] = 0.9
    explain: bool = False


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

    source_language: Language
    target_language: Language
    model: ModelId | None = None
    label: Label | None = None
    segments: list[Candidates]


class JobRequest(Body):
    """POST /v1/jobs: `params` is the body of the kind's own call, or of training and evaluation."""

    kind: Literal["quality", "features", "score", "rank", "train", "evaluate", "select"]
    params: dict[str, Any]


class Status(BaseModel):
    """State of the service."""

    status: str


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


class SegmentQuality(BaseModel):
    """Quality of one segment."""

    score: float
    std: float
    interval: list[float]
    source_tokens: int
    translation_tokens: int
    grade: float | None = None
    grade_probabilities: list[float] | None = None
    contributions: list[Contribution] | None = None


class DocumentQuality(BaseModel):
    """Quality of all segments together: the plain mean, and the mean weighted by translation length."""

    score: float | None
    weighted_score: float | None
    segments: int
    source_tokens: int
    translation_tokens: int


class QualityAnswerBody(BaseModel):
    """Answer of POST /v1/quality."""

    model: str
    label: str
    unit: str
    direction: str
    interval: float
    explanation: Explanation | None = None
    segments: list[SegmentQuality]
    document: DocumentQuality


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


class WordTaggerCard(BaseModel):
    """A word tagger's card."""

    model_config = ConfigDict(extra="allow")
    id: str
    pair: str
    word_features: list[str]
    gap_features: list[str]
    accuracy: dict[str, Any]


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


class JobAnswer(BaseModel):
    """A job and how far it is."""

    id: str
    kind: str
    state: Literal["queued", "running", "succeeded", "failed", "cancelled"]
    done: int
    total: int
    rate: float | None = Field(description="Segments per second")
    eta: float | None = Field(description="Seconds to the end, estimated")
    created: str
    started: str | None
    finished: str | None
    error: dict[str, Any] | None
    summary: dict[str, Any] | None
    params: dict[str, Any]


class JobList(BaseModel):
    """Jobs, the newest first."""

    jobs: list[JobAnswer]


class ModelCard(BaseModel):
    """A predictor's card."""

    model_config = ConfigDict(extra="allow")
    id: str
    pair: str
    label: str
    unit: str
    direction: str
    features: list[str]
    learner: str
    training_data: dict[str, Any]
    accuracy: dict[str, Any]


class ModelList(BaseModel):
    """All predictors, of segments and of words."""

    models: list[ModelCard]
    word_models: list[WordTaggerCard]


class ResourcesAnswer(BaseModel):
    """What is loaded, and the limits of requests."""

    pairs: list[str]
    resources: list[dict[str, Any]]
    limits: dict[str, int]
