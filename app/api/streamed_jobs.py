"""Jobs from files of any length: lines are read, checked and cut into chunks one after the other, and never held all at once."""

from collections.abc import Iterator, Mapping
from itertools import chain, islice, zip_longest
from typing import Any, BinaryIO, Final

from fastapi.exceptions import RequestValidationError
from pydantic import BaseModel, ValidationError

from app.api.checking import check_count
from app.api.schemas import FeaturesRequest, QualityRequest
from app.jobs import JobPlan, plan_stream
from app.service import Service
from app.settings import Settings
from app.text import InputError
from app.text.checking import check_log_probs, check_segments
from app.text.tables import table_header

__all__ = ["STREAMED", "plan_files"]

Json = dict[str, Any]
Row = tuple[str, str, list[float] | None]
# Kinds whose rows do not need each other; the others are small enough to be read whole.
STREAMED: Final[Mapping[str, type[BaseModel]]] = {"features": FeaturesRequest, "quality": QualityRequest}
# A character has at most four bytes, a number of a log-probability a dozen.
BYTES_PER_CHARACTER: Final = 12


def plan_files(kind: str, params: Json, files: Mapping[str, BinaryIO], service: Service) -> JobPlan:
    """Plan a job whose segments lie in `files`: ``file`` (a table), or ``source`` and ``translation``; ``log_probs`` beside either.

    The files are read while the job is stored, and an InputError then undoes it.
    """
    try:
        body = STREAMED[kind].model_validate({**params, "segments": []})
    except ValidationError as error:
        raise RequestValidationError(error.errors(include_url=False, include_input=False)) from None
    settings = service.settings
    if set(files) - {"log_probs"} == {"file"}:
        rows, has_log_probs = _table_rows(files, settings)
    elif set(files) - {"log_probs"} == {"source", "translation"}:
        rows, has_log_probs = _line_rows(files, settings), "log_probs" in files
    else:
        raise InputError("invalid-job", "send either file (a table), or source and translation (lines of text)")
    sent = {"token_log_probs": ()} if has_log_probs else {}
    return plan_stream(service.engine, kind, body.model_dump(exclude={"segments"}), sent, _chunks(rows, settings))


def _chunks(rows: Iterator[Row], settings: Settings) -> Iterator[tuple[int, Json]]:
    begin = 0
    while part := list(islice(rows, settings.chunk_segments)):
        check_count(begin + len(part), settings.max_job_segments, ("segments",))
        sources, translations, log_probs = [row[0] for row in part], [row[1] for row in part], [row[2] for row in part]
        check_segments(sources, settings.max_segment_characters, ("segments",), "source", begin)
        check_segments(translations, settings.max_segment_characters, ("segments",), "translation", begin)
        content: Json = {"sources": sources, "translations": translations}
        if log_probs[0] is not None:
            check_log_probs(log_probs, ("segments",), settings.max_segment_characters, begin)
            content["token_log_probs"] = log_probs
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


def _table_rows(files: Mapping[str, BinaryIO], settings: Settings) -> tuple[Iterator[Row], bool]:
    lines = _lines(files["file"], "file", settings)
    first = next(lines, None)
    if first is None:
        raise InputError("empty-input", "file is empty; give a source and a translation per line", ("file",))
    header, named = table_header(first, "file")
    columns = {name: k for k, name in enumerate(header)}
    beside = _lines(files["log_probs"], "log_probs", settings) if "log_probs" in files else None

    def rows() -> Iterator[Row]:
        body = lines if named else chain([first], lines)
        pairs = zip_longest(body, beside) if beside is not None else ((line, None) for line in body)
        for number, (line, numbers) in enumerate(pairs):
            if line is None or (beside is not None and numbers is None):
                raise _unequal({"file": line, "log_probs": numbers}, pairs, number)
            cells = line.split("\t")
            if len(cells) != len(header):
                at = number + 1 + named
                detail = f"line {at} of file has {len(cells)} columns, expected {len(header)} ({', '.join(header)})"
                raise InputError("invalid-table", detail, ("file", at))
            if beside is None and "token_log_probs" in columns:
                numbers = cells[columns["token_log_probs"]]
            yield cells[columns["source"]], cells[columns["translation"]], None if numbers is None else _numbers(numbers, number)

    return rows(), beside is not None or "token_log_probs" in columns


def _line_rows(files: Mapping[str, BinaryIO], settings: Settings) -> Iterator[Row]:
    names = [name for name in ("source", "translation", "log_probs") if name in files]
    rows = zip_longest(*(_lines(files[name], name, settings) for name in names))
    for number, cells in enumerate(rows):
        if None in cells:
            raise _unequal(dict(zip(names, cells, strict=True)), rows, number)
        yield cells[0], cells[1], _numbers(cells[2], number) if len(cells) > 2 else None


def _unequal(cells: Mapping[str, str | None], rest: Iterator[tuple[str | None, ...]], number: int) -> InputError:
    """The error that says how many lines a short file and a long one have, the rest of which is counted."""
    counts = dict.fromkeys(cells, number)
    for row in chain([tuple(cells.values())], rest):
        for name, cell in zip(cells, row, strict=True):
            counts[name] += cell is not None
    short, long = min(counts, key=counts.__getitem__), max(counts, key=counts.__getitem__)
    return InputError("unequal-lengths", f"{short} has {counts[short]} lines but {long} has {counts[long]}", (short,))


def _numbers(cell: str, row: int) -> list[float]:
    try:
        return [float(part) for part in cell.split()]
    except ValueError:
        raise InputError("invalid-table", "token_log_probs must be numbers", ("segments", row, "token_log_probs")) from None
