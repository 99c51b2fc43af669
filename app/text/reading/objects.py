"""JSON objects, one per line or in a list: parsed within limits, and one key of their texts as a column."""

import json
import re
from collections.abc import Iterable, Iterator
from typing import Any, Final

from app.errors import InputError
from app.text.reading.lines import TextFile, decode_text, filled_lines

__all__ = ["LEAST_BYTES", "MOST_SMALL", "has_many_small", "json_lines", "object_column", "object_lines"]

Json = dict[str, Any]
# An object takes 64 bytes of memory at least, and two of a text: one of as many as fit would become twenty times its size. Those of
# requests and lines hold texts, and take more than this on average.
LEAST_BYTES: Final = 24
MOST_SMALL: Final = 250_000
OUTSIDE: Final = re.compile(rb'([^"]*+)(?:"[^"\\]*+(?:\\.[^"\\]*+)*+"?)?+', re.DOTALL)


def has_many_small(raw: bytes) -> bool:
    """Return True if a text opens more objects and lists than any request of its length, without those in its strings."""
    limit = max(MOST_SMALL, len(raw) // LEAST_BYTES)
    if raw.count(b"{") + raw.count(b"[") <= limit:
        return False
    open_count = 0
    for match in OUTSIDE.finditer(raw):
        open_count += raw.count(b"{", *match.span(1)) + raw.count(b"[", *match.span(1))
        if open_count > limit:
            return True
    return False


def object_lines(lines: Iterable[str], name: str) -> Iterator[tuple[int, Json]]:
    """Number of each line, from 1, and its object; blank lines are skipped.

    InputError (`invalid-document`, `unsafe-document`) names line and column.
    """
    return ((number, _value(line, name, number, (dict,))) for number, line in filled_lines(lines, name) if line.strip())


def json_lines(lines: Iterable[str], name: str) -> Iterator[tuple[int, Json | list[Any]]]:
    """Number of each line, from 1, and its object or list; errors as in `object_lines`."""
    return ((number, _value(line, name, number, (dict, list))) for number, line in filled_lines(lines, name) if line.strip())


def object_column(file: TextFile, key: str, is_list: bool) -> list[str]:
    """Texts under one key, from a list of objects if `is_list`, else from one object per line.

    InputError (`invalid-table`) names an object without the text by its number, from 0.
    """
    rows = _list(file) if is_list else [row for _, row in object_lines(file.lines(), file.name)]
    return [_text(row, file.name, key, number) for number, row in enumerate(rows)]


def _text(row: Any, name: str, key: str, number: int) -> str:
    cell = row.get(key) if isinstance(row, dict) else None
    if not isinstance(cell, str):
        raise InputError("invalid-table", f"{name}: object {number} has no text under the key {key}", (name, number))
    return cell


def _list(file: TextFile) -> list[Any]:
    raw = file.content if isinstance(file.content, bytes) else file.content.read()
    try:
        rows = json.loads(decode_text(raw, file.name))
    except InputError:
        raise
    except (ValueError, RecursionError):
        raise InputError("invalid-json", f"{file.name} is not JSON") from None
    return rows if isinstance(rows, list) else [rows]


def _value(line: str, name: str, number: int, kinds: tuple[type[Any], ...]) -> Any:
    if len(line) > MOST_SMALL and has_many_small(line.encode("utf-8", "replace")):
        detail = f"line {number}, column 1: more than {MOST_SMALL} objects and lists, of under {LEAST_BYTES} bytes on average"
        raise InputError("unsafe-document", detail, (name, number, 1))
    try:
        row = json.loads(line)
    except json.JSONDecodeError as error:
        place = (name, number, error.colno)
        raise InputError("invalid-document", f"line {number}, column {error.colno}: this is not JSON", place) from None
    except ValueError:
        raise InputError("unsafe-document", f"line {number}, column 1: a number has too many digits", (name, number, 1)) from None
    except RecursionError:
        raise InputError("unsafe-document", f"line {number}, column 1: this is nested too deep", (name, number, 1)) from None
    if not isinstance(row, kinds):
        raise InputError("invalid-document", f"line {number}, column 1: expected an object", (name, number, 1))
    return row
