"""Reader of files with sources alone: plain text, a source per line, or a table with a column of sources."""

import csv
import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from app.documents.delimited import Csv, DelimitedFormat
from app.documents.document import joined
from app.documents.format import Sample
from app.documents.formats import file_format
from app.documents.several.columns import heading_role, omitted_columns
from app.documents.text_lines import TextLines
from app.errors import InputError
from app.text.languages import LanguagePair, same_language
from app.text.reading.column_names import SOURCE, TRANSLATION
from app.text.reading.encodings import decode
from app.text.reading.foreign import foreign_kind
from app.text.reading.headings import column_kind
from app.text.reading.tables import Record

__all__ = ["SourceFile", "read_sources"]

LONGEST_FIRST_LINE: Final = 10_000
# A list in JSON; plain text may begin with words in brackets.
JSON_LIST: Final = re.compile(r"\s*+\[\s*+[\[{\"]")
REMEDY: Final = "translate is for sources: send a text with one source per line, or a table with a column called source"


@dataclass(frozen=True)
class SourceFile:
    """Sources of a file, none of them blank; `skipped` counts blank ones. `heading` is the name of their column, if any."""

    sources: tuple[str, ...]
    skipped: int
    heading: str | None = None


def read_sources(raw: bytes, name: str, pair: LanguagePair) -> SourceFile:
    """Read the sources of a file for a translation service into the target language of `pair`.

    InputError: `unknown-format` for a document, `invalid-table` for a table with translations, or without a column of sources.
    """
    records = _records(raw, name)
    at = next((k for k, record in enumerate(records) if any(cell.strip() for cell in record.cells)), None)
    if at is None:
        raise InputError("empty-input", f"{name} has no sources; write one per line", (name,))
    first, below = records[at], records[at + 1 :]
    roles = [heading_role(cell) for cell in first.cells]
    source = _source(roles, pair)
    if source is None and len(roles) > 1:
        detail = f"line {first.line} of {name} has {len(roles)} columns, and none is called source; {REMEDY}"
        raise InputError("invalid-table", detail, (name, first.line))
    rows = below if source is not None else records
    for row in rows:
        if len(row.cells) != len(roles):
            detail = f"line {row.line} of {name} has {len(row.cells)} columns, the first row has {len(roles)}"
            raise InputError("invalid-table", detail, (name, row.line))
    _check_alone(first, [row.cells for row in rows], roles, source, pair, name)
    texts = [row.cells[source or 0] for row in rows]
    sources = tuple(joined(text) if len(roles) > 1 else text for text in texts if text.strip())
    return SourceFile(sources, len(texts) - len(sources), None if source is None else first.cells[source].strip())


def _source(roles: Sequence[tuple[str | None, str | None]], pair: LanguagePair) -> int | None:
    """Position of the column whose heading names sources, or their language; None without a heading."""
    columns = [k for k, (role, _) in enumerate(roles) if role == SOURCE]
    tags = [k for k, (role, tag) in enumerate(roles) if role is None and tag is not None and same_language(tag, pair.source)]
    return next(iter(columns or tags), None)


def _check_alone(
    first: Record,
    rows: Sequence[Sequence[str]],
    roles: Sequence[tuple[str | None, str | None]],
    source: int | None,
    pair: LanguagePair,
    name: str,
) -> None:
    """InputError (`invalid-table`) if a column besides the source may hold translations or further sources."""
    if source is None:
        columns = [k for k, (role, _) in enumerate(roles) if role == TRANSLATION]
    else:
        kinds = [column_kind(rows, k) for k in range(len(roles))]
        omissions = omitted_columns(first.cells, roles, kinds, source, pair.target)
        columns = [k for k in range(len(roles)) if k != source and k not in omissions]
    if columns:
        heading = first.cells[columns[0]].strip()[:60]
        detail = (
            f"line {first.line} of {name}: column {columns[0] + 1} ({heading}) holds translations, and translate is for sources; "
            "leave the option or the column out"
        )
        raise InputError("invalid-table", detail, (name, first.line))


def _records(raw: bytes, name: str) -> list[Record]:
    """Rows of a table, or lines of a text as rows of one cell; InputError (`unknown-format`) for documents."""
    form = _table_format(raw, name)
    text = decode(raw, name).text
    if form is not None:
        return list(form.records(text, name))
    lines = [line.removesuffix("\r") for line in TextLines(text)]
    records = [Record(number, [line]) for number, line in enumerate(lines if lines[-1] else lines[:-1], 1)]
    first = next((record for record in records if record.cells[0].strip()), records[0])
    # A spreadsheet with one column quotes cells with commas.
    if heading_role(first.cells[0])[0] == SOURCE and '"' in text:
        try:
            cells = list(Csv().records(text, name))
        except InputError:
            return records
        return cells if all(len(record.cells) == 1 for record in cells) else records
    return records


class _HeadedCsv(Csv):
    """CSV whose heading names a source, a translation or two languages."""

    def _delimiter(self, text: str) -> str:
        return _heading_delimiter(text) or ","


def _heading_delimiter(text: str) -> str | None:
    """Delimiter of a CSV table by its heading, or by quotes around three cells; None for other texts."""
    line = next((line for line in TextLines(text[:LONGEST_FIRST_LINE]) if line.strip()), "").removesuffix("\r")
    for delimiter in ",;":
        try:
            cells = next(csv.reader([line], delimiter=delimiter), [])
        except csv.Error:
            continue
        roles = [heading_role(cell) for cell in cells]
        languages = sum(role is None and language is not None for role, language in roles)
        is_heading = languages > 1 or any(role in (SOURCE, TRANSLATION) for role, _ in roles)
        if (len(cells) > 1 and is_heading) or (len(cells) > 2 and line.startswith('"')):
            return delimiter
    return None


def _table_format(raw: bytes, name: str) -> DelimitedFormat | None:
    """Format of a table; None for plain text. InputError (`unknown-format`) names any other format."""
    try:
        form = file_format(raw, name)
    except InputError as error:
        if error.code != "unknown-format" or foreign_kind(raw) is not None:
            raise
        text = decode(raw, name).text
        if Sample(text).root:
            raise _refusal("markup", name) from None
        if JSON_LIST.match(text):
            raise _refusal("a list in JSON", name) from None
        return None if _heading_delimiter(text) is None else _HeadedCsv()
    if not isinstance(form, DelimitedFormat):
        raise _refusal(form.title, name)
    return form


def _refusal(kind: str, name: str) -> InputError:
    return InputError("unknown-format", f"{name} is {kind}, whose segments have their translations; {REMEDY}", (name,))
