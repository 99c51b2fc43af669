"""The operations of a server.

Written by ``python -m recipes.client_answers``: change the server's declarations instead.
"""

from collections.abc import Mapping, Sequence
from typing import Any, Literal, TypedDict, Unpack

from assay_client.answers import (
    CompareAnswer,
    CorrelateAnswer,
    Evaluations,
    FeaturesAnswer,
    ModelEvaluation,
    PredictedAnswer,
    RankAnswer,
    ScoreAnswer,
    SelectAnswer,
    TrainAnswer,
    TrainedTasks,
    WordOrderAnswer,
    WordsAnswer,
)
from assay_client.methods import async_called, async_worked, called, worked
from assay_client.requests import Call, Candidates, JobCall, OnProgress, Segment, post, segment_rows

__all__ = [
    "AsyncOperations",
    "CompareOptions",
    "CorrelateOptions",
    "EvaluateOptions",
    "FeaturesOptions",
    "Operations",
    "QualityOptions",
    "RankOptions",
    "ScoreOptions",
    "SelectOptions",
    "TrainOptions",
    "WordOrderOptions",
    "WordsOptions",
]


class QualityOptions(TypedDict, total=False):
    """What `quality` may be asked beside what it must; the server chooses what is not given."""

    bands: Sequence[Mapping[str, Any]] | Literal["risk"] | None
    accept: Mapping[str, Any] | None
    currency: str | None
    word_price: float | None
    interval: float  # Share of labels the interval is to hold
    explain: bool
    words: bool  # Add tags of words and gaps, where the pair has a tagger
    warnings: bool  # Check numbers, names, negation, what no score should be believed of; on by itself where something may pass
    model: str | None
    label: str | None


def quality(
    source_language: str, target_language: str, segments: Sequence[Segment], **options: Unpack[QualityOptions]
) -> Call[PredictedAnswer]:
    """Predicted quality of every segment and of the document, or of every word and gap, without a reference."""
    return post(
        "/v1/quality",
        {"source_language": source_language, "target_language": target_language, "segments": segment_rows(segments), **options},
    )


class WordsOptions(TypedDict, total=False):
    """What `words` may be asked beside what it must; the server chooses what is not given."""

    model: str | None


def words(
    source_language: str, target_language: str, segments: Sequence[Segment], **options: Unpack[WordsOptions]
) -> Call[WordsAnswer]:
    """Say of every word and every gap whether it is OK, without a reference."""
    return post(
        "/v1/words",
        {"source_language": source_language, "target_language": target_language, "segments": segment_rows(segments), **options},
    )


class FeaturesOptions(TypedDict, total=False):
    """What `features` may be asked beside what it must; the server chooses what is not given."""

    feature_set: str
    features: Sequence[str] | None


def features(
    source_language: str, target_language: str, segments: Sequence[Segment], **options: Unpack[FeaturesOptions]
) -> Call[FeaturesAnswer]:
    """Feature values of every segment."""
    return post(
        "/v1/features",
        {"source_language": source_language, "target_language": target_language, "segments": segment_rows(segments), **options},
    )


class RankOptions(TypedDict, total=False):
    """What `rank` may be asked beside what it must; the server chooses what is not given."""

    model: str | None
    label: str | None


def rank(
    source_language: str, target_language: str, segments: Sequence[Candidates], **options: Unpack[RankOptions]
) -> Call[RankAnswer]:
    """Translations of each source from best to worst, and the standing of their systems."""
    return post(
        "/v1/rank",
        {"source_language": source_language, "target_language": target_language, "segments": segment_rows(segments), **options},
    )


class ScoreOptions(TypedDict, total=False):
    """What `score` may be asked beside what it must; the server chooses what is not given."""

    segments: bool  # Whether to answer segment scores
    significance: Mapping[str, Any] | bool | None
    store: str | None  # Answer what a later comparison needs of this system, or system of `runs`: `stored`
    empty: Literal["score", "skip", "error"]  # What to do with segments that are empty in any system or reference


def score(
    metrics: Sequence[str],
    systems: Mapping[str, Sequence[str]],
    references: Mapping[str, Sequence[str]],
    **options: Unpack[ScoreOptions],
) -> Call[ScoreAnswer]:
    """Scores of named systems against named references."""
    return post("/v1/score", {"metrics": metrics, "systems": systems, "references": references, **options})


class CompareOptions(TypedDict, total=False):
    """What `compare` may be asked beside what it must; the server chooses what is not given."""

    metrics: Sequence[str]
    tokenise: str
    most: int  # How many n-grams and segments of each kind


def compare(
    baseline: Sequence[str], system: Sequence[str], references: Mapping[str, Sequence[str]], **options: Unpack[CompareOptions]
) -> Call[CompareAnswer]:
    """Where a system differs from a baseline: n-grams, lengths, word frequencies, segments."""
    return post("/v1/compare", {"baseline": baseline, "system": system, "references": references, **options})


class CorrelateOptions(TypedDict, total=False):
    """What `correlate` may be asked beside what it must; the server chooses what is not given."""

    groups: Sequence[str] | None  # Only translations of one group are paired
    agreements: Sequence[str]
    tests: bool  # Whether to test every two metrics against each other


def correlate(
    human: Sequence[float], metrics: Mapping[str, Sequence[float]], **options: Unpack[CorrelateOptions]
) -> Call[CorrelateAnswer]:
    """How well metrics' scores agree with people's."""
    return post("/v1/correlate", {"human": human, "metrics": metrics, **options})


class WordOrderOptions(TypedDict, total=False):
    """What `word_order` may be asked beside what it must; the server chooses what is not given."""

    beta: float  # Weight of a tree's node against its children
    alpha: float  # Weight of the words against their order, in `scores`


def word_order(segments: Sequence[Mapping[str, Any]], **options: Unpack[WordOrderOptions]) -> Call[WordOrderAnswer]:
    """Similarities of word order, for alignments made elsewhere."""
    return post("/v1/word-order", {"segments": segments, **options})


class EvaluateOptions(TypedDict, total=False):
    """What `evaluate` may be asked beside what it must; the server chooses what is not given."""

    model: str | None
    label: str | None
    models: Sequence[str] | None
    all: bool  # Every model that fits, in place of one


def evaluate(
    source_language: str,
    target_language: str,
    segments: Sequence[Mapping[str, Any]],
    *,
    on_progress: OnProgress | None = None,
    **options: Unpack[EvaluateOptions],
) -> JobCall[ModelEvaluation | Evaluations]:
    """Measure predictors on labelled segments."""
    return JobCall(
        "evaluate",
        {"source_language": source_language, "target_language": target_language, "segments": segments, **options},
        on_progress,
    )


class SelectOptions(TypedDict, total=False):
    """What `select` may be asked beside what it must; the server chooses what is not given."""

    model: str | None
    label: str | None
    count: int
    strategy: str


def select(
    source_language: str,
    target_language: str,
    segments: Sequence[Segment],
    *,
    on_progress: OnProgress | None = None,
    **options: Unpack[SelectOptions],
) -> JobCall[SelectAnswer]:
    """Choose the segments of a pool that are worth annotating next."""
    return JobCall(
        "select",
        {"source_language": source_language, "target_language": target_language, "segments": segment_rows(segments), **options},
        on_progress,
    )


class TrainOptions(TypedDict, total=False):
    """What `train` may be asked beside what it must; the server chooses what is not given."""

    scale: Mapping[str, Any] | None  # What the labels' numbers mean, where that is not usual; a label of another name needs it
    feature_set: str | None
    learner: str | None
    base: str | None
    method: Literal["auto", "retrain", "adapt"]
    feedback: bool
    promote: Literal["by-hand", "if-better"]  # if-better: as soon as a new version is significantly better
    sharing: str
    rank: int
    held_out_share: float
    seed: int
    curve: bool  # Measure how accuracy grows with rows, which doubles the time
    segments: Sequence[Mapping[str, Any]]
    held_out: Sequence[Mapping[str, Any]] | None
    others: Sequence[Mapping[str, Any]] | None
    name: str | None
    licence: str  # Licence of the model, for its card
    data_name: str | None
    held_out_name: str | None


def train(
    source_language: str,
    target_language: str,
    label: str,
    *,
    on_progress: OnProgress | None = None,
    **options: Unpack[TrainOptions],
) -> JobCall[TrainAnswer | TrainedTasks]:
    """Train a predictor on labelled segments."""
    return JobCall(
        "train", {"source_language": source_language, "target_language": target_language, "label": label, **options}, on_progress
    )


class Operations:
    """Every operation as a method that waits for its answer."""

    quality = called(quality)
    words = called(words)
    features = called(features)
    rank = called(rank)
    score = called(score)
    compare = called(compare)
    correlate = called(correlate)
    word_order = called(word_order)
    evaluate = worked(evaluate)
    select = worked(select)
    train = worked(train)


class AsyncOperations:
    """Every operation as a method that is awaited."""

    quality = async_called(quality)
    words = async_called(words)
    features = async_called(features)
    rank = async_called(rank)
    score = async_called(score)
    compare = async_called(compare)
    correlate = async_called(correlate)
    word_order = async_called(word_order)
    evaluate = async_worked(evaluate)
    select = async_worked(select)
    train = async_worked(train)
