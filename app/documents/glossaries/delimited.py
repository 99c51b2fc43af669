"""Glossaries in CSV and TSV."""

import csv
import io
from collections.abc import Iterator

from app.documents.glossaries.glossary import Glossary
from app.documents.glossaries.rows import Row, glossary_of_rows
from app.errors import InputError
from app.text.reading.encodings import decode

__all__ = ["read_csv", "read_tsv"]


def read_csv(raw: bytes, name: str) -> Glossary:
    """The glossary of a CSV file; semicolons separate cells if the first line has more of them than commas."""
    text = decode(raw, name).text
    heading = text.split("\n", 1)[0]
    return glossary_of_rows(_rows(text, ";" if heading.count(";") > heading.count(",") else ",", name), name)


def read_tsv(raw: bytes, name: str) -> Glossary:
    """The glossary of a TSV file, without quotes: a tab ends a cell, and a line end its row."""
    lines = decode(raw, name).text.splitlines()
    return glossary_of_rows((Row(number, line.split("\t")) for number, line in enumerate(lines, 1)), name)


def _rows(text: str, delimiter: str, name: str) -> Iterator[Row]:
    """Records of a CSV file with the lines of their ends."""
    reader = csv.reader(io.StringIO(text, newline=""), delimiter=delimiter, strict=True)
    try:
        for cells in reader:
            yield Row(reader.line_num, cells)
    except csv.Error:
        detail = f'line {reader.line_num}: a quoted cell does not end, or has text behind its end; write "" for a quote in a cell'
        raise InputError("invalid-glossary", detail, (name, reader.line_num)) from None
