"""Tables in TSV and CSV, with or without a header; quality is written in columns at the end of each record."""

import csv
import re
from abc import abstractmethod
from array import array
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import chain
from typing import ClassVar, Final

from app.documents.document import Document, QualityMark, Unit, counted, joined
from app.documents.format import FileFormat, ReadOptions, Sample
from app.documents.line_format import BARS
from app.documents.retexting import Edit, PlacedLetters, Revision, add_spelled, apply_edits, edits_of, edits_of_units, plain_edits
from app.documents.text_lines import QUOTED_CELL, CsvLines, TextLines, is_wide
from app.errors import InputError
from app.running.deadline import awaited
from app.text.reading.encodings import DecodedText, decode, refuse
from app.text.reading.headers import CORRECTION_COLUMN, QUALITY_COLUMNS, Header, pair_columns, split_cells
from app.text.reading.lines import filled_lines
from app.text.reading.tables import SEPARATOR_LINE, Record, split_header

__all__ = ["Csv", "DelimitedFormat", "Tsv"]

LONGEST_CELL: Final = 1_000_000
# First line by which spreadsheets declare their delimiter.
SEPARATOR: Final = re.compile(r'"?sep=([,;|])"?')
DOUBLE_QUOTE: Final = re.compile('""')
# Numbers with decimals, with or without separated thousands.
WITH_COMMA: Final = re.compile(r"[-+\u2212]?\d[\d.'\u00a0\u202f]*+,\d++ ?%?")
WITH_POINT: Final = re.compile(r"[-+\u2212]?\d[\d,'\u00a0\u202f]*+\.\d++ ?%?")
LONGEST_NUMBER: Final = 40


@dataclass
class _NumberStyle:
    """Decimal mark of a table, observed in some of its columns while rows are read."""

    columns: Sequence[int]
    with_comma: bool = False
    with_point: bool = False

    def observe(self, cells: Sequence[str]) -> None:
        """Observe a row."""
        for cell in (cells[k].strip() for k in self.columns if len(cells[k]) <= LONGEST_NUMBER):
            self.with_comma = self.with_comma or WITH_COMMA.fullmatch(cell) is not None
            self.with_point = self.with_point or WITH_POINT.fullmatch(cell) is not None

    @property
    def point(self) -> str:
        """Decimal mark: a comma if some numbers have one and none has a point."""
        return "," if self.with_comma and not self.with_point else "."


def _further_columns(header: Header) -> list[int]:
    """Positions of columns that are neither texts nor quality."""
    quality = range(0) if header.quality is None else range(header.quality, header.quality + header.quality_width)
    return [k for k, name in enumerate(header.names) if name not in ("source", "translation") and k not in quality]


class DelimitedFormat(FileFormat):
    """A table: every row is a unit, also one with an empty cell."""

    def read(self, raw: bytes, name: str, options: ReadOptions) -> Document:
        """Read every row below the header."""
        file = decode(raw, name)
        bounds = array("q")
        delimiter = self._delimiter(file.text)
        records = self._records(file.text, delimiter, name, bounds)
        header, rows = split_header(records, name, has_heading=options.header, order=options.order)
        source, translation = header.names.index("source"), header.names.index("translation")
        # Quality with decimal commas would need quotes in a table with commas between cells.
        numbers = _NumberStyle(_further_columns(header) if delimiter == ";" else ())

        def pairs() -> Iterator[Unit]:
            for row in rows:
                numbers.observe(row.cells)
                yield Unit(joined(row.cells[source]), joined(row.cells[translation]), row.line)

        units = tuple(counted(pairs(), options.limit, name))
        reading = header.reading
        languages = reading.languages if reading else (None, None)
        # Bounds of each row; a header is no unit.
        rows_at = bounds[2:] if header.has_names else bounds
        return Document(
            self.name, units, languages, reading=reading,
            write=partial(_write_marks, file, delimiter, bounds, header, numbers),
            retext=partial(self._with_texts, file, delimiter, rows_at, translation),
            holds_comment=partial(_holds_comment, file, header),
        )  # fmt: skip

    def _with_texts(
        self, file: DecodedText, delimiter: str, bounds: Sequence[int], column: int, texts: Mapping[int, Revision]
    ) -> tuple[bytes, frozenset[int]]:
        """Table with new texts in the column of translations; and the rows that cannot hold theirs."""

        def row_edits(row: int, revision: Revision) -> list[Edit] | None:
            begin, end = bounds[2 * row], bounds[2 * row + 1]
            cell = self._cell(file.text, begin, end, delimiter, column) if file.can_hold(revision.text) else None
            return None if cell is None else self._cell_edits(file.text, *cell, delimiter, revision.text)

        edits, failures = edits_of_units(texts, row_edits)
        return file.encode(apply_edits(file.text, edits)), failures

    def _cell(self, text: str, begin: int, end: int, delimiter: str, column: int) -> tuple[int, int] | None:
        """Begin and end of a cell of a record; None if the record has fewer cells."""
        at = begin
        for _ in range(column):
            at = self._cell_end(text, at, end, delimiter) + 1
            if at > end:
                return None
        return at, self._cell_end(text, at, end, delimiter)

    @abstractmethod
    def _cell_end(self, text: str, at: int, end: int, delimiter: str) -> int:
        """End of the cell that begins at `at`, in a record that ends at `end`."""

    @abstractmethod
    def _cell_edits(self, text: str, begin: int, end: int, delimiter: str, new: str) -> list[Edit]:
        """Edits that replace the text of a cell."""

    def columns(self, raw: bytes, name: str) -> dict[str, list[str]]:
        """Columns of raw cells by their headings; columns without a name are left out."""
        text = decode(raw, name).text
        header, rows = split_header(self._records(text, self._delimiter(text), name, array("q")), name)
        cells = [row.cells for row in rows]
        return {heading: [row[k] for row in cells] for k, heading in enumerate(header.names) if heading}

    def records(self, text: str, name: str) -> Iterator[Record]:
        """Yield the rows of a text, with a heading as the first one."""
        return self._records(text, self._delimiter(text), name, array("q"))

    @abstractmethod
    def _delimiter(self, text: str) -> str: ...

    @abstractmethod
    def _records(self, text: str, delimiter: str, name: str, bounds: "array[int]") -> Iterator[Record]:
        """Yield the records of a text; `bounds` receives the begin and end of each, without its line end."""


def _holds_comment(file: DecodedText, header: Header, comment: str) -> bool:
    """Return True if a comment can be written: only a heading can name a column of comments."""
    return header.has_names and file.can_hold(comment)


def _write_marks(
    file: DecodedText, delimiter: str, bounds: Sequence[int], header: Header, numbers: _NumberStyle, marks: Sequence[QualityMark]
) -> bytes:
    """Write quality columns at the end of each record, or in place of earlier quality columns."""
    with_comments = any(mark.comment for mark in marks)
    columns = (*QUALITY_COLUMNS, CORRECTION_COLUMN) if with_comments else QUALITY_COLUMNS
    first = header.quality
    cells_of = partial(_cells, numbers.point, delimiter if with_comments else None)
    rows = chain([columns] if header.has_names else [], map(cells_of, marks))

    def pieces() -> Iterator[str]:
        at = 0
        for start, end, cells in zip(bounds[::2], bounds[1::2], awaited(rows), strict=True):
            record, rest = file.text[start:end], ""
            if first is not None:
                record, rest = _around(record, delimiter, first, header.quality_width)
            yield file.text[at:start] + delimiter.join([record, *cells]) + rest
            at = end
        yield file.text[at:]

    return file.encode("".join(pieces()))


def _around(record: str, delimiter: str, first: int, count: int) -> tuple[str, str]:
    """Split a record around `count` cells from cell `first`; the second part begins with a delimiter.

    Cells may have quotes with delimiters inside. Quality is never in the first column.
    """
    at, begin = 0, 0
    for k in range(first + count):
        if k == first:
            begin = at
        cell = QUOTED_CELL.match(record, at) if delimiter != "\t" else None
        end = cell.end() if cell else record.find(delimiter, at)
        at = (len(record) if end < 0 else end) + 1
    return record[: begin - 1], record[at - 1 :]


def _cells(point: str, delimiter: str | None, mark: QualityMark) -> Sequence[str]:
    """Quality cells of a mark, with `point` as decimal mark; a comment follows, quoted for `delimiter`, unless that is None."""
    comment = [] if delimiter is None else [mark.comment if delimiter == "\t" else _quoted(mark.comment)]
    band = "".join(c if c.isalnum() else "_" for c in mark.band.encode("ascii", "replace").decode())
    numbers = [mark.number, *(f"{number:.4f}" for number in (mark.score, mark.low, mark.high))]
    return [*(number.replace(".", point) for number in numbers), band, " ".join(mark.warnings), *comment]


def _quoted(cell: str) -> str:
    content = cell.replace('"', '""')
    return f'"{content}"'


class Tsv(DelimitedFormat):
    """Lines of cells with tabs between them; a cell holds no line end."""

    name: ClassVar = "tsv"
    title: ClassVar = "TSV table"
    suffix: ClassVar = "tsv"
    media_type: ClassVar = "text/tab-separated-values"

    def recognises(self, sample: Sample) -> bool:
        """Return True if the first line has tabs."""
        return sample.holds_cells

    def _delimiter(self, text: str) -> str:
        return "\t"

    def _cell_end(self, text: str, at: int, end: int, delimiter: str) -> int:
        tab = text.find(delimiter, at, end)
        return end if tab < 0 else tab

    def _cell_edits(self, text: str, begin: int, end: int, delimiter: str, new: str) -> list[Edit]:
        return plain_edits(text, begin, end, new) or [Edit(begin, end, new)]

    def _records(self, text: str, delimiter: str, name: str, bounds: "array[int]") -> Iterator[Record]:
        lines = TextLines(text)
        for number, content in filled_lines((line.removesuffix("\r") for line in lines), name):
            if number == 1 and content == SEPARATOR_LINE:
                continue
            bounds.extend((lines.begin, lines.begin + len(content)))
            yield Record(number, split_cells(content, name, number))


class Csv(DelimitedFormat):
    """Cells with commas or semicolons between them; cells that hold delimiters or line ends have quotes."""

    name: ClassVar = "csv"
    title: ClassVar = "CSV table"
    suffix: ClassVar = "csv"
    media_type: ClassVar = "text/csv"

    def recognises(self, sample: Sample) -> bool:
        """Return True if the first line is a header with a delimiter, or a bare row that begins with a quote."""
        first = sample.lines[0]
        return not sample.holds_objects and BARS not in first and _csv_delimiter(first) is not None

    def _cell_end(self, text: str, at: int, end: int, delimiter: str) -> int:
        cell = QUOTED_CELL.match(text, at, end)
        stop = text.find(delimiter, at if cell is None else cell.end(), end)
        return end if stop < 0 else stop

    def _cell_edits(self, text: str, begin: int, end: int, delimiter: str, new: str) -> list[Edit]:
        cell = QUOTED_CELL.match(text, begin, end)
        if cell is None or cell.end() != end:
            # A cell with blanks at its ends is safer in quotes.
            bare = not any(character in new for character in f'{delimiter}"') and new == new.strip()
            return [Edit(begin, end, new if bare else _quoted(new))]
        letters = PlacedLetters()
        add_spelled(letters, text, begin + 1, end - 1, DOUBLE_QUOTE, lambda quotes: '"')
        edits = edits_of(letters, new, lambda text: text.replace('"', '""'))
        return [Edit(begin, end, _quoted(new))] if edits is None else edits

    def _delimiter(self, text: str) -> str:
        return _csv_delimiter(next((line for line in TextLines(text) if line.strip()), "")) or ","

    def _records(self, text: str, delimiter: str, name: str, bounds: "array[int]") -> Iterator[Record]:
        csv.field_size_limit(LONGEST_CELL)
        lines = CsvLines(text, delimiter, name)
        reader = csv.reader((line + "\n" for line in lines), delimiter=delimiter, strict=True)
        try:
            for cells in reader:
                begin, end = lines.record_begin, lines.end
                # A reader of CSV counts all of them to the line end.
                while end > begin and text[end - 1] == "\r":
                    end -= 1
                if cells and not (begin == 0 and SEPARATOR.fullmatch(text[:end])):
                    bounds.extend((begin, end))
                    yield Record(lines.record_line, cells)
                lines.begin_record()
        except csv.Error:
            detail = "this is not CSV: a quote is open or misplaced; close it, or double it inside a cell"
            raise refuse("invalid-table", name, detail, text, min(lines.record_begin, len(text))) from None


def _csv_delimiter(line: str) -> str | None:
    """Delimiter of a CSV file by its first line: declared, or between known headings, or of a bare table; else None."""
    if declaration := SEPARATOR.fullmatch(line.strip()):
        return declaration[1]
    csv.field_size_limit(LONGEST_CELL)
    try:
        rows = {
            delimiter: [] if is_wide(line, 0, len(line), delimiter) else next(csv.reader([line], delimiter=delimiter), [])
            for delimiter in ",;"
        }
    except csv.Error:
        return None
    delimiter_of_header = next((delimiter for delimiter, row in rows.items() if pair_columns(row)), None)
    return delimiter_of_header or next(
        (delimiter for delimiter, row in rows.items() if line.lstrip().startswith('"') and _is_bare(row)), None
    )


def _is_bare(row: Sequence[str]) -> bool:
    """Return True if a row could begin a table without a known header."""
    try:
        return pair_columns(row) is None and Header.of(row, "").quality in (None, 2)
    except InputError:
        return False
