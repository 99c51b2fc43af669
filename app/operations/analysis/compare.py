"""Differences of a system from a baseline: verdicts, n-grams, lengths, word frequencies, segments."""

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Annotated, Any, Final, NotRequired

import numpy as np
from pydantic import Field
from typing_extensions import TypedDict

from app.arrays import Float64s
from app.errors import InputError
from app.metrics import Metric, Significance, check_aligned, scores_of_statistics, segment_statistics
from app.metrics.analysis.buckets import frequency_buckets, length_buckets
from app.metrics.analysis.ngram_differences import NgramDifference, ngram_differences
from app.metrics.tokenisers import METRIC_TOKENISERS
from app.operations.operation import Body, Json, Operation, with_example
from app.operations.parts.costs.alignment_work import work_of_meteor_lists
from app.operations.parts.costs.cost import Cost, amount_of_lists
from app.operations.parts.costs.work import work_of_lists, work_of_tests
from app.operations.parts.limits import RequestLimits, check_count, check_lists
from app.operations.parts.names import SystemName
from app.operations.parts.scoring.score_rows import row_of
from app.operations.parts.scoring.segment_gains import SegmentGain
from app.operations.parts.scoring.verdicts import Verdict, verdicts_on_scores
from app.operations.score import MetricName
from app.text.reading.checking import check_segments

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
    baseline_name: Annotated[SystemName, Field(description="Name of the baseline in the answer")] = "baseline"
    system_name: Annotated[SystemName, Field(description="Name of the system in the answer")] = "system"
    references: Annotated[dict[SystemName, list[str]], Field(min_length=1)]
    sources: Annotated[list[str] | None, Field(description="Source of each segment, shown in `texts`")] = None
    metrics: list[MetricName] = Field(default_factory=lambda: ["bleu", "chrf"], min_length=1, max_length=10)
    tokenise: Annotated[str, Field(max_length=20)] = "13a"
    most: Annotated[int, Field(ge=1, le=500, description="Number of n-grams and segments of each kind")] = 20


class NgramsAnswer(TypedDict):
    """N-grams that the system gets right more often, and those that it gets right less often."""

    better: list[Json]
    worse: list[Json]


class SegmentsComparison(TypedDict):
    """Share of segments in which the system is better by a metric, and its largest gains and losses."""

    metric: str
    wins: int
    losses: int
    ties: int
    most_improved: list[SegmentGain]
    most_worsened: list[SegmentGain]


class ComparedTexts(TypedDict):
    """Texts of a segment, counted from 1, with its first reference."""

    segment: int
    source: NotRequired[str]
    reference: str
    baseline: str
    system: str


class CompareAnswer(TypedDict):
    """Verdicts, n-grams, scores by reference length, words by frequency, and segments with their texts."""

    verdicts: Annotated[list[Verdict], Field(description="One per metric, by the paired bootstrap")]

    ngrams: NgramsAnswer
    lengths: list[Json]
    frequencies: list[Json]
    segments: list[SegmentsComparison]
    texts: Annotated[list[ComparedTexts], Field(description="Texts of all segments that `segments` names")]


# Digits of scores that people read.
DIGITS: Final = 4
# The baseline is the first of two systems.
SIGNIFICANCE: Final = Significance()


def _check(request: CompareRequest, limits: RequestLimits) -> None:
    size = check_lists("system", {"system": request.system, "baseline": request.baseline}, limits)
    size += check_lists("references", request.references, limits)
    if request.sources is not None:
        check_segments(request.sources, limits.characters, ("sources",))
        size += len(request.sources)
    check_count(size, limits.scored, ("system",))
    if request.baseline_name == request.system_name:
        raise InputError("invalid-request", "baseline and system have different names", ("system_name",))
    if request.tokenise not in METRIC_TOKENISERS:
        raise InputError("invalid-request", f"tokenisers are {', '.join(METRIC_TOKENISERS)}", ("tokenise",))


def _answer(engine: "Engine", request: CompareRequest) -> CompareAnswer:
    metrics, tokenise, limit = engine.metrics(request.metrics), request.tokenise, request.most
    systems, references = {request.baseline_name: request.baseline, request.system_name: request.system}, request.references
    if check_aligned(systems, references) != len(request.sources or request.system):
        raise InputError("unequal-lengths", "there must be a source for each segment", ("sources",))
    first = next(iter(references.values()))
    better, worse = ngram_differences(request.baseline, request.system, list(references.values()), tokenise, limit=limit)
    statistics = segment_statistics(metrics, systems, references)
    scores = scores_of_statistics(metrics, statistics, len(references), significance=SIGNIFICANCE)
    verdicts = verdicts_on_scores([row_of(score) for score in scores], len(first), SIGNIFICANCE.alpha)
    lengths: list[Json] = []
    segments: list[SegmentsComparison] = []
    for (name, metric), of_metric in zip(metrics.items(), statistics, strict=True):
        lengths += [{"metric": name, **_bucket(row.__dict__)} for row in length_buckets(metric, of_metric, first, tokenise)]
        segments.append(_segments(name, metric, of_metric[request.baseline_name], of_metric[request.system_name], limit))
    return {
        "verdicts": verdicts,
        "ngrams": {"better": [_ngram(row) for row in better], "worse": [_ngram(row) for row in worse]},
        "lengths": lengths,
        "frequencies": [_rounded(row.__dict__) for row in frequency_buckets(systems, first, tokenise)],
        "segments": segments,
        "texts": _texts(request, first, segments),
    }


def _segments(name: str, metric: Metric, baseline: Float64s, system: Float64s, limit: int) -> SegmentsComparison:
    """Gains and losses of segments, from the statistics (n, s) of both systems."""
    sign = 1 if metric.higher_is_better else -1
    baseline_scores, system_scores = metric.segment_scores(baseline), metric.segment_scores(system)
    gain = sign * (system_scores - baseline_scores)
    order = np.argsort(-gain, kind="stable")

    def row(i: int) -> SegmentGain:
        return {
            "segment": i + 1,
            "gain": round(float(gain[i]), DIGITS),
            "baseline_score": round(float(baseline_scores[i]), DIGITS),
            "system_score": round(float(system_scores[i]), DIGITS),
        }

    return {
        "metric": name,
        "wins": int((gain > 0).sum()),
        "losses": int((gain < 0).sum()),
        "ties": int((gain == 0).sum()),
        "most_improved": [row(int(i)) for i in order[:limit] if gain[i] > 0],
        "most_worsened": [row(int(i)) for i in order[::-1][:limit] if gain[i] < 0],
    }


def _texts(request: CompareRequest, reference: Sequence[str], comparisons: Sequence[SegmentsComparison]) -> list[ComparedTexts]:
    """Texts of the segments in `comparisons`, each once and in order."""
    numbers = {row["segment"] for gains in comparisons for row in (*gains["most_improved"], *gains["most_worsened"])}
    rows: list[ComparedTexts] = []
    for number in sorted(numbers):
        i = number - 1
        row: ComparedTexts = {
            "segment": number, "reference": reference[i], "baseline": request.baseline[i], "system": request.system[i]
        }  # fmt: skip
        rows.append(row if request.sources is None else {**row, "source": request.sources[i]})
    return rows


def _ngram(row: NgramDifference) -> Json:
    return {**row.__dict__, "ngram": " ".join(row.ngram)}


def _bucket(row: Mapping[str, Any]) -> Json:
    interval = row["interval"]
    return _rounded({**row, "interval": [round(interval.low, DIGITS), round(interval.high, DIGITS)]})


def _rounded(row: Mapping[str, Any]) -> Json:
    return {name: round(value, DIGITS) if isinstance(value, float) else value for name, value in row.items()}


def _work_of(request: CompareRequest) -> int:
    systems = {"system": request.system, "baseline": request.baseline}
    work = work_of_lists(len(request.metrics), systems, request.references)
    work += work_of_meteor_lists(request.metrics, systems, request.references)
    return work + work_of_tests(len(request.metrics), 2, len(request.system), SIGNIFICANCE)


operation = Operation(
    name="compare",
    id="compareSystems",
    summary="Differences of a system from a baseline: verdicts, n-grams, lengths, word frequencies, segments.",
    request=CompareRequest,
    answer_type=CompareAnswer,
    check=_check,
    answer=_answer,
    tag="analysis",
    scope="score",
    cost=lambda engine, request: Cost(amount_of_lists((request.baseline, request.system)), _work_of(request)),
)
