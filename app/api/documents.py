"""Documents that people translate in: what one holds (POST /v1/files), and the job that scores it."""

import io
from collections.abc import Mapping
from typing import Any, BinaryIO, Final

from fastapi import APIRouter, Request
from fastapi.exceptions import RequestValidationError
from fastapi.responses import JSONResponse, Response
from pydantic import BaseModel, Field, ValidationError
from starlette.concurrency import run_in_threadpool

from app.api.access import ServiceHere
from app.api.checking import check_count
from app.api.problems import PROBLEM_RESPONSES
from app.api.streamed_jobs import STREAMED
from app.api.uploads import JobForm, file_name, open_files
from app.documents import FILE_FORMATS, SegmentFile, Unit, is_table_line, read_file
from app.errors import InputError
from app.jobs.kinds import JobPlan, plan_job
from app.resources.guessing import guess_pair
from app.service import Service
from app.settings import Settings
from app.text import LanguagePair
from app.text.checking import check_segments
from app.text.tables import decode_text, split_lines, table_header
from app.text.word_count import word_count

__all__ = ["documents_router", "is_document", "plan_document"]

Json = dict[str, Any]
LOOKED_AT: Final = 100_000
SHOWN: Final = 3


class FileAnswer(BaseModel):
    """What a file holds. `pair` is what it says or what its words look like, null where no loaded pair fits."""

    format: str
    title: str
    source_language: str | None = Field(description="As the file says")
    target_language: str | None
    pair: str | None
    guessed: bool = Field(description="Whether the pair comes from the words rather than from the file")
    model: str | None = Field(description="The predictor that would be asked")
    segments: int
    source_words: int
    skipped: int = Field(description="Units without a translation, or not to be translated")
    members: list[dict[str, Any]]
    examples: list[dict[str, str]]


def is_document(files: Mapping[str, BinaryIO]) -> bool:
    """Whether ``file`` is something else than a plain table in UTF-8, which is streamed."""
    if "file" not in files:
        return False
    head = files["file"].read(LOOKED_AT)
    files["file"].seek(0)
    try:
        text = head.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        # The last character may be cut.
        if error.start < len(head) - 4 or error.start == 0:
            return head[:2] == b"PK" or head[:2] in (b"\xff\xfe", b"\xfe\xff") or b"<?xml" in head[:100]
        text = head[: error.start].decode("utf-8-sig")
    first = text.partition("\n")[0].removesuffix("\r")
    # A line without end is for the reader of tables to refuse.
    if len(head) == LOOKED_AT and "\n" not in text and not text.lstrip().startswith(("<", "{")):
        return False
    if not is_table_line(first):
        return bool(text.strip())
    header, named = table_header(first, "file")
    return not named and len(first.split("\t")) != len(header)


def plan_document(form: JobForm, service: Service) -> JobPlan:
    """Plan a job of a document: languages may come from the file, and the file is kept to be annotated."""
    settings = service.settings
    raw, sources = form.files["file"].read(), _sources(form.files)
    if set(form.files) - {"file", "source"}:
        raise InputError("invalid-job", "log_probs and tokens go with a table or with lines of text, not with a document")
    read = read_file(raw, "file", _asked(form.params), sources)
    pair = _pair(form.params, read, service)
    _check(read, settings)
    params = {**form.params, "source_language": pair.source, "target_language": pair.target, "segments": []}
    try:
        body = STREAMED[form.kind].model_validate(params)
    except ValidationError as error:
        raise RequestValidationError(error.errors(include_url=False, include_input=False)) from None
    columns = {"sources": [u.source for u in read.units], "translations": [u.translation for u in read.units]}
    fixed = body.model_dump(exclude={"segments"})
    fixed["file"] = {"name": file_name(form.names.get("file")), "format": read.format, "skipped": read.skipped}
    plan = plan_job(service.engine, form.kind, fixed, columns, settings.chunk_segments)
    files: dict[str, BinaryIO] = {role: form.files[role] for role in ("file", "source") if role in form.files}
    return JobPlan(plan.kind, plan.params, plan.chunks, files)


def _sources(files: Mapping[str, BinaryIO]) -> list[str] | None:
    return split_lines(decode_text(files["source"].read(), "source")) if "source" in files else None


def _asked(params: Mapping[str, Any]) -> LanguagePair | None:
    source, target = params.get("source_language"), params.get("target_language")
    return LanguagePair(source, target) if isinstance(source, str) and isinstance(target, str) else None


def _pair(params: Mapping[str, Any], read: SegmentFile, service: Service) -> LanguagePair:
    """What the caller says, else what the file says, else what its words look like; InputError where the first two differ."""
    said, asked = (read.source_language, read.target_language), _asked(params)
    if asked is not None:
        if any(known not in (None, wanted) for known, wanted in zip(said, (asked.source, asked.target), strict=True)):
            detail = f"the file says {said[0] or '?'}-{said[1] or '?'}, the request {asked}"
            raise InputError("invalid-document", detail, ("source_language",))
        return asked
    found = _guess(read.units, said, service)
    if found is None:
        loaded = ", ".join(map(str, service.engine.resources.pairs)) or "none"
        named = f"the file says {said[0] or '?'}-{said[1] or '?'}; " if any(said) else "name the languages; "
        raise InputError("unknown-language-pair", f"{named}loaded pairs are {loaded}", ("source_language",))
    return found


def _guess(units: tuple[Unit, ...], said: tuple[str | None, str | None], service: Service) -> LanguagePair | None:
    step = max(1, len(units) // 50)
    picked = units[::step][:50]
    return guess_pair(service.engine.resources, [u.source for u in picked], [u.translation for u in picked], said)


def _check(read: SegmentFile, settings: Settings) -> None:
    check_count(len(read.units), settings.max_job_segments, ("file",))
    if not read.units:
        raise InputError("empty-input", f"the file has no segment with a translation ({read.skipped} without)", ("file",))
    for unit in read.units:
        for field in ("source", "translation"):
            check_segments([getattr(unit, field)], settings.max_segment_characters, ("file", unit.line), field)


def documents_router(max_upload_bytes: int) -> APIRouter:
    """Routes of documents; uploads may be larger than other bodies."""
    router = APIRouter(prefix="/v1/files", tags=["files"], responses=PROBLEM_RESPONSES)

    body = {"required": True, "content": {"multipart/form-data": {"schema": FORM}}}

    @router.post("", response_model=FileAnswer, openapi_extra={"requestBody": body}, max_body_size=max_upload_bytes)
    async def inspect(request: Request, service: ServiceHere) -> Response:
        """What a file is: its format, languages and segments, and which predictor would be asked. Nothing is kept."""
        async with open_files(request) as files:
            return JSONResponse(await run_in_threadpool(_inspect, files, service))

    return router


FORM: Final[Json] = {
    "type": "object",
    "properties": {
        "file": {"type": "string", "format": "binary", "description": ", ".join(form.title for form in FILE_FORMATS.values())},
        "source": {"type": "string", "format": "binary", "description": "One source segment a line; with an n-best list or alone"},
        "translation": {"type": "string", "format": "binary", "description": "One translation a line, with source"},
    },
}


def _inspect(files: Mapping[str, BinaryIO], service: Service) -> Json:
    read = _read(files)
    said = (read.source_language, read.target_language)
    pair = _guess(read.units, said, service)
    model = None
    if pair is not None:
        try:
            model = service.engine.model_for(pair, None, None, frozenset()).card.id
        except InputError:
            model = None
    form = FILE_FORMATS.get(read.format)
    language = pair.source if pair else said[0] or ""
    return {
        "format": read.format,
        "title": form.title if form else "two files of lines",
        "source_language": said[0],
        "target_language": said[1],
        "pair": None if pair is None else str(pair),
        "guessed": pair is not None and None in said,
        "model": model,
        "segments": len(read.units),
        "source_words": sum(word_count(language, unit.source) for unit in read.units),
        "skipped": read.skipped,
        "members": [{"format": name, "segments": count} for name, count in read.members],
        "examples": [{"source": unit.source[:300], "translation": unit.translation[:300]} for unit in read.units[:SHOWN]],
    }


def _read(files: Mapping[str, BinaryIO]) -> SegmentFile:
    if set(files) == {"source", "translation"}:
        sources, translations = (split_lines(decode_text(files[name].read(), name)) for name in ("source", "translation"))
        if len(sources) != len(translations):
            detail = f"translation has {len(translations)} lines but source has {len(sources)}"
            raise InputError("unequal-lengths", detail, ("translation",))
        units = [Unit(s, t, k) for k, (s, t) in enumerate(zip(sources, translations, strict=True), 1)]
        return SegmentFile("lines", tuple(units))
    if "file" not in files or set(files) - {"file", "source"}:
        raise InputError("invalid-request", "send file, or file and source, or source and translation")
    return read_file(io.BytesIO(files["file"].read()).getvalue(), "file", None, _sources(files))
