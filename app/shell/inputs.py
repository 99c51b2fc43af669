"""Reading what commands are given: files, standard input, columns."""

import sys
from collections.abc import Mapping, Sequence
from pathlib import Path

from app.documents import HEAD_BYTES, is_plain_table, read_file
from app.errors import InputError
from app.text.checking import check_segments
from app.text.lines import Column, TextFile, read_bytes
from app.text.tables import Table, open_lines, open_table, read_column, read_systems

__all__ = ["named_lists", "read_any_table", "read_lines", "read_pairs", "read_piped_systems"]


def _bytes(path: str) -> bytes:
    return sys.stdin.buffer.read() if path == "-" else read_bytes(Path(path))


def _file(path: str) -> TextFile:
    return TextFile("standard input" if path == "-" else path, _bytes(path))


def read_lines(path: str, longest: int) -> list[str]:
    """Segments of a file (``-`` is standard input), one a line, each within the limit.

    ``FILE:COLUMN`` is a column of a table, or a key of the objects of a ``.json`` list or a ``.jsonl`` file.
    """
    lines = list(_file(path).lines()) if path == "-" else read_column(path)
    check_segments(lines, longest, (path,))
    return lines


def read_any_table(path: str) -> Table:
    """A table with a header; reading a column that it lacks is an InputError that names those it has."""
    return open_table(_file(path), required=()).read()


def read_piped_systems(longest: int) -> dict[str, list[str]]:
    """Systems on standard input, as tab-separated columns."""
    columns = {name: list(column) for name, column in read_systems(_file("-")).columns.items()}
    for name, column in columns.items():
        check_segments(column, longest, (name,))
    return columns


def read_pairs(files: Sequence[str], log_probs: str | None, longest: int, tokens: str | None = None) -> Table:
    """One table, or a source and a translation file; `log_probs` is a file of numbers on lines, `tokens` one of the MT system's."""
    paths = {"token_log_probs": log_probs, "tokens": tokens}
    beside = {name: Column(path, read_lines(path, 10**6)) for name, path in paths.items() if path is not None}
    if len(files) == 1:
        table = _read_document(files[0], beside)
    elif len(files) == 2:
        texts = {name: Column(path, read_lines(path, longest)) for name, path in zip(("source", "translation"), files, strict=True)}
        table = open_lines(texts | beside).read()
    else:
        raise InputError("invalid-request", "give one table (TSV), or a source file and a translation file")
    for name in ("source", "translation"):
        check_segments(table[name], longest, (files[0],), name)
    return table


def _read_document(path: str, beside: Mapping[str, Column]) -> Table:
    """A table with all of its columns, or the segments of a document of another format."""
    raw = _bytes(path)
    if is_plain_table(raw[:HEAD_BYTES]):
        return open_table(TextFile(path, raw), beside).read()
    units = read_file(raw, path).units
    texts = {"source": [unit.source for unit in units], "translation": [unit.translation for unit in units]}
    return open_lines({**{name: Column(path, column) for name, column in texts.items()}, **beside}).read()


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
