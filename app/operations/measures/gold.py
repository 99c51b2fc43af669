"""Judgements of people that a request measures against: labels, tags of words and gaps, error spans."""

from collections.abc import Sequence
from typing import Annotated, Final, Self

from pydantic import Field, FiniteFloat, model_validator

from app.arrays import Int8s
from app.errors import InputError
from app.metrics.meta_evaluation.spans import ErrorSpan, Severity
from app.operations.operation import Body, Json
from app.operations.parts.fields import Segment, TaskName
from app.text.tokenisation import tokens_of

__all__ = ["MOST_SPANS", "EvaluatedSegment", "SpanField", "check_gold", "gold_columns", "is_tagged", "parsed_tags", "spans_of"]

# Work of a match grows with the cube of the spans of a segment.
MOST_SPANS: Final = 200
GOLD: Final = ("tags", "source_tags", "spans")
# Fields that all segments have, or none.
OPTIONAL_FIELDS: Final = ("task", "reference", "document")
TAGS: Final = ("OK", "BAD")
Tags = Annotated[str, Field(max_length=100_000)]


class SpanField(Body):
    """An error in a translation: its first character, the one after its last, from 0, and its severity."""

    start: Annotated[int, Field(ge=0, le=10**9)]
    end: Annotated[int, Field(ge=1, le=10**9)]
    severity: Severity = "major"

    @model_validator(mode="after")
    def _with_characters(self) -> Self:
        if self.end <= self.start:
            raise ValueError("the end of a span is after its start")
        return self


class EvaluatedSegment(Segment):
    """A pair with its label, or with tags of its words or error spans; its system as `task`, and a reference."""

    label: FiniteFloat | None = None
    task: TaskName | None = None
    reference: Annotated[str | None, Field(description="Reference of the source, for BLEU and chrF of selections")] = None
    document: Annotated[str, Field(max_length=200, description="Document of the segment, to measure documents too")] | None = None
    tags: (
        Annotated[Tags, Field(description="OK or BAD for each word between blanks, or for gaps and words in turn, as WMT's")] | None
    ) = None
    source_tags: Annotated[Tags, Field(description="OK or BAD for each word of the source between blanks")] | None = None
    spans: Annotated[list[SpanField], Field(max_length=MOST_SPANS, description="Errors in the translation")] | None = None


def is_tagged(segments: Sequence[EvaluatedSegment]) -> bool:
    """Return True if the segments have tags or spans in place of labels."""
    return any(getattr(segments[0], name) is not None for name in GOLD)


def check_gold(segments: Sequence[EvaluatedSegment]) -> None:
    """InputError for a segment without a label, without the tags or spans of the first one, or alone with or without a field."""
    for field in OPTIONAL_FIELDS:
        is_present = [getattr(segment, field) is not None for segment in segments]
        if any(is_present) and not all(is_present):
            detail = f"{field} is given for some segments but not for this one"
            raise InputError("missing-evidence", detail, ("segments", is_present.index(False), field))
    names = [name for name in GOLD if getattr(segments[0], name) is not None] or ["label"]
    for row, segment in enumerate(segments):
        lacking = next((name for name in names if getattr(segment, name) is None), None)
        if lacking is not None:
            detail = "send a label with each segment, or tags, source_tags or spans with each"
            raise InputError("invalid-request", detail, ("segments", row, lacking))
        if segment.tags is not None:
            parsed_tags(segment.tags, segment.translation, ("segments", row, "tags"))
        if segment.source_tags is not None:
            parsed_tags(segment.source_tags, segment.source, ("segments", row, "source_tags"), with_gaps=False)
        if max((span.end for span in segment.spans or ()), default=0) > len(segment.translation):
            detail = f"a span ends behind the translation, which has {len(segment.translation)} characters"
            raise InputError("invalid-request", detail, ("segments", row, "spans"))


def gold_columns(segments: Sequence[EvaluatedSegment]) -> Json:
    """Tags and spans as the columns of a job."""
    columns: Json = {name: [getattr(segment, name) for segment in segments] for name in ("tags", "source_tags")}
    columns["spans"] = [None if row.spans is None else [span.model_dump() for span in row.spans] for row in segments]
    return {name: column for name, column in columns.items() if column[0] is not None}


def spans_of(rows: Sequence[Json]) -> list[ErrorSpan]:
    """Error spans of a segment of a job's chunk."""
    return [ErrorSpan(**row) for row in rows]


def parsed_tags(text: str, sentence: str, place: tuple[str | int, ...], with_gaps: bool = True) -> tuple[Int8s, Int8s | None]:
    """Tags (1: BAD) of the n words of a sentence between blanks, (n,), and of its gaps, (n + 1,), if the text has both.

    InputError for other tags, and for another number than n, or 2n + 1 with gaps.
    """
    # Imported here, because commands for a server do not need NumPy.
    import numpy as np

    cells, count = text.split(), len(tokens_of(sentence))
    unknown = next((cell for cell in cells if cell not in TAGS), None)
    if unknown is not None:
        raise InputError("invalid-request", f"{unknown[:20]!r} is no tag; tags are OK and BAD", place)
    values = np.array([cell == "BAD" for cell in cells], np.int8)
    if len(values) == count:
        return values, None
    if with_gaps and len(values) == 2 * count + 1:
        return values[1::2], values[::2]
    counts = f"{count} or {2 * count + 1}" if with_gaps else f"{count}"
    raise InputError("invalid-request", f"{len(values)} tags for {count} words between blanks; write {counts}", place)
