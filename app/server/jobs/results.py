"""A finished job's result as JSON, JSONL or TSV, streamed chunk by chunk."""

import json
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import chain, islice
from typing import Any, Final, Literal

from app.documents.xml.memory import Pair, memory
from app.errors import InputError
from app.operations.judgements.corrections import Correction
from app.operations.judgements.reassessment import assessed
from app.operations.operation import Json, Operation
from app.operations.parts.flat_rows import columns_of_rows, flat_row

__all__ = ["FORMATS", "Formulas", "blocks_of", "memory_stream", "result_stream", "rows_stream"]

# Treatment of table cells that a spreadsheet would run: an apostrophe before them, or none for programs.
Formulas = Literal["escape", "keep"]

# Rows of one job may differ in their columns, and those of a stream are not all held to see in which.
FIRST_ROWS: Final = 500
# A server hands every block of an answer from a thread to its event loop, which costs more than a row.
BLOCK_CHARACTERS: Final = 1 << 16
FORMATS: Final[Mapping[str, str]] = {
    "json": "application/json",
    "jsonl": "application/x-ndjson",
    "tsv": "text/tab-separated-values; charset=utf-8",
}
# First characters of a formula, also at full width. Blanks and quotation marks before it may be dropped when a table is opened.
FORMULA: Final = re.compile(r"[\s\"]*+[=+@\-＝＋＠－]")
NUMBERS: Final = re.compile(r"(?:[+-]?[0-9]++(?:\.[0-9]*+)?(?:e[+-]?[0-9]++)?(?: |\Z))*+", re.IGNORECASE)


def result_stream(
    operation: Operation[Any, Any],
    summary: Mapping[str, Any],
    outputs: Iterable[Mapping[str, Any]],
    form: str,
    formulas: Formulas = "escape",
    corrections: Iterable[Correction] = (),
) -> Iterator[str]:
    """The result in pieces, with corrections in the order of its rows. Nothing in it depends on when or how often the job ran."""
    steps = operation.steps
    if steps is None:
        raise InputError("invalid-job", "this version knows no jobs of this kind", ("kind",))
    worked_rows: Iterator[Json] = (row for output in outputs for row in output["rows"])
    rows = worked_rows
    if steps.rows_in_summary:
        rows = iter(summary[steps.rows])
        summary = {name: value for name, value in summary.items() if name != steps.rows}
    amend = steps.amend
    if amend is not None:
        rows = map(amend(summary), rows)
    rows = _with_corrections(rows, corrections, form == "tsv")
    if form == "json":
        beside = {"texts": worked_rows} if steps.rows_in_summary else {}
        return _json({"kind": operation.name, **summary}, {steps.rows: rows, **beside})
    return rows_stream(rows, form, formulas, first=None if steps.rows_in_summary else FIRST_ROWS)


def rows_stream(
    rows: Iterable[Mapping[str, Any]],
    form: str,
    formulas: Formulas = "escape",
    columns: Sequence[str] | None = None,
    first: int | None = FIRST_ROWS,
) -> Iterator[str]:
    """Rows as JSONL, or as a table of these columns; unless named they are those of the `first` rows, or of all."""
    if form == "jsonl":
        return (_line(row) for row in rows)
    return _tsv(rows, columns, first, _cell if formulas == "keep" else _inert_cell)


def _with_corrections(rows: Iterator[Json], corrections: Iterable[Correction], in_columns: bool) -> Iterator[Json]:
    """Rows with corrections and their assessments, if the job has any; a table then has this cell in all rows."""
    coming = iter(corrections)
    following = next(coming, None)
    if following is None:
        return rows

    def merged(following: Correction | None) -> Iterator[Json]:
        for number, row in enumerate(rows, 1):
            text: str | None = None
            if following is not None and following.segment == number:
                row, text, following = assessed(row, following.assessment), following.text, next(coming, None)
            yield {**row, "correction": text or ""} if in_columns or text is not None else row

    return merged(following)


def blocks_of(pieces: Iterable[str]) -> Iterator[bytes]:
    """The pieces of a text in UTF-8, joined to blocks of `BLOCK_CHARACTERS` characters and the last piece that fills them."""
    block: list[str] = []
    size = 0
    for piece in pieces:
        block.append(piece)
        size += len(piece)
        if size >= BLOCK_CHARACTERS:
            yield "".join(block).encode("utf-8", "replace")
            block, size = [], 0
    if block:
        yield "".join(block).encode("utf-8", "replace")


def memory_stream(
    params: Mapping[str, Any],
    rows: Iterable[Mapping[str, Any]],
    corrections: Iterable[Correction],
    segments: Literal["corrected", "all"],
    tool: str,
) -> Iterator[str]:
    """The pairs of a result as a translation memory: corrected pairs, or all pairs with their corrections."""
    coming = iter(corrections)

    def pairs() -> Iterator[Pair]:
        following = next(coming, None)
        for number, row in enumerate(rows, 1):
            if following is not None and following.segment == number:
                yield Pair(number, row["source"], following.text or "", following.changed, following.author)
                following = next(coming, None)
            elif segments == "all":
                yield Pair(number, row["source"], row["translation"])

    return memory(params["source_language"], params["target_language"], pairs(), tool)


def _line(value: object) -> str:
    return json.dumps(value, ensure_ascii=False, allow_nan=False) + "\n"


def _json(summary: Json, lists: Mapping[str, Iterator[Json]]) -> Iterator[str]:
    """The summary, the first list, and the other lists that have rows."""
    yield json.dumps(summary, ensure_ascii=False, allow_nan=False)[:-1]
    for place, (name, rows) in enumerate(lists.items()):
        first = list(islice(rows, 1))
        if place and not first:
            continue
        yield f', "{name}": ['
        for number, row in enumerate(chain(first, rows)):
            yield (",\n" if number else "\n") + json.dumps(row, ensure_ascii=False, allow_nan=False)
        yield "\n]"
    yield "}\n"


def _tsv(
    rows: Iterable[Mapping[str, Any]], columns: Sequence[str] | None, first: int | None, cell: Callable[[object], str]
) -> Iterator[str]:
    """Lines of a table. Its columns are named ones, or those of the `first` rows, or those of all rows in memory."""
    flat_rows = (dict(flat_row(row)) for row in rows)
    head = list(islice(flat_rows, first)) if columns is None else []
    names = columns_of_rows(head) if columns is None else columns
    if names:
        yield "\t".join(cell(name) for name in names) + "\n"
    for flat in chain(head, flat_rows):
        yield "\t".join(cell(flat.get(name, "")) for name in names) + "\n"


def _cell(value: object) -> str:
    """Text in one cell: tabs and line ends inside a segment become blanks."""
    return str(value).replace("\t", " ").replace("\r", " ").replace("\n", " ")


def _inert_cell(value: object) -> str:
    """A cell with an apostrophe if a spreadsheet would take it for a formula; numbers are none."""
    cell = _cell(value)
    return f"'{cell}" if FORMULA.match(cell) and not NUMBERS.fullmatch(cell) else cell
