"""Tables in TSV and CSV, with a header or not; what is added are columns at the end of each record."""

import csv
from abc import abstractmethod
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from typing import ClassVar, Final

from app.documents.decoding import Decoded, decode, refuse
from app.documents.document import Document, Mark, Unit, joined
from app.documents.format import Format, ReadOptions, Sample
from app.documents.line_format import BARS
from app.errors import InputError
from app.text.reading.headers import QUALITY_COLUMNS, Header, pair_columns
from app.text.reading.tables import Record, split_header

__all__ = ["Csv", "Tsv"]

LONGEST_CELL: Final = 1_000_000


@dataclass(frozen=True)
class Scan:
    """Records of a text, and where each begins and ends in it, its line end left out."""

    delimiter: str
    records: Sequence[Record]
    places: Sequence[tuple[int, int]]


class _Delimited(Format):
    """A table: every row is a unit, also one with an empty cell."""

    def read(self, raw: bytes, name: str, options: ReadOptions) -> Document:
        """Every row, its header left out."""
        decoded = decode(raw, name)
        scan = self._scan(decoded.text, name)
        header, rows = split_header(iter(scan.records), name)
        source, translation = header.names.index("source"), header.names.index("translation")
        units = tuple(Unit(joined(row.cells[source]), joined(row.cells[translation]), row.line) for row in rows)
        return Document(self.name, units, header.languages, write=partial(_written, decoded, scan, header))

    @abstractmethod
    def _scan(self, text: str, name: str) -> Scan: ...


def _written(decoded: Decoded, scan: Scan, header: Header, marks: Sequence[Mark]) -> bytes:
    """The table with our columns behind its own, in place of ours of before."""
    old = len(QUALITY_COLUMNS) if header.names[-len(QUALITY_COLUMNS) :] == QUALITY_COLUMNS else 0
    added = [*([QUALITY_COLUMNS] if header.named else []), *map(_cells, marks)]

    def pieces() -> Iterator[str]:
        at = 0
        for (start, end), cells in zip(scan.places, added, strict=True):
            own = decoded.text[start:end].rsplit(scan.delimiter, old)[0] if old else decoded.text[start:end]
            yield decoded.text[at:start] + scan.delimiter.join([own, *cells])
            at = end
        yield decoded.text[at:]

    return decoded.encode("".join(pieces()))


def _cells(mark: Mark) -> Sequence[str]:
    """Cells that need no quotes with any delimiter."""
    band = "".join(c if c.isalnum() else "_" for c in mark.band.encode("ascii", "replace").decode())
    return [mark.number, f"{mark.score:.4f}", f"{mark.low:.4f}", f"{mark.high:.4f}", band, " ".join(mark.warnings)]


class Tsv(_Delimited):
    """Lines of cells with tabs between them, which may hold no line end."""

    name: ClassVar = "tsv"
    title: ClassVar = "TSV table"
    suffix: ClassVar = "tsv"
    media_type: ClassVar = "text/tab-separated-values"

    def recognises(self, sample: Sample) -> bool:
        """There are tabs in the first line."""
        return sample.holds_cells

    def _scan(self, text: str, name: str) -> Scan:
        records, places, at = [], [], 0
        for number, line in enumerate(text.split("\n"), 1):
            content = line.removesuffix("\r")
            if content:
                records.append(Record(number, content.split("\t")))
                places.append((at, at + len(content)))
            at += len(line) + 1
        return Scan("\t", records, places)


class Csv(_Delimited):
    """Cells with commas or semicolons between them, in quotes where they hold such or line ends."""

    name: ClassVar = "csv"
    title: ClassVar = "CSV table"
    suffix: ClassVar = "csv"
    media_type: ClassVar = "text/csv"

    def recognises(self, sample: Sample) -> bool:
        """The first line is a header with one of the delimiters, or two cells of which the first is in quotes."""
        first = sample.lines[0]
        return not sample.holds_objects and BARS not in first and _csv_delimiter(first) is not None

    def _scan(self, text: str, name: str) -> Scan:
        lines = [line + "\n" for line in text.split("\n")]
        delimiter = _csv_delimiter(next((line for line in lines if line.strip()), "")) or ","
        ends = [0]
        for text_line in lines:
            ends.append(ends[-1] + len(text_line))
        csv.field_size_limit(LONGEST_CELL)
        reader, line = csv.reader(lines, delimiter=delimiter, strict=True), 0
        records, places = [], []
        try:
            for cells in reader:
                begin, line = line, reader.line_num
                end = min(ends[line], len(text) + 1) - 1
                end -= text[ends[begin] : end].endswith("\r")
                if cells:
                    records.append(Record(begin + 1, cells))
                    places.append((ends[begin], end))
        except csv.Error:
            detail = "this is not CSV: a quote is open or stands where none may"
            raise refuse("invalid-table", name, detail, text, min(ends[line], len(text))) from None
        return Scan(delimiter, records, places)


def _csv_delimiter(line: str) -> str | None:
    """The delimiter of a CSV file by its first line: one that makes a header we know, or else a table without a header."""
    csv.field_size_limit(LONGEST_CELL)
    try:
        rows = {delimiter: next(csv.reader([line], delimiter=delimiter), []) for delimiter in ",;"}
    except csv.Error:
        return None
    named = next((delimiter for delimiter, row in rows.items() if pair_columns(row)), None)
    return named or next((delimiter for delimiter, row in rows.items() if line.lstrip().startswith('"') and _is_bare(row)), None)


def _is_bare(row: Sequence[str]) -> bool:
    try:
        return not Header.of(row, "").named
    except InputError:
        return False
