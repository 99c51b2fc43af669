"""Documents that people translate in as jobs: which languages they are of, and the chunks of their segments."""

from collections.abc import Mapping
from typing import Any, BinaryIO

from app.documents import Document, read_file
from app.engine import Engine
from app.errors import InputError
from app.operations.operation import Json, Operation, Plan, Planning, cut
from app.operations.parts.languages import guess_languages
from app.operations.parts.limits import Limits, check_count
from app.text import LanguagePair
from app.text.reading.checking import check_segments
from app.text.reading.lines import TextFile

__all__ = ["check_document", "document_pair", "named_pair", "plan_document", "read_sources", "texts_of"]


def read_sources(files: Mapping[str, BinaryIO]) -> list[str] | None:
    """The lines of the file `source`, which goes with an n-best list; None where there is none."""
    return list(TextFile("source", files["source"]).lines()) if "source" in files else None


def texts_of(document: Document) -> tuple[list[str], list[str]]:
    """Sources and translations of a document."""
    return [unit.source for unit in document.units], [unit.translation for unit in document.units]


def plan_document(
    operation: Operation[Any, Any], planning: Planning, params: Json, files: Mapping[str, BinaryIO], name: str
) -> Plan:
    """Plan a job of a document: languages may come from the file, and the file is kept to be annotated."""
    assert operation.steps is not None and operation.steps.stream is not None
    if set(files) - {"file", "source"}:
        raise InputError("invalid-job", "log_probs and tokens go with a table or with lines of text, not with a document")
    named = named_pair(params)
    document = read_file(files["file"].read(), "file", named, read_sources(files), planning.limits.segments)
    pair = document_pair(planning.engine, document, named)
    check_document(document, planning.limits)
    request = operation.request.model_validate(
        {**params, "source_language": pair.source, "target_language": pair.target, "segments": []}
    )
    fixed = operation.steps.stream(planning.engine, request, frozenset())
    fixed["file"] = {"name": name, "format": document.format, "skipped": document.skipped}
    sources, translations = texts_of(document)
    chunks = cut({"sources": sources, "translations": translations}, planning.chunk_rows)
    return Plan(operation.name, fixed, chunks, {role: files[role] for role in ("file", "source") if role in files})


def named_pair(params: Mapping[str, Any]) -> LanguagePair | None:
    """The languages that parameters name, if they name both."""
    source, target = params.get("source_language"), params.get("target_language")
    return LanguagePair(source, target) if isinstance(source, str) and isinstance(target, str) else None


def document_pair(engine: Engine, document: Document, named: LanguagePair | None) -> LanguagePair:
    """What the caller says, else what the file says, else what its words look like; InputError where the first two differ."""
    file_languages = document.languages
    if named is None:
        return guess_languages(engine, *texts_of(document), file_languages)
    if any(language not in (None, wanted) for language, wanted in zip(file_languages, (named.source, named.target), strict=True)):
        detail = f"the file says {file_languages[0] or '?'}-{file_languages[1] or '?'}, the request {named}"
        raise InputError("invalid-document", detail, ("source_language",))
    return named


def check_document(document: Document, limits: Limits, name: str = "file") -> None:
    """InputError where a document holds too much, or nothing to work on."""
    check_count(len(document.units), limits.segments, (name,))
    if not document.units:
        raise InputError("empty-input", f"the file has no segment with a translation ({document.skipped} without)", (name,))
    for unit in document.units:
        for field in ("source", "translation"):
            check_segments([getattr(unit, field)], limits.characters, (name, unit.line), field)
