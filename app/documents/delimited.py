"""Tables in TSV and CSV, with a header or not; what is added are columns at the end of each record."""

import csv
import re
from abc import abstractmethod
from array import array
from collections.abc import Iterator, Sequence
from functools import partial
from itertools import chain
from typing import ClassVar, Final

from app.documents.decoding import Decoded, decode, refuse
from app.documents.document import Document, Mark, Unit, counted, joined
from app.documents.format import Format, ReadOptions, Sample
from app.documents.line_format import BARS
from app.documents.text_lines import TextLines
from app.errors import InputError
from app.text.reading.headers import QUALITY_COLUMNS, Header, pair_columns
from app.text.reading.tables import Record, split_header

__all__ = ["Csv", "Tsv"]

LONGEST_CELL: Final = 1_000_000
QUOTED_CELL: Final = re.compile(r'"(?:[^"]++|"")*+"')


class _Delimited(Format):
    """A table: every row is a unit, also one with an empty cell."""

    def read(self, raw: bytes, name: str, options: ReadOptions) -> Document:
        """Every row, its header left out."""
        decoded, places = decode(raw, name), array("q")
        delimiter = self._delimiter(decoded.text)
        header, rows = split_header(self._records(decoded.text, delimiter, name, places), name)
        source, translation = header.names.index("source"), header.names.index("translation")
        pairs = (Unit(joined(row.cells[source]), joined(row.cells[translation]), row.line) for row in rows)
        units = tuple(counted(pairs, options.most, name))
        return Document(self.name, units, header.languages, write=partial(_written, decoded, delimiter, places, header))

    @abstractmethod
    def _delimiter(self, text: str) -> str: ...

    @abstractmethod
    def _records(self, text: str, delimiter: str, name: str, places: "array[int]") -> Iterator[Record]:
        """The records of a text; `places` gets where each begins and ends in it, its line end left out."""


def _written(decoded: Decoded, delimiter: str, places: Sequence[int], header: Header, marks: Sequence[Mark]) -> bytes:
    """The table with our columns behind its own, in place of ours of before."""
    old = len(QUALITY_COLUMNS) if header.names[-len(QUALITY_COLUMNS) :] == QUALITY_COLUMNS else 0
    added = chain([QUALITY_COLUMNS] if header.named else [], map(_cells, marks))

    def pieces() -> Iterator[str]:
        at = 0
        for start, end, cells in zip(places[::2], places[1::2], added, strict=True):
            own = decoded.text[start:end]
            if old:
                own = _without_last(own, delimiter, old, len(header.names))
            yield decoded.text[at:start] + delimiter.join([own, *cells])
            at = end
        yield decoded.text[at:]

    return decoded.encode("".join(pieces()))


def _without_last(record: str, delimiter: str, count: int, width: int) -> str:
    """A record without its last cells; somebody may have put quotes around them, and delimiters into them."""
    own, *last = record.rsplit(delimiter, count)
    if delimiter == "\t" or not any('"' in cell for cell in last):
        return own
    at = 0
    for _ in range(width - count):
        cell = QUOTED_CELL.match(record, at)
        at = (cell.end() if cell else record.find(delimiter, at)) + 1
    return record[: at - 1]


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

    def _delimiter(self, text: str) -> str:
        return "\t"

    def _records(self, text: str, delimiter: str, name: str, places: "array[int]") -> Iterator[Record]:
        lines = TextLines(text)
        for number, line in enumerate(lines, 1):
            content = line.removesuffix("\r")
            if content:
                places.extend((lines.begin, lines.begin + len(content)))
                yield Record(number, content.split(delimiter))


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

    def _delimiter(self, text: str) -> str:
        return _csv_delimiter(next((line for line in TextLines(text) if line.strip()), "")) or ","

    def _records(self, text: str, delimiter: str, name: str, places: "array[int]") -> Iterator[Record]:
        csv.field_size_limit(LONGEST_CELL)
        lines = TextLines(text)
        reader = csv.reader((line + "\n" for line in lines), delimiter=delimiter, strict=True)
        begin, number = 0, 1
        try:
            for cells in reader:
                end = lines.end
                # All of them are the line's end to a reader of CSV.
                while end > begin and text[end - 1] == "\r":
                    end -= 1
                if cells:
                    places.extend((begin, end))
                    yield Record(number, cells)
                begin, number = lines.end + 1, reader.line_num + 1
        except csv.Error:
            detail = "this is not CSV: a quote is open or stands where none may"
            raise refuse("invalid-table", name, detail, text, min(begin, len(text))) from None


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
