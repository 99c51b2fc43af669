"""Reading what commands are given: files, standard input, columns."""

import json
import sys
from collections.abc import Sequence
from math import isfinite
from pathlib import Path

from app.documents import file_format, read_file
from app.errors import InputError
from app.text.checking import check_segments
from app.text.tables import Table, decode_text, read_bytes, read_table, split_lines

__all__ = ["named_lists", "read_any_table", "read_lines", "read_numbers", "read_pairs", "read_systems"]


def _bytes(path: str) -> bytes:
    if path == "-":
        return sys.stdin.buffer.read()
    try:
        return read_bytes(Path(path))
    except OSError as error:
        raise InputError("invalid-request", f"{path}: {error.strerror or 'cannot be read'}") from None


def read_lines(path: str, longest: int) -> list[str]:
    """Segments of a file (``-`` is standard input), one a line, each within the limit.

    ``FILE:COLUMN`` is a column of a table, or a key of the objects of a ``.json`` list or a ``.jsonl`` file.
    """
    file, separator, column = path.rpartition(":")
    if separator and not Path(path).exists() and Path(file).suffix in (".json", ".jsonl"):
        lines = _json_column(file, column)
    elif separator and not Path(path).exists() and Path(file).exists():
        lines = list(read_any_table(file)[column])
    else:
        lines = split_lines(decode_text(_bytes(path), path))
    check_segments(lines, longest, (path,))
    return lines


def _json_column(path: str, key: str) -> list[str]:
    text = decode_text(_bytes(path), path)
    try:
        rows = json.loads(text) if path.endswith(".json") else [json.loads(line) for line in split_lines(text)]
    except (ValueError, RecursionError):
        raise InputError("invalid-json", f"{path} is not JSON") from None
    cells: list[str] = []
    for number, row in enumerate(rows if isinstance(rows, list) else [rows]):
        cell = row.get(key) if isinstance(row, dict) else None
        if not isinstance(cell, str):
            raise InputError("invalid-table", f"{path}: object {number} has no text called {key}", (path, number))
        cells.append(cell)
    return cells


def read_any_table(path: str) -> Table:
    """A table with a header; reading a column that it lacks is an InputError that names those it has."""
    lines = split_lines(decode_text(_bytes(path), path))
    header = lines[0].split("\t") if lines else []
    rows = [line.split("\t") for line in lines[1:]]
    wrong = next((number for number, row in enumerate(rows, 2) if len(row) != len(header)), None)
    if not rows or wrong is not None:
        place = f"line {wrong} has another number of cells than the header" if wrong else "there are no rows"
        raise InputError("invalid-table", f"{path}: {place}")
    return Table({name: [row[k] for row in rows] for k, name in enumerate(header)})


def read_numbers(table: Table, column: str) -> list[float]:
    """A column of finite numbers."""
    values = []
    for row, cell in enumerate(table[column]):
        try:
            value = float(cell)
        except ValueError:
            value = float("nan")
        if not isfinite(value):
            raise InputError("invalid-table", "this cell is not a finite number", (column, row))
        values.append(value)
    return values


def read_systems(lines: list[str], longest: int) -> dict[str, list[str]]:
    """Systems as tab-separated columns; one without tabs is called ``system``, more are ``system1``, ``system2`` ..."""
    rows = [line.split("\t") for line in lines]
    width = len(rows[0]) if rows else 1
    wrong = next((number for number, row in enumerate(rows, 1) if len(row) != width), None)
    if wrong is not None:
        raise InputError("invalid-table", f"standard input: line {wrong} has {len(rows[wrong - 1])} columns, the first has {width}")
    names = ["system"] if width == 1 else [f"system{k + 1}" for k in range(width)]
    columns = {name: [row[k] for row in rows] for k, name in enumerate(names)}
    for name, column in columns.items():
        check_segments(column, longest, (name,))
    return columns


def read_pairs(files: Sequence[str], log_probs: str | None, longest: int, tokens: str | None = None) -> Table:
    """One table, or a source and a translation file; `log_probs` is a file of numbers on lines, `tokens` one of the MT system's."""
    if len(files) == 1:
        table = _read_document(_bytes(files[0]), files[0])
    elif len(files) == 2:
        source, translation = (read_lines(path, longest) for path in files)
        if len(source) != len(translation):
            raise InputError("unequal-lengths", f"{files[0]} has {len(source)} lines, {files[1]} has {len(translation)}")
        table = Table({"source": source, "translation": translation})
    else:
        raise InputError("invalid-request", "give one table (TSV), or a source file and a translation file")
    for name in ("source", "translation"):
        check_segments(table[name], longest, (files[0],), name)
    columns = dict(table.columns)
    for name, path in (("token_log_probs", log_probs), ("tokens", tokens)):
        if path is not None:
            columns[name] = read_lines(path, 10**6)
            if len(columns[name]) != len(table):
                raise InputError("unequal-lengths", f"{path} has {len(columns[name])} lines for {len(table)} segments")
    return Table(columns)


def _read_document(raw: bytes, name: str) -> Table:
    """A table with all of its columns, or the segments of a document of another format."""
    try:
        form = file_format(raw, name).name
    except InputError:
        form = "tsv"
    if form == "tsv":
        return read_table(raw, name)
    units = read_file(raw, name).units
    return Table({"source": [unit.source for unit in units], "translation": [unit.translation for unit in units]})


def named_lists(specs: Sequence[str], longest: int) -> dict[str, list[str]]:
    """``NAME=FILE`` or ``FILE`` (named after itself) each, in order."""
    lists: dict[str, list[str]] = {}
    for spec in specs:
        name, separator, path = spec.partition("=")
        if not separator or Path(spec).exists():
            name, path = Path(spec).name, spec
        if name in lists:
            raise InputError("invalid-request", f"{name} is given twice; name them, as in a={path}")
        lists[name] = read_lines(path, longest)
    return lists
