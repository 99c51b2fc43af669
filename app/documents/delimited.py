"""Tables in TSV and CSV, with a header or not; what is added are columns at the end of each record."""

import csv
import re
from abc import abstractmethod
from array import array
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import chain
from typing import ClassVar, Final

from app.documents.document import Document, Mark, Unit, counted, joined
from app.documents.format import Format, ReadOptions, Sample
from app.documents.line_format import BARS, plain_edits
from app.documents.retexting import Letters, Revised, add_spelled, changes
from app.documents.text_lines import TextLines
from app.documents.xml.markup import Edit, apply_edits
from app.errors import InputError
from app.running.deadline import awaited
from app.text.reading.encodings import Decoded, decode, refuse
from app.text.reading.headers import CORRECTION_COLUMN, QUALITY_COLUMNS, Header, pair_columns
from app.text.reading.tables import SEPARATOR_LINE, Record, split_header

__all__ = ["Csv", "Tsv"]

LONGEST_CELL: Final = 1_000_000
# The first line by which spreadsheets say what stands between cells.
SEPARATOR: Final = re.compile(r'"?sep=([,;|])"?')
DOUBLED: Final = re.compile('""')
# Numbers with decimals, thousands apart or not.
WITH_COMMA: Final = re.compile(r"[-+\u2212]?\d[\d.'\u00a0\u202f]*+,\d++ ?%?")
WITH_POINT: Final = re.compile(r"[-+\u2212]?\d[\d,'\u00a0\u202f]*+\.\d++ ?%?")
LONGEST_NUMBER: Final = 40
QUOTED_CELL: Final = re.compile(r'"(?:[^"]++|"")*+"')


@dataclass
class _OwnNumbers:
    """How a table writes the numbers in some of its columns, told while its rows are read."""

    columns: Sequence[int]
    with_comma: bool = False
    with_point: bool = False

    def look_at(self, cells: Sequence[str]) -> None:
        """One more row."""
        for cell in (cells[k].strip() for k in self.columns if len(cells[k]) <= LONGEST_NUMBER):
            self.with_comma = self.with_comma or WITH_COMMA.fullmatch(cell) is not None
            self.with_point = self.with_point or WITH_POINT.fullmatch(cell) is not None

    @property
    def point(self) -> str:
        """What stands before decimals: a comma only where some have it, and none has a point."""
        return "," if self.with_comma and not self.with_point else "."


def _own_columns(header: Header) -> list[int]:
    """The places of columns that are neither texts nor ours."""
    ours = range(0) if header.quality is None else range(header.quality, header.quality + header.quality_width)
    return [k for k, name in enumerate(header.names) if name not in ("source", "translation") and k not in ours]


class _Delimited(Format):
    """A table: every row is a unit, also one with an empty cell."""

    def read(self, raw: bytes, name: str, options: ReadOptions) -> Document:
        """Every row, its header left out."""
        decoded, places = decode(raw, name), array("q")
        delimiter = self._delimiter(decoded.text)
        records = self._records(decoded.text, delimiter, name, places)
        header, rows = split_header(records, name, stated=options.header, order=options.order)
        source, translation = header.names.index("source"), header.names.index("translation")
        # No cell of ours that has a comma may need quotes.
        numbers = _OwnNumbers(_own_columns(header) if delimiter == ";" else ())

        def pairs() -> Iterator[Unit]:
            for row in rows:
                numbers.look_at(row.cells)
                yield Unit(joined(row.cells[source]), joined(row.cells[translation]), row.line)

        units = tuple(counted(pairs(), options.most, name))
        reading = header.reading
        languages = reading.languages if reading else (None, None)
        # Where each row is; a header is no unit.
        rows_at = places[2:] if header.named else places
        return Document(
            self.name, units, languages, reading=reading,
            write=partial(_written, decoded, delimiter, places, header, numbers),
            retext=partial(self._with_texts, decoded, delimiter, rows_at, translation),
            holds_comment=partial(_holds_comment, decoded, header),
        )  # fmt: skip

    def _with_texts(
        self, decoded: Decoded, delimiter: str, places: Sequence[int], column: int, texts: Mapping[int, Revised]
    ) -> tuple[bytes, frozenset[int]]:
        """The table with other texts in the column of translations of some rows."""
        text, edits, left = decoded.text, [], set()
        for place, revised in awaited(texts.items()):
            begin, end = places[2 * place], places[2 * place + 1]
            cell = self._cell(text, begin, end, delimiter, column) if decoded.can_hold(revised.text) else None
            if cell is None:
                left.add(place)
            else:
                edits += self._cell_edits(text, *cell, delimiter, revised.text)
        return decoded.encode(apply_edits(text, edits)), frozenset(left)

    def _cell(self, text: str, begin: int, end: int, delimiter: str, column: int) -> tuple[int, int] | None:
        """Where a cell of a record begins and ends; None where it has none such."""
        at = begin
        for _ in range(column):
            at = self._cell_end(text, at, end, delimiter) + 1
            if at > end:
                return None
        return at, self._cell_end(text, at, end, delimiter)

    @abstractmethod
    def _cell_end(self, text: str, at: int, end: int, delimiter: str) -> int:
        """Where the cell ends that begins here, in a record that ends at `end`."""

    @abstractmethod
    def _cell_edits(self, text: str, begin: int, end: int, delimiter: str, new: str) -> list[Edit]:
        """What puts another text into a cell."""

    def columns(self, raw: bytes, name: str) -> dict[str, list[str]]:
        """All cells by their headings, as they stand; a heading without a name is left out."""
        text = decode(raw, name).text
        header, rows = split_header(self._records(text, self._delimiter(text), name, array("q")), name)
        cells = [row.cells for row in rows]
        return {heading: [row[k] for row in cells] for k, heading in enumerate(header.names) if heading}

    @abstractmethod
    def _delimiter(self, text: str) -> str: ...

    @abstractmethod
    def _records(self, text: str, delimiter: str, name: str, places: "array[int]") -> Iterator[Record]:
        """The records of a text; `places` gets where each begins and ends in it, its line end left out."""


def _holds_comment(decoded: Decoded, header: Header, comment: str) -> bool:
    """Without a heading nothing would tell a column of comments."""
    return header.named and decoded.can_hold(comment)


def _written(
    decoded: Decoded, delimiter: str, places: Sequence[int], header: Header, numbers: _OwnNumbers, marks: Sequence[Mark]
) -> bytes:
    """The table with our columns behind its own, or in place of ours of before wherever those stand."""
    with_comments = any(mark.comment for mark in marks)
    columns = (*QUALITY_COLUMNS, CORRECTION_COLUMN) if with_comments else QUALITY_COLUMNS
    old = header.quality
    cells_of = partial(_cells, numbers.point, delimiter if with_comments else None)
    added = chain([columns] if header.named else [], map(cells_of, marks))

    def pieces() -> Iterator[str]:
        at = 0
        for start, end, cells in zip(places[::2], places[1::2], awaited(added), strict=True):
            own, behind = decoded.text[start:end], ""
            if old is not None:
                own, behind = _around(own, delimiter, old, header.quality_width)
            yield decoded.text[at:start] + delimiter.join([own, *cells]) + behind
            at = end
        yield decoded.text[at:]

    return decoded.encode("".join(pieces()))


def _around(record: str, delimiter: str, first: int, count: int) -> tuple[str, str]:
    """A record before its cell `first` and behind `count` cells from there, a delimiter in front of what is behind.

    Somebody may have put quotes around any of them, and delimiters into them. The first column is never one of ours.
    """
    at, begin = 0, 0
    for k in range(first + count):
        if k == first:
            begin = at
        cell = QUOTED_CELL.match(record, at) if delimiter != "\t" else None
        end = cell.end() if cell else record.find(delimiter, at)
        at = (len(record) if end < 0 else end) + 1
    return record[: begin - 1], record[at - 1 :]


def _cells(point: str, delimiter: str | None, mark: Mark) -> Sequence[str]:
    """Cells that need no quotes, with `point` before decimals, and a comment as the `delimiter` wants it, where there is one."""
    comment = [] if delimiter is None else [mark.comment if delimiter == "\t" else _quoted(mark.comment)]
    band = "".join(c if c.isalnum() else "_" for c in mark.band.encode("ascii", "replace").decode())
    numbers = [mark.number, *(f"{number:.4f}" for number in (mark.score, mark.low, mark.high))]
    return [*(number.replace(".", point) for number in numbers), band, " ".join(mark.warnings), *comment]


def _quoted(cell: str) -> str:
    doubled = cell.replace('"', '""')
    return f'"{doubled}"'


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

    def _cell_end(self, text: str, at: int, end: int, delimiter: str) -> int:
        tab = text.find(delimiter, at, end)
        return end if tab < 0 else tab

    def _cell_edits(self, text: str, begin: int, end: int, delimiter: str, new: str) -> list[Edit]:
        return plain_edits(text, begin, end, new) or [Edit(begin, end, new)]

    def _records(self, text: str, delimiter: str, name: str, places: "array[int]") -> Iterator[Record]:
        lines = TextLines(text)
        for number, line in enumerate(lines, 1):
            content = line.removesuffix("\r")
            if number == 1 and content == SEPARATOR_LINE:
                continue
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

    def _cell_end(self, text: str, at: int, end: int, delimiter: str) -> int:
        cell = QUOTED_CELL.match(text, at, end)
        stop = text.find(delimiter, at if cell is None else cell.end(), end)
        return end if stop < 0 else stop

    def _cell_edits(self, text: str, begin: int, end: int, delimiter: str, new: str) -> list[Edit]:
        cell = QUOTED_CELL.match(text, begin, end)
        if cell is None or cell.end() != end:
            # What begins or ends so is safer in quotes.
            bare = not any(character in new for character in f'{delimiter}"') and new == new.strip()
            return [Edit(begin, end, new if bare else _quoted(new))]
        letters = Letters()
        add_spelled(letters, text, begin + 1, end - 1, DOUBLED, lambda twice: '"')
        made = changes(letters, new)
        if made is None:
            return [Edit(begin, end, _quoted(new))]
        return [Edit(change.start, change.end, change.text.replace('"', '""')) for change in made]

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
                if cells and not (begin == 0 and SEPARATOR.fullmatch(text[:end])):
                    places.extend((begin, end))
                    yield Record(number, cells)
                begin, number = lines.end + 1, reader.line_num + 1
        except csv.Error:
            detail = "this is not CSV: a quote is open or stands where none may"
            raise refuse("invalid-table", name, detail, text, min(begin, len(text))) from None


def _csv_delimiter(line: str) -> str | None:
    """The delimiter of a CSV file by its first line: as it says, one that makes a header we know, or else of a bare table."""
    if stated := SEPARATOR.fullmatch(line.strip()):
        return stated[1]
    csv.field_size_limit(LONGEST_CELL)
    try:
        rows = {delimiter: next(csv.reader([line], delimiter=delimiter), []) for delimiter in ",;"}
    except csv.Error:
        return None
    named = next((delimiter for delimiter, row in rows.items() if pair_columns(row)), None)
    return named or next((delimiter for delimiter, row in rows.items() if line.lstrip().startswith('"') and _is_bare(row)), None)


def _is_bare(row: Sequence[str]) -> bool:
    """Whether a row could be the first of a table without a header that is known."""
    try:
        return pair_columns(row) is None and Header.of(row, "").quality in (None, 2)
    except InputError:
        return False
