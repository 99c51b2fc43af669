"""Reading segments from text: lines, tab-separated tables with a header, and their bytes."""

import gzip
import zlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from app.errors import InputError
from app.text.languages import NAMES

__all__ = [
    "Table",
    "decode_text",
    "header_columns",
    "header_pair",
    "read_bytes",
    "read_column",
    "read_table",
    "split_lines",
    "table_header",
]

LARGEST_FILE = 2 * 1024**3


def read_bytes(path: Path) -> bytes:
    """A file's bytes, inflated if it is gzip."""
    raw = path.read_bytes()
    if raw[:2] != b"\x1f\x8b":
        return raw
    try:
        with gzip.open(path) as file:
            return file.read(LARGEST_FILE)
    except (EOFError, OSError, zlib.error):
        raise InputError("invalid-encoding", f"{path.name} is a damaged gzip file") from None


def decode_text(raw: bytes, name: str) -> str:
    """UTF-8 text (a byte-order mark is dropped); InputError names the byte and line that are not, or a NUL."""
    try:
        text = raw.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = raw.count(b"\n", 0, error.start) + 1
        raise InputError(
            "invalid-encoding", f"byte {error.start + 1} of {name}, in line {line}, is not UTF-8", (name, line)
        ) from None
    if "\0" in text:
        line = text.count("\n", 0, text.index("\0")) + 1
        raise InputError("invalid-character", f"line {line} of {name} holds a NUL character", (name, line))
    return text


def split_lines(text: str) -> list[str]:
    """Lines by ``\\n`` alone, a carriage return at their end dropped; a final newline adds no line."""
    lines = [line[:-1] if line.endswith("\r") else line for line in text.split("\n")]
    return lines[:-1] if lines and not lines[-1] else lines


@dataclass(frozen=True)
class Table:
    """Columns of text by name, all of one length."""

    columns: Mapping[str, Sequence[str]]

    def __len__(self) -> int:
        return len(next(iter(self.columns.values()), ()))

    def __getitem__(self, name: str) -> Sequence[str]:
        if name not in self.columns:
            raise InputError("invalid-table", f"there is no column {name}; the columns are {', '.join(self.columns)}", (name,))
        return self.columns[name]


ALIASES = {
    "source": ("source", "src", "original", "source_text", "source text", "source_segment", "sources", "msgid"),
    "translation": (
        "translation", "mt", "target", "tgt", "hypothesis", "target_text", "target text", "target_segment", "translations", "trg",
        "mt_output", "machine_translation", "msgstr",
    ),
}  # fmt: skip
COLUMN_NAMES = {alias: name for name, aliases in ALIASES.items() for alias in aliases}


def _column_names(cells: Sequence[str]) -> list[str]:
    plain = [cell.strip().lower() for cell in cells]
    if set(plain) & set(COLUMN_NAMES):
        return [COLUMN_NAMES.get(cell, cell) for cell in plain]
    # Columns called by their languages: the first is the source.
    languages = [k for k, cell in enumerate(plain) if cell in NAMES]
    if len(languages) == 2 and plain[languages[0]] != plain[languages[1]]:
        plain[languages[0]], plain[languages[1]] = "source", "translation"
    return plain


def header_columns(cells: Sequence[str]) -> tuple[int, int] | None:
    """Where a header has source and translation, by any of their names; None where it is no header or names one twice."""
    names = _column_names(cells)
    if names.count("source") != 1 or names.count("translation") != 1:
        return None
    return names.index("source"), names.index("translation")


def header_pair(cells: Sequence[str], source: int, translation: int) -> tuple[str | None, str | None]:
    """The languages that a header names its columns by."""
    codes = [cells[k].strip().lower() for k in (source, translation)]
    return (codes[0], codes[1]) if all(code in NAMES for code in codes) else (None, None)


def table_header(line: str, name: str) -> tuple[list[str], bool]:
    """Names of a table's columns from its first line, and whether that line is a header; without one there are two columns."""
    header = _column_names(line.split("\t"))
    if "source" not in header or "translation" not in header:
        return ["source", "translation"], False
    if len(set(header)) != len(header):
        raise InputError("invalid-table", f"line 1 of {name} names a column twice", (name, 1))
    return header, True


def read_table(raw: bytes, name: str) -> Table:
    """Read tab-separated text.

    With a header naming `source` and `translation` (among other columns) any order goes; without
    one there must be exactly two columns, source and translation.
    """
    lines = split_lines(decode_text(raw, name))
    if not lines:
        raise InputError("empty-input", f"{name} is empty; give a source and a translation per line", (name,))
    header, named = table_header(lines[0], name)
    body, first = (lines[1:], 2) if named else (lines, 1)
    rows = [line.split("\t") for line in body]
    for number, row in enumerate(rows, first):
        if len(row) != len(header):
            raise InputError(
                "invalid-table",
                f"line {number} of {name} has {len(row)} columns, expected {len(header)} ({', '.join(header)})",
                (name, number),
            )
    if not rows:
        raise InputError("empty-input", f"{name} has a header but no segments", (name,))
    return Table({column: [row[k] for row in rows] for k, column in enumerate(header)})


def read_column(spec: str) -> list[str]:
    """Lines of ``FILE``, or one column of a table ``FILE:COLUMN``; rows may lack trailing columns."""
    path_text, separator, column = spec.rpartition(":")
    if not separator or Path(spec).exists():
        return split_lines(decode_text(read_bytes(Path(spec)), Path(spec).name))
    path = Path(path_text)
    lines = split_lines(decode_text(read_bytes(path), path.name))
    header = lines[0].split("\t") if lines else []
    if column not in header:
        raise InputError("invalid-table", f"{path.name} has no column {column}; it has {', '.join(header)}", (path.name, 1))
    at = header.index(column)
    cells: list[str] = []
    for number, line in enumerate(lines[1:], 2):
        row = line.split("\t")
        if at >= len(row):
            raise InputError("invalid-table", f"line {number} of {path.name} has no column {column}", (path.name, number))
        cells.append(row[at])
    return cells
