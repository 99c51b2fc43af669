"""Jobs from files of any length: lines are read, checked and cut into chunks one after the other, and never held all at once."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import islice
from typing import Any, BinaryIO, Final

from fastapi.exceptions import RequestValidationError
from pydantic import BaseModel, ValidationError

from app.api.checking import check_count
from app.api.quality_schemas import FeaturesRequest, QualityRequest
from app.api.uploads import JobForm, file_name
from app.errors import InputError
from app.jobs import JobPlan, plan_stream
from app.resources.guessing import guess_pair
from app.service import Service
from app.settings import Settings
from app.text.checking import check_segments
from app.text.lines import TextFile
from app.text.log_probs import read_log_probs
from app.text.tables import open_lines, open_table

__all__ = ["STREAMED", "plan_files"]

Json = dict[str, Any]
Row = tuple[str, ...]
# Files that may lie beside the texts, and the column that each becomes.
BESIDE: Final = {"log_probs": "token_log_probs", "tokens": "tokens"}
# Kinds whose rows do not need each other; the others are small enough to be read whole.
STREAMED: Final[Mapping[str, type[BaseModel]]] = {"features": FeaturesRequest, "quality": QualityRequest}
# A character has at most four bytes, a number of a log-probability a dozen.
BYTES_PER_CHARACTER: Final = 12
GUESSED_FROM: Final = 50


def plan_files(form: JobForm, service: Service) -> JobPlan:
    """Plan a job whose segments lie in files: ``file`` (a table), or ``source`` and ``translation``; those of `BESIDE` with it.

    The files are read while the job is stored, and an InputError then undoes it.
    """
    files, settings = form.files, service.settings
    rows, beside = _rows(files, settings)
    params = {**form.params, "segments": []}
    if not {"source_language", "target_language"} & set(form.params):
        params |= _guessed(rows, service)
        for file in files.values():
            file.seek(0)
        rows, beside = _rows(files, settings)
    try:
        body = STREAMED[form.kind].model_validate(params)
    except ValidationError as error:
        raise RequestValidationError(error.errors(include_url=False, include_input=False)) from None
    sent: dict[str, tuple[()]] = dict.fromkeys(beside, ())
    chunks = _chunks(rows, beside, settings)
    params = body.model_dump(exclude={"segments"})
    kept = {"file": files["file"]} if "file" in files else {}
    if kept:
        params["file"] = {"name": file_name(form.names.get("file")), "format": "tsv", "skipped": 0}
    return replace(plan_stream(service.engine, form.kind, params, sent, chunks), files=kept)


def _rows(files: Mapping[str, BinaryIO], settings: Settings) -> tuple[Iterator[Row], list[str]]:
    longest = 2 * BYTES_PER_CHARACTER * settings.max_segment_characters
    roles = [role for role in ("file", "source", "translation", *BESIDE) if role in files]
    texts = {BESIDE.get(role, role): TextFile(role, files[role], longest) for role in roles}
    if set(files) - set(BESIDE) == {"file"}:
        stream = open_table(texts.pop("file"), texts)
    elif set(files) - set(BESIDE) == {"source", "translation"}:
        stream = open_lines(texts)
    else:
        raise InputError("invalid-job", "send either file (a table), or source and translation (lines of text)")
    beside = [name for name in BESIDE.values() if name in stream.names]
    return stream.select(["source", "translation", *beside]), beside


def _guessed(rows: Iterator[Row], service: Service) -> Json:
    """The languages that the first rows look like; InputError where no loaded pair does."""
    first = list(islice(rows, GUESSED_FROM))
    longest = service.settings.max_segment_characters
    for k, field in enumerate(("source", "translation")):
        check_segments([row[k] for row in first], longest, ("segments",), field)
    found = guess_pair(service.engine.resources, [row[0] for row in first], [row[1] for row in first])
    if found is None:
        loaded = ", ".join(map(str, service.engine.resources.pairs)) or "none"
        raise InputError("unknown-language-pair", f"name the languages; loaded pairs are {loaded}", ("source_language",))
    return {"source_language": found.source, "target_language": found.target}


def _chunks(rows: Iterator[Row], beside: Sequence[str], settings: Settings) -> Iterator[tuple[int, Json]]:
    begin, longest = 0, settings.max_segment_characters
    while part := list(islice(rows, settings.chunk_segments)):
        check_count(begin + len(part), settings.max_job_segments, ("segments",))
        sources, translations, *more = (list(column) for column in zip(*part, strict=True))
        check_segments(sources, longest, ("segments",), "source", begin)
        check_segments(translations, longest, ("segments",), "translation", begin)
        content: Json = {"sources": sources, "translations": translations}
        for name, cells in zip(beside, more, strict=True):
            if name == "tokens":
                content[name] = [cell.split() for cell in cells]
                continue
            content[name] = read_log_probs(cells, ("segments",), longest, begin)
        yield len(part), content
        begin += len(part)
