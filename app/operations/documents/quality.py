"""Predicted quality of documents by a predictor of documents: the level `document` of `quality`."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Annotated, Any, Final, NotRequired

from pydantic import Field
from typing_extensions import TypedDict

from app.engine import Engine
from app.engine.documents import DocumentAssessment
from app.engine.segments import Segments
from app.errors import InputError
from app.operations.documents.grouping import DOCUMENTS, check_documents, cut_documents, parts_of, rows_of_documents
from app.operations.operation import Context, Json, Output, Plan, Planning
from app.operations.parts.about_models import ModelSummary, cautioned, drift_of, model_summary, summary_of
from app.operations.parts.fields import DocumentName, Segment
from app.operations.parts.names import AnsweringPair
from app.operations.parts.rounding import rounded
from app.operations.parts.segments import columns_of, segments_of_chunk
from app.operations.parts.word_rows import Truncated
from app.text import LanguagePair

__all__ = [
    "DocumentSegment", "DocumentsAnswer", "answer_documents", "check_named", "finish_documents", "plan_documents", "work_documents",
]  # fmt: skip

# Segments without names are one document.
NO_NAME: Final = ""


class DocumentSegment(Segment):
    """A pair with its document, for the level document."""

    document: DocumentName | None = None


class DocumentScore(TypedDict):
    """Quality of one document, null if its segments name none; `confidence` runs from 0 (worst) to 1 (best) for any label."""

    document: str | None
    segments: int
    score: float
    std: float
    interval: list[float]
    confidence: float
    source_words: int
    source_tokens: int
    translation_tokens: int
    truncated: NotRequired[Truncated]


class DocumentsAnswer(ModelSummary):
    """Answer of POST /v1/quality with the level document, documents in the order of their first segments."""

    pair: AnsweringPair
    interval: float
    documents: Annotated[list[DocumentScore], Field(description="Scores by a predictor that was trained on documents")]


def check_named(segments: Sequence[DocumentSegment], level: str) -> None:
    """InputError unless all segments name a document or none does, or if they name one for another level."""
    names = [segment.document for segment in segments]
    if level != "document":
        row = next((row for row, name in enumerate(names) if name is not None), None)
        if row is not None:
            raise InputError("invalid-request", "documents are named for level document", ("segments", row, "document"))
    elif any(name is not None for name in names):
        check_documents(names, "segments")


def answer_documents(
    engine: Engine, segments: Segments, names: Sequence[str | None], model: str | None, label: str | None, interval: float
) -> DocumentsAnswer:
    """Quality of the documents of a request that was checked."""
    documents = rows_of_documents(names)
    answer = engine.document_quality(parts_of(segments, documents.values()), model, label, interval)
    return {
        **model_summary(answer.model),
        **cautioned(engine, answer.model, drift=drift_of(answer.drift)),
        "pair": str(segments.pair),
        "interval": interval,
        "documents": _rows(answer, list(documents)),
    }


def _rows(answer: DocumentAssessment, names: Sequence[str | None]) -> list[DocumentScore]:
    p = answer.prediction
    rows: list[DocumentScore] = []
    for i, name in enumerate(names):
        row: DocumentScore = {
            "document": name,
            "segments": int(answer.segments[i]),
            "score": rounded(p.mean[i]),
            "std": rounded(p.std[i]),
            "interval": [rounded(p.low[i]), rounded(p.high[i])],
            "confidence": rounded(answer.confidence[i]),
            "source_words": int(answer.source_words[i]),
            "source_tokens": int(answer.source_tokens[i]),
            "translation_tokens": int(answer.translation_tokens[i]),
        }
        rows.append({**row, "truncated": True} if i in answer.truncated else row)
    return rows


def plan_documents(planning: Planning, segments: Segments, names: Sequence[str | None], params: Json) -> Plan:
    """A job of whole documents; `params` are those of the request."""
    engine = planning.engine.at(params["profile"])
    model = engine.model_for(segments.pair, params["model"], params["label"], segments.evidence, documents=True)
    column = [NO_NAME if name is None else name for name in names]
    chunks = cut_documents(columns_of(segments), column, planning.chunk_rows)
    return Plan("quality", {**params, **model_summary(model), "named": names[0] is not None}, chunks)


def work_documents(context: Context, chunk: Json) -> Output:
    """Quality of a chunk's documents."""
    params, documents = context.params, rows_of_documents(chunk[DOCUMENTS])
    parts = parts_of(segments_of_chunk(params, chunk), documents.values())
    engine = context.engine.at(params.get("profile"))
    answer = engine.document_quality(parts, params["model"], interval=params["interval"])
    rows: list[Any] = _rows(answer, list(documents) if params["named"] else [None])
    return {"rows": rows}


def finish_documents(context: Context, outputs: Iterable[Output]) -> Any:
    """The predictor of a job; its rows are documents."""
    params: Mapping[str, Any] = context.params
    return {
        **summary_of(params),
        **cautioned(context.engine, context.engine.models.get(params["model"])),
        "pair": str(LanguagePair(params["source_language"], params["target_language"])),
        "interval": params["interval"],
        "documents": sum(len(output["rows"]) for output in outputs),
    }
