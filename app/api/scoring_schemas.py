"""The bodies of scoring, comparing and correlating."""

from typing import Annotated, Literal

from pydantic import BaseModel, Field, FiniteFloat

from app.api.schemas import Body, SystemName, with_example

__all__ = ["CompareRequest", "CorrelateRequest", "ScoreAnswer", "ScoreRequest", "SignificanceRequest", "WordOrderRequest"]

MetricName = Annotated[str, Field(min_length=1, max_length=100, examples=["bleu", "simpbleu:PABC4", "bleu|tok:zh"])]


class SignificanceRequest(Body):
    """Intervals by bootstrap, and a paired test of every system against the baseline."""

    test: Literal["bootstrap", "randomisation"] = "bootstrap"
    samples: Annotated[int, Field(ge=100, le=10_000, description="Bootstrap resamples")] = 1000
    trials: Annotated[int, Field(ge=100, le=100_000, description="Trials of approximate randomisation")] = 10_000
    seed: Annotated[int, Field(ge=0, le=2**31)] = 12345
    baseline: Annotated[SystemName | None, Field(description="The first system otherwise")] = None
    letters: Annotated[bool, Field(description="Test every two systems; those that share a letter do not differ at 0.05")] = False
    runs: Annotated[
        dict[SystemName, list[SystemName]] | None, Field(description="Systems by the names of their runs (optimiser instability)")
    ] = None


class ScoreRequest(Body):
    """POST /v1/score: named systems against named references, all of one length."""

    model_config = with_example(
        {"metrics": ["bleu", "chrf"], "systems": {"mine": ["The house is big."]}, "references": {"A": ["The house is large."]}}
    )

    metrics: Annotated[list[MetricName], Field(min_length=1, max_length=80)]
    systems: Annotated[dict[SystemName, list[str]], Field(min_length=1)]
    references: Annotated[dict[SystemName, list[str]], Field(min_length=1)]
    source: list[str] | None = None
    segments: Annotated[bool, Field(description="Whether to answer segment scores")] = False
    significance: SignificanceRequest | bool | None = None
    empty: Annotated[
        Literal["score", "skip", "error"], Field(description="What to do with segments that are empty in any system or reference")
    ] = "score"


class CompareRequest(Body):
    """POST /v1/compare: where a system and a baseline differ."""

    model_config = with_example(
        {"baseline": ["The house is large."], "system": ["The house is big."], "references": {"A": ["The house is big."]}}
    )

    baseline: list[str]
    system: list[str]
    references: Annotated[dict[SystemName, list[str]], Field(min_length=1)]
    metrics: list[MetricName] = Field(default_factory=lambda: ["bleu", "chrf"], min_length=1, max_length=10)
    tokenise: Annotated[str, Field(max_length=20)] = "13a"
    most: Annotated[int, Field(ge=1, le=500, description="How many n-grams and segments of each kind")] = 20


class CorrelateRequest(Body):
    """POST /v1/correlate: human scores and metrics' scores of the same translations, all higher for better ones."""

    model_config = with_example({"human": [0.1, 0.5, 0.9], "metrics": {"bleu": [10.0, 40.0, 80.0]}})

    human: Annotated[list[FiniteFloat], Field(min_length=2, max_length=100_000)]
    metrics: Annotated[dict[SystemName, list[FiniteFloat]], Field(min_length=1, max_length=64)]
    groups: Annotated[
        list[Annotated[str, Field(max_length=200)]] | None, Field(description="Only translations of one group are paired")
    ] = None
    agreements: list[Annotated[str, Field(max_length=50)]] = Field(
        default_factory=lambda: ["pearson", "spearman", "tau-b", "accuracy-calibrated"], min_length=1, max_length=20
    )
    tests: Annotated[bool, Field(description="Whether to test every two metrics against each other")] = False


class AlignedSegment(Body):
    """One segment whose words were aligned elsewhere."""

    alignment: Annotated[str, Field(max_length=100_000, description="Pairs i-j from 0, the hypothesis's word first")]
    hypothesis_words: Annotated[int, Field(ge=0)]
    reference_words: Annotated[int, Field(ge=0)]


class WordOrderRequest(Body):
    """POST /v1/word-order: how alike the order of aligned words is."""

    model_config = with_example({"segments": [{"alignment": "0-1 1-0", "hypothesis_words": 2, "reference_words": 2}]})

    segments: list[AlignedSegment]
    beta: Annotated[FiniteFloat, Field(ge=0, le=1, description="Weight of a tree's node against its children")] = 0.6
    alpha: Annotated[FiniteFloat, Field(ge=0, le=1, description="Weight of the words against their order, in `scores`")] = 0.5


class MetricScore(BaseModel):
    """One system by one metric."""

    system: str
    metric: str
    score: float
    unit: str
    direction: str
    range: list[float | None] = Field(description="Lowest and highest score, null where there is no bound")
    signature: str
    confidence_interval: list[float] | None = None
    bootstrap_mean: float | None = None
    difference: float | None = None
    p_value: float | None = None
    corrected_p_value: float | None = None
    wins: int | None = None
    losses: int | None = None
    ties: int | None = None
    letters: str | None = None
    segments: list[float] | None = None


class TestAnswer(BaseModel):
    """How differences were tested."""

    name: str
    meaning: str
    seed: int
    resamples: int
    trials: int | None = None


class RunAnswer(BaseModel):
    """A system over its runs."""

    system: str
    metric: str
    runs: list[str]
    mean: float
    selection_deviation: float
    optimiser_deviation: float | None = None
    p_value: float | None = None


class EmptyAnswer(BaseModel):
    """What was done with empty segments, and how many there are."""

    policy: str
    segments: int


class ScoreAnswer(BaseModel):
    """Answer of POST /v1/score."""

    metrics: list[MetricScore]
    test: TestAnswer | None = None
    runs: list[RunAnswer] | None = None
    empty: EmptyAnswer
