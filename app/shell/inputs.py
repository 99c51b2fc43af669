"""Reading of files, standard input and columns for commands."""

import sys
from collections.abc import Sequence
from pathlib import Path

from app.errors import InputError
from app.shell.here import settings_here
from app.text.reading.checking import check_segments
from app.text.reading.encodings import utf8_of
from app.text.reading.lines import TextFile, read_bytes
from app.text.reading.tables import Table, open_table, read_column, read_systems

__all__ = ["named_lists", "read_any_table", "read_file_bytes", "read_lines", "read_piped_systems", "split_references"]


def read_file_bytes(path: str) -> bytes:
    """A file's bytes (``-`` is standard input), inflated if it is gzip."""
    return sys.stdin.buffer.read() if path == "-" else read_bytes(Path(path))


def _file(path: str, encoding: str = "utf-8") -> TextFile:
    name = "standard input" if path == "-" else path
    return TextFile(name, utf8_of(read_file_bytes(path), encoding, name))


def read_lines(path: str, longest: int | None = None, encoding: str = "utf-8") -> list[str]:
    """Segments of a file (``-`` is standard input), one per line; `longest` limits characters, by default the settings.

    ``FILE:COLUMN`` is a column of a table, or a key of the objects of a ``.json`` list or a ``.jsonl`` file.
    """
    lines = list(_file(path, encoding).lines()) if path == "-" else read_column(path, encoding)
    check_segments(lines, longest or settings_here().max_segment_characters, (path,))
    return lines


def read_any_table(path: str) -> Table:
    """A table with a heading. Reading a missing column is an InputError with the names of its columns."""
    return open_table(_file(path), required=()).read()


def read_piped_systems(encoding: str = "utf-8") -> dict[str, list[str]]:
    """Systems on standard input, in tab-separated columns."""
    columns = {name: list(column) for name, column in read_systems(_file("-", encoding)).columns.items()}
    for name, column in columns.items():
        check_segments(column, settings_here().max_segment_characters, (name,))
    return columns


def named_lists(specs: Sequence[str], encoding: str = "utf-8") -> dict[str, list[str]]:
    """Lists of segments by name, in order, from ``NAME=FILE`` or ``FILE``, which is its own name."""
    lists: dict[str, list[str]] = {}
    for spec in specs:
        name, separator, path = spec.partition("=")
        if not separator or Path(spec).exists():
            name, path = Path(spec).name, spec
        if name in lists:
            raise InputError("invalid-request", f"{name} is given twice; name them, as in a={path}")
        lists[name] = read_lines(path, encoding=encoding)
    return lists


def split_references(lists: dict[str, list[str]], count: int) -> dict[str, list[str]]:
    """Split lines of `count` references between tabs. InputError if a line has another number of references."""
    if count == 1:
        return lists
    split: dict[str, list[str]] = {}
    for name, lines in lists.items():
        rows = [line.split("\t") for line in lines]
        for number, row in enumerate(rows):
            if len(row) != count:
                detail = f"this line has {len(row)} references between tabs, and --num-refs says {count}"
                raise InputError("invalid-request", detail, (name, number))
        split |= {f"{name} {k + 1}": [row[k] for row in rows] for k in range(count)}
    return split
