"""Documents that people translate in as jobs: which languages they are of, and the chunks of their segments."""

from collections.abc import Mapping
from typing import Any, BinaryIO

from app.documents import Document, read_file
from app.engine import Engine
from app.errors import InputError
from app.operations.operation import Json, Operation, Plan, Planning, cut
from app.operations.parts.languages import check_named, guess_languages, named_pair, who_says
from app.operations.parts.limits import RequestLimits, check_count
from app.resources.identification import order_of
from app.text import LanguagePair
from app.text.reading.checking import check_segments
from app.text.reading.columns import Order, TableReading
from app.text.reading.lines import TextFile

__all__ = ["about_file", "check_document", "document_pair", "header_of", "order_taken", "plan_document", "read_sources", "texts_of"]


def read_sources(files: Mapping[str, BinaryIO]) -> list[str] | None:
    """The lines of the file `source`, which goes with an n-best list; None where there is none."""
    return list(TextFile("source", files["source"]).lines()) if "source" in files else None


def texts_of(document: Document) -> tuple[list[str], list[str]]:
    """Sources and translations of a document."""
    return [unit.source for unit in document.units], [unit.translation for unit in document.units]


def plan_document(
    operation: Operation[Any, Any],
    planning: Planning,
    params: Json,
    files: Mapping[str, BinaryIO],
    name: str,
    header: bool | None = None,
) -> Plan:
    """Plan a job of a document: languages may come from the file, and the file is kept to be annotated."""
    assert operation.steps is not None and operation.steps.stream is not None
    if set(files) - {"file", "source"}:
        raise InputError("invalid-job", "log_probs and tokens go with a table or with lines of text, not with a document")
    named_languages = named_pair(params)
    raw, sources = files["file"].read(), read_sources(files)
    document = read_file(raw, "file", named_languages, sources, planning.limits.segments, header, order_of(named_languages))
    pair = document_pair(planning.engine, document, named_languages)
    check_document(document, planning.limits)
    request = operation.request.model_validate(
        {**params, "source_language": pair.source, "target_language": pair.target, "segments": []}
    )
    parameters = operation.steps.stream(planning.engine, request, frozenset())
    parameters["file"] = about_file(name, document.format, document.skipped, document.reading)
    parameters["languages"] = who_says(named_languages, document.languages)
    sources, translations = texts_of(document)
    chunks = cut({"sources": sources, "translations": translations}, planning.chunk_rows)
    return Plan(operation.name, parameters, chunks, {role: files[role] for role in ("file", "source") if role in files})


def about_file(name: str, form: str, skipped_rows: int, reading: TableReading | None) -> Json:
    """Parameter `file` of a job: description of its file."""
    return {"name": name, "format": form, "skipped": skipped_rows, **({} if reading is None else {"reading": reading.answer()})}


def header_of(about: Mapping[str, Any]) -> bool | None:
    """Return True if the table of `about_file` has a header; None for other files, and for tables of earlier versions."""
    return about["reading"]["heading"] is not None if "reading" in about else None


def order_taken(about: Mapping[str, Any]) -> Order | None:
    """Order of columns that `about_file` recorded, to read a table again alike even if language identification has changed."""
    if "reading" not in about:
        return None
    in_order = about["reading"]["source"]["column"] < about["reading"]["translation"]["column"]
    return lambda first, second: in_order


def document_pair(engine: Engine, document: Document, pair: LanguagePair | None) -> LanguagePair:
    """The loaded pair for what the caller says, else the file, else its words; InputError where the first two differ."""
    if pair is None:
        return guess_languages(engine, *texts_of(document), document.languages)
    check_named(document.languages, pair)
    return pair.nearest(engine.resources.pairs) or pair


def check_document(document: Document, limits: RequestLimits, name: str = "file") -> None:
    """InputError where a document holds too much, or nothing to work on."""
    check_count(len(document.units), limits.segments, (name,))
    if not document.units:
        raise InputError("empty-input", f"the file has no segment with a translation ({document.skipped} without)", (name,))
    for unit in document.units:
        for field in ("source", "translation"):
            check_segments([getattr(unit, field)], limits.characters, (name, unit.line), field)
