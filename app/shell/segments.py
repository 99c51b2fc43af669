"""Segments of requests, with side information, from tables, documents and files of lines."""

import json
import sys
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, Final

from app.documents import FILE_FORMATS, HEAD_BYTES, is_plain_table, read_file
from app.documents.delimited import Csv
from app.documents.several.sources import SourceFile, read_sources
from app.errors import InputError
from app.operations.operation import Json
from app.resources.identification import order_of
from app.shell.declaration.decoder_files import DecoderOptions
from app.shell.here import settings_here
from app.shell.inputs import read_file_bytes, read_lines
from app.shell.output import counted, say
from app.text import LanguagePair
from app.text.reading.checking import check_segments
from app.text.reading.columns import ReadingAnswer, TableReading
from app.text.reading.decoder_files import DECODER_FILES, read_decoder_files
from app.text.reading.lines import TextColumn, TextFile
from app.text.reading.tables import Table, open_lines, open_table
from app.text.side_information import KINDS, read_side_information

__all__ = ["decoder_columns", "read_pairs", "read_sources_of", "say_reading", "segments_of", "spans_column", "tagged_columns"]

# A line of numbers is longer than a segment.
LONGEST_LINE: Final = 10**6


def read_pairs(
    files: Sequence[str],
    log_probs: str | None = None,
    tokens: str | None = None,
    header: bool | None = None,
    pair: str | None = None,
) -> Table:
    """One table or document, or a source file and a translation file, with columns of further files.

    `header` states that a table has a heading. The function prints the roles of columns without standard headings. `pair` selects
    languages of a multilingual document, and helps to assign columns without headings.
    """
    paths = {"token_log_probs": log_probs, "tokens": tokens}
    beside = {name: TextColumn(path, read_lines(path, LONGEST_LINE)) for name, path in paths.items() if path is not None}
    if len(files) == 1:
        table = _read_document(files[0], beside, header, LanguagePair.parse(pair) if pair else None)
    elif len(files) == 2:
        texts = {name: TextColumn(path, read_lines(path)) for name, path in zip(("source", "translation"), files, strict=True)}
        table = open_lines(texts | beside).read()
    else:
        raise InputError("invalid-request", "give one table (TSV), or a source file and a translation file")
    for name in ("source", "translation"):
        check_segments(table[name], settings_here().max_segment_characters, (files[0],), name)
    return table


def _read_document(path: str, beside: Mapping[str, TextColumn], header: bool | None, pair: LanguagePair | None) -> Table:
    """A table with all of its columns, or the segments of a document of another format."""
    raw = read_file_bytes(path)
    if is_plain_table(raw[:HEAD_BYTES]):
        stream = open_table(TextFile(path, raw), beside, has_heading=header, order=order_of(pair))
        say_reading(stream.reading)
        return stream.read()
    document = read_file(raw, path, pair, header=header, order=order_of(pair))
    say_reading(document.reading)
    if document.skipped:
        # Gates name segments by number.
        say(f"{path}: left out {counted(document.skipped, 'unit')} without a translation; segments are numbered without them")
    units = document.units
    texts = {"source": [unit.source for unit in units], "translation": [unit.translation for unit in units]}
    columns = {**_csv_columns(document.format, raw, path, header), **texts}
    table = open_lines({**{name: TextColumn(path, column) for name, column in columns.items()}, **beside}).read()
    return replace(table, languages=document.languages)


def _csv_columns(form: str, raw: bytes, path: str, header: bool | None) -> dict[str, list[str]]:
    """All columns of a CSV table with a heading, since they may hold labels; empty for other documents."""
    file_format = FILE_FORMATS[form]
    return file_format.columns(raw, path) if isinstance(file_format, Csv) and header is not False else {}


def say_reading(reading: TableReading | ReadingAnswer | None) -> None:
    """Print the roles of columns in a table, unless its headings mean source and translation in some language."""
    answer = reading.answer() if isinstance(reading, TableReading) else reading
    if answer is not None and answer["basis"] != "names":
        say(answer["sentence"])


def segments_of(table: Table, **columns: Sequence[Any] | None) -> list[Json]:
    """Rows of a table as segments of a request, with its side information and further columns."""
    fields: dict[str, Sequence[Any]] = {"source": table["source"], "translation": table["translation"], **_side_information(table)}
    fields |= {name: values for name, values in columns.items() if values is not None}
    for name, values in fields.items():
        if len(values) != len(table):
            raise InputError("unequal-lengths", f"there are {len(values)} entries for {len(table)} segments", (name,))
    return [dict(zip(fields, row, strict=True)) for row in zip(*fields.values(), strict=True)]


def decoder_columns(options: DecoderOptions) -> Json:
    """Columns `n_best` and `search` from the files of a decoder, for `segments_of`; ``-`` is standard input."""
    paths = {role: getattr(options, role) for role in DECODER_FILES if getattr(options, role) is not None}
    if list(paths.values()).count("-") > 1:
        raise InputError("invalid-request", "standard input can be read once", (max(paths),))
    files = {role: TextFile(role, sys.stdin.buffer) if path == "-" else Path(path) for role, path in paths.items()}
    return read_decoder_files(files).as_json() if files else {}


def tagged_columns(table: Table) -> dict[str, Sequence[Any]]:
    """Columns of people's tags and error spans; the cells of `spans` are lists in JSON, as ``[{"start": 0, "end": 4}]``."""
    columns: dict[str, Sequence[Any]] = {name: table[name] for name in ("tags", "source_tags") if name in table.columns}
    if "spans" in table.columns:
        columns["spans"] = spans_column(table, "spans")
    return columns


def spans_column(table: Table, name: str) -> list[Any]:
    """Cells of a column, which are JSON; InputError names the column and the row, from 0."""
    cells: list[Any] = []
    for row, cell in enumerate(table[name]):
        try:
            cells.append(json.loads(cell))
        except (ValueError, RecursionError):
            raise InputError("invalid-table", "this cell is no JSON; write a list of spans, such as []", (name, row)) from None
    return cells


def _side_information(table: Table) -> dict[str, Sequence[Any]]:
    columns = read_side_information(table.columns, settings_here().max_segment_characters).as_json()
    return {kind.request_field: columns[kind.name] for kind in KINDS if kind.name in columns}


def read_sources_of(path: str, pair: LanguagePair) -> list[str]:
    """Sources for a translation service, without blank ones; prints the heading, which is no source, and the number of blanks.

    ``FILE:COLUMN`` is a column of a table. InputError for a file with translations.
    """
    if path == "-" or Path(path).exists() or ":" not in path:
        file = read_sources(read_file_bytes(path), "standard input" if path == "-" else path, pair)
    else:
        lines = read_lines(path)
        file = SourceFile(tuple(line for line in lines if line.strip()), sum(not line.strip() for line in lines))
    check_segments(file.sources, settings_here().max_segment_characters, (path,))
    if file.heading is not None:
        say(f"{path}: the sources are below the heading {file.heading}; if it is a source, write source above it")
    if file.skipped:
        say(f"{path}: left out {counted(file.skipped, 'empty source')}; segments are numbered without them")
    return list(file.sources)
