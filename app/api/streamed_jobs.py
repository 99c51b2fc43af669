"""Jobs from files of any length: lines are read, checked and cut into chunks one after the other, and never held all at once."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import chain, islice, zip_longest
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
from app.text.side_information import kinds_beside, read_side_information
from app.text.tables import table_header

__all__ = ["STREAMED", "plan_files"]

Json = dict[str, Any]
Row = tuple[str, ...]
# Files that may lie beside the texts, and the column that each becomes.
BESIDE: Final = {name: kind.name for name, kind in kinds_beside().items()}
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
    sent: dict[str, tuple[()]] = {BESIDE[name]: () for name in beside}
    chunks = _chunks(rows, [BESIDE[name] for name in beside], settings)
    params = body.model_dump(exclude={"segments"})
    kept = {"file": files["file"]} if "file" in files else {}
    if kept:
        params["file"] = {"name": file_name(form.names.get("file")), "format": "tsv", "skipped": 0}
    return replace(plan_stream(service.engine, form.kind, params, sent, chunks), files=kept)


def _rows(files: Mapping[str, BinaryIO], settings: Settings) -> tuple[Iterator[Row], list[str]]:
    if set(files) - set(BESIDE) == {"file"}:
        return _table_rows(files, settings)
    if set(files) - set(BESIDE) == {"source", "translation"}:
        return _line_rows(files, settings), [name for name in BESIDE if name in files]
    raise InputError("invalid-job", "send either file (a table), or source and translation (lines of text)")


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
        content |= read_side_information(dict(zip(beside, more, strict=True)), longest, begin).as_json()
        yield len(part), content
        begin += len(part)


def _lines(file: BinaryIO, name: str, settings: Settings) -> Iterator[str]:
    """Lines by ``\\n`` alone, a carriage return at their end dropped."""
    longest = BYTES_PER_CHARACTER * 2 * settings.max_segment_characters
    for number in range(1, 2**62):
        raw = file.readline(longest + 1)
        if not raw:
            return
        if len(raw) > longest:
            raise InputError("segment-too-long", f"line {number} of {name} has more than {longest} bytes", (name, number))
        try:
            text = raw.decode("utf-8-sig" if number == 1 else "utf-8")
        except UnicodeDecodeError as error:
            raise InputError(
                "invalid-encoding", f"byte {error.start + 1} of line {number} of {name} is not UTF-8", (name, number)
            ) from None
        yield text.removesuffix("\n").removesuffix("\r")


def _table_rows(files: Mapping[str, BinaryIO], settings: Settings) -> tuple[Iterator[Row], list[str]]:
    lines = _lines(files["file"], "file", settings)
    first = next(lines, None)
    if first is None:
        raise InputError("empty-input", "file is empty; give a source and a translation per line", ("file",))
    header, named = table_header(first, "file")
    columns = {name: k for k, name in enumerate(header)}
    given = {name: _lines(files[name], name, settings) for name in BESIDE if name in files}
    beside = [name for name in BESIDE if name in given or BESIDE[name] in columns]

    def rows() -> Iterator[Row]:
        body = lines if named else chain([first], lines)
        together = zip_longest(body, *given.values())
        for number, (line, *more) in enumerate(together):
            found = dict(zip(given, more, strict=True))
            if line is None or None in more:
                raise _unequal({"file": line, **found}, together, number)
            if not line and not given:
                # An empty line is no row of two cells; editors leave some at the end.
                continue
            cells = line.split("\t")
            if len(cells) != len(header):
                at = number + 1 + named
                detail = f"line {at} of file has {len(cells)} columns, expected {len(header)} ({', '.join(header)})"
                raise InputError("invalid-table", detail, ("file", at))
            extra = (found[name] if name in given else cells[columns[BESIDE[name]]] for name in beside)
            yield cells[columns["source"]], cells[columns["translation"]], *extra

    return rows(), beside


def _line_rows(files: Mapping[str, BinaryIO], settings: Settings) -> Iterator[Row]:
    names = [name for name in ("source", "translation", *BESIDE) if name in files]
    rows = zip_longest(*(_lines(files[name], name, settings) for name in names))
    for number, cells in enumerate(rows):
        if None in cells:
            raise _unequal(dict(zip(names, cells, strict=True)), rows, number)
        yield cells


def _unequal(cells: Mapping[str, str | None], rest: Iterator[tuple[str | None, ...]], number: int) -> InputError:
    """The error that says how many lines a short file and a long one have, the rest of which is counted."""
    counts = dict.fromkeys(cells, number)
    for row in chain([tuple(cells.values())], rest):
        for name, cell in zip(cells, row, strict=True):
            counts[name] += cell is not None
    short, long = min(counts, key=counts.__getitem__), max(counts, key=counts.__getitem__)
    return InputError("unequal-lengths", f"{short} has {counts[short]} lines but {long} has {counts[long]}", (short,))
