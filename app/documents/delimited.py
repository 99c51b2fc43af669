"""Tables in TSV and CSV, with a header or not; what is added are columns at the end of each record."""

import csv
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final

from app.documents.decoding import Decoded, decode, refuse
from app.documents.document import Mark, SegmentFile, Unit
from app.errors import InputError
from app.text.languages import LanguagePair
from app.text.tables import header_columns, header_pair

__all__ = ["COLUMNS", "annotate_csv", "annotate_tsv", "csv_delimiter", "read_csv", "read_tsv"]

COLUMNS: Final = ("assay_quality", "assay_score", "assay_low", "assay_high", "assay_band", "assay_warnings")
LONGEST_CELL: Final = 1_000_000
OUR_NUMBER: Final = re.compile(r"[01]\.\d{4}|")


@dataclass(frozen=True)
class Record:
    """One record: its cells, its place in the text without the line end, its first line from 1."""

    cells: Sequence[str]
    start: int
    end: int
    line: int


@dataclass(frozen=True)
class Records:
    """A table: where source and translation stand, whether the first record is a header, and whether our columns are there."""

    decoded: Decoded
    delimiter: str
    header: Sequence[str] | None
    body: Sequence[Record]
    source: int
    translation: int
    first: Record
    ours: bool


def read_tsv(raw: bytes, name: str, wanted: LanguagePair | None = None) -> SegmentFile:
    """Every row that has both texts."""
    return _read(_tsv(raw, name), "tsv")


def read_csv(raw: bytes, name: str, wanted: LanguagePair | None = None) -> SegmentFile:
    """Every row that has both texts."""
    return _read(_csv(raw, name), "csv")


def annotate_tsv(raw: bytes, name: str, marks: Sequence[Mark], wanted: LanguagePair | None = None) -> bytes:
    """The table with our columns behind its own."""
    return _annotate(_tsv(raw, name), marks)


def annotate_csv(raw: bytes, name: str, marks: Sequence[Mark], wanted: LanguagePair | None = None) -> bytes:
    """The table with our columns behind its own."""
    return _annotate(_csv(raw, name), marks)


def csv_delimiter(line: str) -> str | None:
    """The delimiter of a CSV file by its first line: one that makes a header we know, or else exactly two cells."""
    csv.field_size_limit(LONGEST_CELL)
    try:
        rows = {each: next(csv.reader([line], delimiter=each), []) for each in ",;"}
    except csv.Error:
        return None
    return next((each for each, row in rows.items() if header_columns(row)), None) or next(
        (each for each, row in rows.items() if len(row) == 2 and line.lstrip().startswith('"')), None
    )


def _tsv(raw: bytes, name: str) -> Records:
    decoded = decode(raw, name)
    records, at = [], 0
    for number, line in enumerate(decoded.text.split("\n"), 1):
        text = line.removesuffix("\r")
        if text:
            records.append(Record(text.split("\t"), at, at + len(text), number))
        at += len(line) + 1
    return _records(decoded, "\t", records, name)


def _csv(raw: bytes, name: str) -> Records:
    decoded = decode(raw, name)
    text = decoded.text
    lines = [each + "\n" for each in text.split("\n")]
    delimiter = csv_delimiter(lines[0]) or ","
    ends = [0]
    for each in lines:
        ends.append(ends[-1] + len(each))
    csv.field_size_limit(LONGEST_CELL)
    reader, records, line = csv.reader(lines, delimiter=delimiter, strict=True), [], 0
    try:
        for cells in reader:
            begin, line = line, reader.line_num
            end = min(ends[line], len(text) + 1) - 1
            end -= text[ends[begin] : end].endswith("\r")
            if cells:
                records.append(Record(cells, ends[begin], end, begin + 1))
    except csv.Error:
        detail = "this is not CSV: a quote is open or stands where none may"
        raise refuse("invalid-table", name, detail, text, min(ends[line], len(text))) from None
    return _records(decoded, delimiter, records, name)


def _records(decoded: Decoded, delimiter: str, records: Sequence[Record], name: str) -> Records:
    if not records:
        raise InputError("empty-input", "the file is empty; give a source and a translation per line", (name,))
    first = records[0]
    places = header_columns(first.cells)
    header, body = (first.cells, records[1:]) if places else (None, records)
    width = len(first.cells)
    bare = width == 2 + len(COLUMNS) and OUR_NUMBER.fullmatch(first.cells[2]) is not None
    if places is None and width != 2 and not bare:
        accepted = "a header that names source and translation, or two columns"
        detail = f"line 1, column 1: there are {width} columns and no such header; expected {accepted}"
        raise InputError("invalid-table", detail, (name, 1, 1))
    for record in body:
        if len(record.cells) != width:
            detail = f"line {record.line}, column 1: {len(record.cells)} columns, expected {width}"
            raise InputError("invalid-table", detail, (name, record.line, 1))
    ours = bare if header is None else tuple(header[-len(COLUMNS) :]) == COLUMNS
    return Records(decoded, delimiter, header, body, *(places or (0, 1)), first, ours)


def _kept(table: Records) -> list[Record]:
    return [each for each in table.body if each.cells[table.source].strip() and each.cells[table.translation].strip()]


def _read(table: Records, kind: str) -> SegmentFile:
    kept = _kept(table)
    units = tuple(Unit(_clean(each.cells[table.source]), _clean(each.cells[table.translation]), each.line) for each in kept)
    languages = header_pair(table.header, table.source, table.translation) if table.header else (None, None)
    return SegmentFile(kind, units, *languages, len(table.body) - len(kept))


def _clean(text: str) -> str:
    return " ".join(text.split())


def _annotate(table: Records, marks: Sequence[Mark]) -> bytes:
    text, header = table.decoded.text, table.header
    by_line = dict(zip((each.line for each in _kept(table)), marks, strict=True))

    def pieces() -> Iterator[str]:
        at = 0
        for record in [*([table.first] if header is not None else []), *table.body]:
            own = text[record.start : record.end]
            if table.ours:
                own = own.rsplit(table.delimiter, len(COLUMNS))[0]
            if header is not None and record is table.first:
                cells: Sequence[str] = COLUMNS
            else:
                cells = _cells(by_line.get(record.line))
            yield text[at : record.start] + table.delimiter.join([own, *cells])
            at = record.end
        yield text[at:]

    return table.decoded.encode("".join(pieces()))


def _cells(mark: Mark | None) -> Sequence[str]:
    """Cells that need no quotes with any delimiter."""
    if mark is None:
        return [""] * len(COLUMNS)
    band = "".join(c if c.isalnum() else "_" for c in mark.band.encode("ascii", "replace").decode())
    return [mark.number, f"{mark.score:.4f}", f"{mark.low:.4f}", f"{mark.high:.4f}", band, " ".join(mark.warnings)]
