"""Documents that people translate in: what one holds, the job that scores it, and the scores written into it."""

import sys
from collections.abc import Iterable, Mapping, Sequence
from typing import Annotated, Any, BinaryIO, Final

from pydantic import Field
from typing_extensions import TypedDict

from app.documents import FILE_FORMATS, Document, Mark, read_file
from app.engine import Engine
from app.errors import InputError
from app.operations.operation import Json
from app.operations.parts.about_models import ModelSummary
from app.operations.parts.document_jobs import check_document, document_pair, named_pair, read_sources, texts_of
from app.operations.parts.languages import find_languages
from app.operations.parts.limits import Limits
from app.operations.quality import QualityRequest, predict_quality
from app.planning.bands import DEFAULT_BANDS
from app.text import LanguagePair
from app.text.reading.lines import TextFile
from app.text.reading.tables import open_lines
from app.text.word_count import word_count

__all__ = ["ANNOTATION", "FileAnswer", "annotate_document", "annotated", "inspect_files"]

SHOWN: Final = 3
# What a document is marked with beside the scores, as fields of a quality request.
ANNOTATION: Final[Json] = {"warnings": True, "bands": [dict(band.__dict__) for band in DEFAULT_BANDS]}


class FileAnswer(TypedDict):
    """What a file holds. `pair` is what it says or what its words look like, null where no loaded pair fits."""

    format: str
    title: str
    source_language: Annotated[str | None, Field(description="As the file says")]
    target_language: str | None
    pair: str | None
    guessed: Annotated[bool, Field(description="Whether the pair comes from the words rather than from the file")]
    model: Annotated[str | None, Field(description="The predictor that would be asked")]
    segments: int
    source_words: int
    skipped: Annotated[int, Field(description="Units without a translation, or not to be translated")]
    members: list[dict[str, Any]]
    examples: list[dict[str, str]]


def inspect_files(engine: Engine, files: Mapping[str, BinaryIO]) -> FileAnswer:
    """What a file is: its format, languages and segments, and which predictor would be asked."""
    document = _read(files)
    pair = find_languages(engine, *texts_of(document), document.languages)
    model = None
    if pair is not None:
        try:
            model = engine.model_for(pair, None, None, frozenset()).card.id
        except InputError:
            model = None
    form = FILE_FORMATS.get(document.format)
    language = pair.source if pair else document.source_language or ""
    return {
        "format": document.format,
        "title": form.title if form else "two files of lines",
        "source_language": document.source_language,
        "target_language": document.target_language,
        "pair": None if pair is None else str(pair),
        "guessed": pair is not None and None in document.languages,
        "model": model,
        "segments": len(document.units),
        "source_words": sum(word_count(language, unit.source) for unit in document.units),
        "skipped": document.skipped,
        "members": [{"format": name, "segments": count} for name, count in document.members],
        "examples": [{"source": unit.source[:300], "translation": unit.translation[:300]} for unit in document.units[:SHOWN]],
    }


def _read(files: Mapping[str, BinaryIO]) -> Document:
    if set(files) == {"source", "translation"}:
        rows = open_lines({role: TextFile(role, files[role]) for role in ("source", "translation")}).rows
        return Document.of_lines(rows)
    if "file" not in files or set(files) - {"file", "source"}:
        raise InputError("invalid-request", "send file, or file and source, or source and translation")
    return read_file(files["file"].read(), "file", None, read_sources(files))


def annotated(params: Json, raw: bytes | None, sources: bytes | None, rows: Iterable[Mapping[str, Any]]) -> tuple[bytes, str, str]:
    """The file of a quality job with the job's scores in it: content, name and media type.

    InputError where the job has no file, or tags of words instead of scores.
    """
    about = params.get("file")
    if "label" not in params or params.get("level") == "word" or about is None or raw is None:
        detail = "only a quality job of segments that came in a file can be written into it; ask for tsv, json or jsonl"
        raise InputError("invalid-request", detail, ("format",))
    lines = None if sources is None else list(TextFile("source", sources).lines())
    # A job took it already.
    document = read_file(raw, "file", named_pair(params), lines, sys.maxsize)
    return document.marked(_marks(rows, params)), about["name"], FILE_FORMATS[about["format"]].media_type


def _marks(rows: Iterable[Mapping[str, Any]], model: Mapping[str, Any]) -> list[Mark]:
    return [
        Mark(
            row["confidence"],
            row["score"],
            row["interval"][0],
            row["interval"][1],
            model["label"],
            model["unit"],
            model["direction"],
            model["model"],
            row.get("band", ""),
            tuple(warning["code"] for warning in row.get("warnings", ())),
        )
        for row in rows
    ]


class DocumentSummary(ModelSummary):
    """What was written into a document."""

    pair: str
    segments: int
    skipped: int


def annotate_document(
    engine: Engine,
    raw: bytes,
    name: str,
    limits: Limits,
    pair: LanguagePair | None = None,
    sources: Sequence[str] | None = None,
    model: str | None = None,
    label: Any = None,
) -> tuple[bytes, DocumentSummary]:
    """A document with the quality of every segment written into it, with bands and warnings, and by which predictor."""
    document = read_file(raw, name, pair, sources, limits.segments)
    languages = document_pair(engine, document, pair)
    check_document(document, limits, name)
    request = QualityRequest(
        source_language=languages.source,
        target_language=languages.target,
        model=model,
        label=label,
        **ANNOTATION,
        segments=[{"source": unit.source, "translation": unit.translation} for unit in document.units],  # type: ignore[misc]
    )
    answer: Any = predict_quality(engine, request)
    summary: DocumentSummary = {
        **{name: answer[name] for name in ("model", "label", "unit", "direction")},  # type: ignore[typeddict-item]
        "pair": str(languages),
        "segments": len(document.units),
        "skipped": document.skipped,
    }
    return document.marked(_marks(answer["segments"], answer)), summary
