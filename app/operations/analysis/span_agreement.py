"""Agreement of error spans with people's, as it is asked and answered."""

from dataclasses import asdict
from typing import Annotated, Any, Final

from pydantic import Field

from app.errors import InputError
from app.metrics.meta_evaluation.spans import NO_SPANS, ErrorSpan, count_spans
from app.operations.measures.gold import MOST_SPANS, SpanField
from app.operations.measures.spans import SpanScores
from app.operations.operation import Body
from app.operations.parts.names import SystemName
from app.running.deadline import check_deadline

__all__ = ["SpanAgreement", "SpanLists", "check_spans", "span_agreements", "work_of_spans"]

# Work of a segment, and of a pair of spans for each span of the shorter list, by which a matching grows.
WORK_OF_SEGMENT: Final = 150_000
WORK_OF_MATCH: Final = 20
Spans = Annotated[
    list[Annotated[list[SpanField], Field(max_length=MOST_SPANS)]],
    Field(min_length=1, max_length=100_000, description="Spans of each segment"),
]


class SpanLists(Body):
    """Error spans of the same translations, by people and by metrics or other annotators."""

    human: Spans
    metrics: Annotated[dict[SystemName, Spans], Field(min_length=1, max_length=64)]


class SpanAgreement(SpanScores):
    """Agreement of a metric's spans with people's."""

    metric: str
    segments: int


def check_spans(lists: SpanLists) -> None:
    """InputError for lists of other lengths than people's."""
    for number, spans in enumerate(lists.metrics.values()):
        if len(spans) != len(lists.human):
            detail = f"there are {len(lists.human)} segments of people and {len(spans)} of this metric"
            raise InputError("unequal-lengths", detail, ("spans", "metrics", number))


def span_agreements(lists: SpanLists) -> list[SpanAgreement]:
    """Agreement of every metric."""
    rows: list[SpanAgreement] = []
    gold = [_spans(row) for row in lists.human]
    for name, spans in lists.metrics.items():
        check_deadline()
        counts = sum((count_spans(people, _spans(row)) for people, row in zip(gold, spans, strict=True)), NO_SPANS)
        row: Any = {"metric": name, "segments": len(gold), **asdict(counts.accuracy())}
        rows.append(row)
    return rows


def _spans(fields: list[SpanField]) -> list[ErrorSpan]:
    return [ErrorSpan(field.start, field.end, field.severity) for field in fields]


def work_of_spans(lists: SpanLists) -> int:
    """Work of the agreement of all metrics."""
    work = WORK_OF_SEGMENT * len(lists.human) * len(lists.metrics)
    for spans in lists.metrics.values():
        sizes = ((len(people), len(row)) for people, row in zip(lists.human, spans, strict=False))
        work += sum(WORK_OF_MATCH * a * b * min(a, b) for a, b in sizes)
    return work
