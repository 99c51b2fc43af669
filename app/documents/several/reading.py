"""Reader of files with several translations: tables, and XLIFF with alternatives."""

from collections.abc import Callable, Iterator, Mapping
from itertools import chain, islice
from typing import Final

from app.documents.delimited import Csv, DelimitedFormat
from app.documents.document import MOST_UNITS, joined
from app.documents.format import FileFormat
from app.documents.formats import file_format
from app.documents.several.alternatives import read_alternatives
from app.documents.several.candidates import CandidateFile, CandidateUnit, candidate_file
from app.documents.several.columns import CandidateColumns, candidate_columns, heading_role
from app.documents.several.matches import read_matches
from app.documents.xml.markup import XmlMarkup, parse_markup
from app.documents.xml.xliff import Xliff
from app.documents.xml.xliff2 import Xliff2
from app.errors import InputError
from app.text.languages import LanguagePair
from app.text.reading.column_names import SOURCE
from app.text.reading.encodings import decode
from app.text.reading.foreign import foreign_kind
from app.text.reading.headers import MOST_COLUMNS
from app.text.reading.headings import ROW_LIMIT
from app.text.reading.tables import Record

__all__ = ["read_candidates"]

ReadAlternatives = Callable[[XmlMarkup, LanguagePair | None, int], CandidateFile]
LONGEST_FIRST_LINE: Final = 100_000
ALTERNATIVES: Final[Mapping[str, ReadAlternatives]] = {Xliff.name: read_alternatives, Xliff2.name: read_matches}


def read_candidates(
    raw: bytes, name: str, pair: LanguagePair | None = None, limit: int = MOST_UNITS, header: bool | None = None
) -> CandidateFile:
    """Read the sources of a file with their translations.

    `pair` selects languages of a file with several, `header` states that the first row of a table is or is no heading.
    InputError names the place; `limit` bounds the number of translations.
    """
    form = _format_of(raw, name)
    if isinstance(form, DelimitedFormat):
        return _read_table(form, raw, name, pair, limit, header)
    if form.name not in ALTERNATIVES:
        detail = f"{form.title} holds one translation of each source; send a table with several, or XLIFF with alternatives"
        raise InputError("unknown-format", detail, (name,))
    return ALTERNATIVES[form.name](parse_markup(raw, name), pair, limit)


class _WideCsv(Csv):
    """CSV whose first row has at least three cells: quoted ones, or a heading that names the source or its language."""

    def _delimiter(self, text: str) -> str:
        return _wide_delimiter(text) or ","


def _wide_delimiter(text: str) -> str | None:
    """Delimiter of a CSV table with at least three columns by its first line; None for other texts."""
    first_line = text.lstrip("\ufeff\r\n").partition("\n")[0][:LONGEST_FIRST_LINE]
    for delimiter in ",;":
        cells = first_line.split(delimiter)
        is_heading = any(role == SOURCE or language is not None for role, language in map(heading_role, cells[:MOST_COLUMNS]))
        if len(cells) >= 3 and (is_heading or first_line.startswith('"')):
            return delimiter
    return None


def _format_of(raw: bytes, name: str) -> FileFormat:
    """Format of a file; a CSV table needs no name of a translation."""
    try:
        return file_format(raw, name)
    except InputError as error:
        if error.code != "unknown-format" or foreign_kind(raw) is not None or _wide_delimiter(decode(raw, name).text) is None:
            raise
        return _WideCsv()


def _read_table(
    form: DelimitedFormat, raw: bytes, name: str, pair: LanguagePair | None, limit: int, header: bool | None
) -> CandidateFile:
    records = form.records(decode(raw, name).text, name)
    first = next(records, None)
    if first is None:
        raise InputError("empty-input", f"{name} is empty; write a source and its translations in each row", (name,))
    below = list(islice(records, ROW_LIMIT))
    languages = (None, None) if pair is None else (pair.source, pair.target)
    columns = candidate_columns(first.cells, [record.cells for record in below], first.line, name, header, languages)
    rows = chain([] if columns.headings is not None else [first], below, records)
    width = len(first.cells)
    return candidate_file(form.name, _units(rows, columns, width, name), limit, name, columns.languages, {}, columns)


def _units(rows: Iterator[Record], columns: CandidateColumns, width: int, name: str) -> Iterator[CandidateUnit]:
    """Sources and the translations of filled cells. A row may be shorter than the first one."""
    for row in rows:
        if len(row.cells) > width:
            detail = f"line {row.line} of {name} has {len(row.cells)} columns, the first row has {width}"
            raise InputError("invalid-table", detail, (name, row.line))
        cells = [joined(cell) for cell in row.cells] + [""] * (width - len(row.cells))
        texts = {system: cells[k] for system, k in columns.translations.items() if cells[k]}
        yield CandidateUnit(cells[columns.source], texts, row.line)
