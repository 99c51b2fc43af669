"""Differences of a system from a baseline: n-grams, lengths, word frequencies, segments."""

from collections.abc import Mapping
from typing import TYPE_CHECKING, Annotated, Any

import numpy as np
from pydantic import Field
from typing_extensions import TypedDict

from app.arrays import Float64s
from app.errors import InputError
from app.metrics import Metric, check_aligned, segment_statistics
from app.metrics.analysis.buckets import frequency_buckets, length_buckets
from app.metrics.analysis.ngram_differences import NgramDifference, ngram_differences
from app.metrics.tokenisers import METRIC_TOKENISERS
from app.operations.operation import Body, Json, Operation, with_example
from app.operations.parts.costs.cost import Cost, amount_of_lists
from app.operations.parts.costs.work import work_of_lists
from app.operations.parts.limits import RequestLimits, check_count, check_lists
from app.operations.parts.names import SystemName
from app.operations.score import MetricName

if TYPE_CHECKING:
    from app.engine import Engine

__all__ = ["CompareAnswer", "CompareRequest", "operation"]


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
    most: Annotated[int, Field(ge=1, le=500, description="Number of n-grams and segments of each kind")] = 20


class NgramsAnswer(TypedDict):
    """N-grams that the system gets right more often, and those that it gets right less often."""

    better: list[Json]
    worse: list[Json]


class SegmentGain(TypedDict):
    """A segment, from 0, and by how much the system is better there (below 0 where it is worse)."""

    segment: int
    gain: float


class SegmentsComparison(TypedDict):
    """Share of segments in which the system is better by a metric, and its largest gains and losses."""

    metric: str
    wins: int
    losses: int
    ties: int
    most_improved: list[SegmentGain]
    most_worsened: list[SegmentGain]


class CompareAnswer(TypedDict):
    """N-grams, scores by reference length, words by frequency, and segments."""

    ngrams: NgramsAnswer
    lengths: list[Json]
    frequencies: list[Json]
    segments: list[SegmentsComparison]


def _check(request: CompareRequest, limits: RequestLimits) -> None:
    size = check_lists("system", {"system": request.system, "baseline": request.baseline}, limits)
    size += check_lists("references", request.references, limits)
    check_count(size, limits.scored, ("system",))
    if request.tokenise not in METRIC_TOKENISERS:
        raise InputError("invalid-request", f"tokenisers are {', '.join(METRIC_TOKENISERS)}", ("tokenise",))


def _answer(engine: "Engine", request: CompareRequest) -> CompareAnswer:
    metrics, tokenise, limit = engine.metrics(request.metrics), request.tokenise, request.most
    systems, references = {"baseline": request.baseline, "system": request.system}, request.references
    check_aligned(systems, references)
    first = next(iter(references.values()))
    better, worse = ngram_differences(request.baseline, request.system, list(references.values()), tokenise, limit=limit)
    statistics = segment_statistics(metrics, systems, references)
    lengths: list[Json] = []
    segments: list[SegmentsComparison] = []
    for (name, metric), of_metric in zip(metrics.items(), statistics, strict=True):
        lengths += [{"metric": name, **_bucket(row.__dict__)} for row in length_buckets(metric, of_metric, first, tokenise)]
        segments.append(_segments(name, metric, of_metric, limit))
    return {
        "ngrams": {"better": [_ngram(row) for row in better], "worse": [_ngram(row) for row in worse]},
        "lengths": lengths,
        "frequencies": [row.__dict__ for row in frequency_buckets(systems, first, tokenise)],
        "segments": segments,
    }


def _segments(name: str, metric: Metric, statistics: Mapping[str, Float64s], limit: int) -> SegmentsComparison:
    sign = 1 if metric.higher_is_better else -1
    gain = sign * (metric.segment_scores(statistics["system"]) - metric.segment_scores(statistics["baseline"]))
    order = np.argsort(-gain, kind="stable")
    return {
        "metric": name,
        "wins": int((gain > 0).sum()),
        "losses": int((gain < 0).sum()),
        "ties": int((gain == 0).sum()),
        "most_improved": [{"segment": int(i), "gain": float(gain[i])} for i in order[:limit] if gain[i] > 0],
        "most_worsened": [{"segment": int(i), "gain": float(gain[i])} for i in order[::-1][:limit] if gain[i] < 0],
    }


def _ngram(row: NgramDifference) -> Json:
    return {**row.__dict__, "ngram": " ".join(row.ngram)}


def _bucket(row: Mapping[str, Any]) -> Json:
    interval = row["interval"]
    return {**row, "interval": [interval.low, interval.high]}


operation = Operation(
    name="compare",
    id="compareSystems",
    summary="Differences of a system from a baseline: n-grams, lengths, word frequencies, segments.",
    request=CompareRequest,
    answer_type=CompareAnswer,
    check=_check,
    answer=_answer,
    tag="analysis",
    scope="score",
    cost=lambda engine, request: Cost(
        amount_of_lists((request.baseline, request.system)),
        work_of_lists(len(request.metrics), {"system": request.system, "baseline": request.baseline}, request.references),
    ),
)
