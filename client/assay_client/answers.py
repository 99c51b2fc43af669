"""What a server answers, for type checkers."""

from typing import Any, Literal, NotRequired, TypedDict

__all__ = ["JobAnswer", "QualityAnswer", "RankAnswer", "ScoreAnswer", "SegmentQuality"]

Json = dict[str, Any]


class SegmentQuality(TypedDict):
    """Quality of one segment; `confidence` runs from 0 (worst) to 1 (best) whatever the label."""

    score: float
    std: float
    interval: list[float]
    confidence: float
    source_words: int
    source_tokens: int
    translation_tokens: int
    band: NotRequired[str]
    warnings: NotRequired[list[Json]]
    words: NotRequired[list[Json]]
    gaps: NotRequired[list[Json]]
    bad_probability: NotRequired[float]
    accept: NotRequired[bool]
    contributions: NotRequired[list[Json]]


class QualityAnswer(TypedDict):
    """Answer of `quality`: segments in the order they were sent."""

    model: str
    label: str
    unit: str
    direction: str
    interval: float
    segments: list[SegmentQuality]
    document: Json


class RankAnswer(TypedDict):
    """Answer of `rank`: the order of every segment's candidates, and the systems from best to worst."""

    model: str
    label: str
    unit: str
    direction: str
    segments: list[Json]
    systems: list[Json]


class ScoreAnswer(TypedDict):
    """Answer of `score`: one entry per metric and system."""

    metrics: list[Json]
    test: NotRequired[Json]
    empty: Json


class JobAnswer(TypedDict):
    """A job and how far it is."""

    id: str
    kind: str
    state: Literal["queued", "running", "succeeded", "failed", "cancelled"]
    done: int
    total: int
    eta: float | None
    error: Json | None
    summary: Json | None
    params: Json
