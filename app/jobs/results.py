"""A finished job's result as JSON, JSONL or TSV, streamed chunk by chunk."""

import json
import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any, Final, Literal

from app.errors import InputError
from app.operations.operation import Json, Operation

__all__ = ["FORMATS", "Formulas", "result_stream"]

# What is done in a table about cells that a spreadsheet would run: an apostrophe before them, or nothing, for programs.
Formulas = Literal["escape", "keep"]

FORMATS: Final[Mapping[str, str]] = {
    "json": "application/json",
    "jsonl": "application/x-ndjson",
    "tsv": "text/tab-separated-values; charset=utf-8",
}
# What a formula begins with, also at full width; blanks before it may be dropped when a table is opened.
FORMULA: Final = re.compile(r"\s*+[=+@\-＝＋＠－]")
NUMBERS: Final = re.compile(r"(?:[+-]?[0-9]++(?:\.[0-9]*+)?(?:e[+-]?[0-9]++)?(?: |\Z))*+", re.IGNORECASE)


def result_stream(
    operation: Operation[Any, Any],
    summary: Mapping[str, Any],
    outputs: Iterable[Mapping[str, Any]],
    form: str,
    formulas: Formulas = "escape",
) -> Iterator[str]:
    """The result in pieces. Nothing in it depends on when or how often the job ran."""
    steps = operation.steps
    if steps is None:
        raise InputError("invalid-job", "this version knows no jobs of this kind", ("kind",))
    rows: Iterator[Json] = (row for output in outputs for row in output["rows"])
    if steps.rows_in_summary:
        rows = iter(summary[steps.rows])
        summary = {name: value for name, value in summary.items() if name != steps.rows}
    amend = steps.amend
    if amend is not None:
        rows = (amend(row, summary) for row in rows)
    if form == "json":
        return _json({"kind": operation.name, **summary}, steps.rows, rows)
    if form == "jsonl":
        return (_line(row) for row in rows)
    return _tsv(rows, _cell if formulas == "keep" else _inert_cell)


def _line(value: object) -> str:
    return json.dumps(value, ensure_ascii=False, allow_nan=False) + "\n"


def _json(summary: Json, name: str, rows: Iterable[Json]) -> Iterator[str]:
    head = json.dumps(summary, ensure_ascii=False, allow_nan=False)
    yield f'{head[:-1]}, "{name}": ['
    for number, row in enumerate(rows):
        yield (",\n" if number else "\n") + json.dumps(row, ensure_ascii=False, allow_nan=False)
    yield "\n]}\n"


def _tsv(rows: Iterable[Json], cell: Callable[[object], str]) -> Iterator[str]:
    names: list[str] | None = None
    for row in rows:
        flat = dict(_flatten(row))
        if names is None:
            names = list(flat)
            yield "\t".join(map(cell, names)) + "\n"
        yield "\t".join(cell(flat.get(name, "")) for name in names) + "\n"


def _flatten(row: Mapping[str, Any]) -> Iterator[tuple[str, object]]:
    """Columns of a row: intervals become two columns, features one each, words and tags one, rankings best, score, order.

    A name is not enough: what an operation calls words may be their number. Whatever else has parts of its own is JSON.
    """
    for key, value in row.items():
        if key in ("interval", "confidence_interval") and isinstance(value, list):
            stem = "" if key == "interval" else f"{key}_"
            yield f"{stem}low", value[0]
            yield f"{stem}high", value[1]
        elif key == "features" and isinstance(value, dict):
            yield from value.items()
        elif key == "order" and _all_have(value, "system", "score"):
            yield "best", value[0]["system"]
            yield "best_score", value[0]["score"]
            yield "order", " ".join(f"{entry['system']}={entry['score']}" for entry in value)
        elif key == "warnings" and _all_have(value, "code"):
            yield key, " ".join(warning["code"] for warning in value)
        elif key == "texts" and isinstance(value, dict):
            yield from ((f"translation_{name}", text) for name, text in value.items())
        elif key == "words" and _all_have(value, "text", "tag"):
            yield "words", " ".join(word["text"] for word in value)
            yield "word_tags", " ".join(word["tag"] for word in value)
        elif key == "gaps" and _all_have(value, "tag"):
            yield "gap_tags", " ".join(gap["tag"] for gap in value)
        elif _all_have(value, "feature", "contribution"):
            yield key, " ".join(f"{entry['feature']}={entry['contribution']}" for entry in value)
        elif isinstance(value, list) and not any(isinstance(item, dict | list) for item in value):
            yield key, " ".join(map(str, value))
        elif isinstance(value, dict | list):
            yield key, json.dumps(value, ensure_ascii=False, allow_nan=False)
        else:
            yield key, value


def _all_have(value: object, *names: str) -> bool:
    """Whether this is a list of objects with these names."""
    return isinstance(value, list) and all(isinstance(item, dict) and all(name in item for name in names) for item in value)


def _cell(value: object) -> str:
    """Text in one cell: tabs and line ends inside a segment become blanks."""
    return str(value).replace("\t", " ").replace("\r", " ").replace("\n", " ")


def _inert_cell(value: object) -> str:
    """The same, with an apostrophe before what a spreadsheet would take for a formula; numbers are none."""
    cell = _cell(value)
    return f"'{cell}" if FORMULA.match(cell) and not NUMBERS.fullmatch(cell) else cell
