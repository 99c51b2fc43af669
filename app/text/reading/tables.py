"""Reader of tables: tab-separated rows with or without a header, lines of several files side by side, single columns.

An empty line of a table is no row, but a row may have empty cells: a segment with an empty text. Lines of files beside a table
are matched to its rows, so an empty line of such a table is an error. In files of lines an empty line is an empty segment.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain
from operator import itemgetter
from pathlib import Path
from types import MappingProxyType
from typing import Final, NamedTuple

from app.errors import InputError
from app.text.reading.columns import Order, TableReading, heading_roles
from app.text.reading.headers import Header, no_column, shown_names, split_cells
from app.text.reading.headings import ROW_LIMIT
from app.text.reading.lines import LineSource, TextFile, filled_lines, side_by_side
from app.text.reading.numbers import finite_number
from app.text.reading.objects import object_column

__all__ = [
    "SEPARATOR_LINE",
    "Record",
    "Table",
    "TableStream",
    "open_lines",
    "open_table",
    "read_column",
    "read_systems",
    "split_header",
]

PEEK_CHARACTERS: Final = 1_000_000
# First line by which a spreadsheet declares its delimiter.
SEPARATOR_LINE: Final = "sep=\t"
NO_FILES: Final[Mapping[str, LineSource]] = MappingProxyType({})


class Record(NamedTuple):
    """One row of a table, and its first line, from 1."""

    line: int
    cells: Sequence[str]


@dataclass(frozen=True)
class Table:
    """Columns of text by name, of equal length; `languages` of source and translation, if the headings name them."""

    columns: Mapping[str, Sequence[str]]
    languages: tuple[str | None, str | None] = (None, None)

    def __len__(self) -> int:
        return len(next(iter(self.columns.values()), ()))

    def __getitem__(self, name: str) -> Sequence[str]:
        if name not in self.columns:
            raise no_column(name, tuple(self.columns), (name,))
        return self.columns[name]

    def numbers(self, name: str) -> list[float]:
        """Column of finite numbers; InputError (`invalid-table`) names the column and the row, from 0.

        If no cell has a point, commas are decimal commas, as in many spreadsheets.
        """
        cells = self[name]
        with_comma = not any("." in cell for cell in cells)
        return [_number(cell, name, row, with_comma) for row, cell in enumerate(cells)]


@dataclass(frozen=True)
class TableStream:
    """A table that is read once, row by row: names of columns, rows of cells in their order, and the interpretation."""

    names: tuple[str, ...]
    rows: Iterator[tuple[str, ...]]
    reading: TableReading | None = None

    @property
    def languages(self) -> tuple[str | None, str | None]:
        """Languages of source and translation in the heading, None if it names none."""
        return (None, None) if self.reading is None else self.reading.languages

    def select(self, names: Sequence[str]) -> Iterator[tuple[str, ...]]:
        """Rows of these columns; InputError (`invalid-table`) if a column is missing."""
        missing = next((name for name in names if name not in self.names), None)
        if missing is not None:
            raise no_column(missing, self.names, (missing,))
        places = [self.names.index(name) for name in names]
        return (tuple(row[k] for k in places) for row in self.rows)

    def read(self) -> Table:
        """Read all rows."""
        columns = [list(column) for column in zip(*self.rows, strict=True)] or [[] for _ in self.names]
        return Table(dict(zip(self.names, columns, strict=True)), self.languages)


def _number(cell: str, name: str, row: int, with_comma: bool) -> float:
    value = finite_number(cell.replace(",", ".") if with_comma and cell.count(",") == 1 else cell)
    if value is None:
        raise InputError("invalid-table", f"the cell of row {row + 1} is not a finite number", (name,))
    return value


def split_header(
    records: Iterator[Record],
    name: str,
    required: Sequence[str] | None = None,
    has_heading: bool | None = None,
    order: Order | None = None,
) -> tuple[Header, Iterator[Record]]:
    """Header of a table and the rows below it, all of its width.

    The header has the `required` columns by their names, if any are required. Otherwise it names source and translation, or the
    first rows, `has_heading` and `order` decide. InputError: `empty-input` without a record, `invalid-table` with the line.
    """
    first = next(records, None)
    if first is None:
        content = "a source and a translation per line" if required is None else "a header and rows"
        raise InputError("empty-input", f"{name} is empty; write {content}", (name,))
    if required is not None:
        return (header := Header.requiring(required, first.cells, name, first.line)), _check_widths(records, header, name)
    below: Sequence[Record] = ()
    if heading_roles(first.cells)[2] is None:
        below, records = _peek(records)
    header = Header.of(first.cells, name, first.line, [record.cells for record in below], has_heading, order)
    return header, _check_widths(records if header.has_names else chain([first], records), header, name)


def _peek(records: Iterator[Record]) -> tuple[Sequence[Record], Iterator[Record]]:
    """Peek at the next records; return them, and all records from there on. An error is raised at its own record."""
    below: list[Record] = []
    room = PEEK_CHARACTERS
    refusal: InputError | None = None
    while len(below) < ROW_LIMIT and room > 0:
        try:
            record = next(records, None)
        except InputError as error:
            refusal = error
            break
        if record is None:
            break
        below.append(record)
        room -= sum(map(len, record.cells))
    return below, _resume(below, records, refusal)


def _resume(below: Sequence[Record], records: Iterator[Record], refusal: InputError | None) -> Iterator[Record]:
    yield from below
    if refusal is not None:
        raise refusal
    yield from records


def _check_widths(records: Iterator[Record], header: Header, name: str) -> Iterator[Record]:
    for record in records:
        if len(record.cells) != len(header.names):
            expected = f"expected {len(header.names)} ({shown_names(header.names)})"
            detail = f"line {record.line} of {name} has {len(record.cells)} columns, {expected}"
            raise InputError("invalid-table", detail, (name, record.line))
        yield record


def open_table(
    file: LineSource,
    beside: Mapping[str, LineSource] = NO_FILES,
    required: Sequence[str] | None = None,
    has_heading: bool | None = None,
    order: Order | None = None,
) -> TableStream:
    """Open a tab-separated table. Files of lines `beside` it become its last columns and replace columns of their names.

    The header is read at once, as by `split_header`; rows are read on demand. InputError names the line.
    """
    header, records = split_header(_records(file, skips_empty=not beside), file.name, required, has_heading, order)
    places = [k for k, name in enumerate(header.names) if name and name not in beside]
    rows: Iterator[tuple[str, ...]] = map(_picker(places), (record.cells for record in records))
    if beside:
        rows = _join(rows, file.name, beside)
    return TableStream((*(header.names[k] for k in places), *beside), _require_rows(rows, file.name), header.reading)


def _picker(places: Sequence[int]) -> Callable[[Sequence[str]], tuple[str, ...]]:
    if len(places) > 1:
        return itemgetter(*places)
    return lambda cells: tuple(cells[k] for k in places)


def _join(rows: Iterator[tuple[str, ...]], name: str, beside: Mapping[str, LineSource]) -> Iterator[tuple[str, ...]]:
    names = [name, *(file.name for file in beside.values())]
    lines = [file.lines() for file in beside.values()]
    return ((*cells, *further_cells) for cells, *further_cells in side_by_side(names, [rows, *lines]))


def _records(file: LineSource, skips_empty: bool) -> Iterator[Record]:
    for number, line in filled_lines(file.lines(), file.name) if skips_empty else enumerate(file.lines(), 1):
        if number == 1 and line == SEPARATOR_LINE:
            continue
        if not line:
            raise _empty_line(number, file.name)
        yield Record(number, split_cells(line, file.name, number))


def _empty_line(number: int, name: str) -> InputError:
    detail = f"line {number} of {name} is empty; delete it, since lines of other files are matched to these lines"
    return InputError("invalid-table", detail, (name, number))


def _require_rows(rows: Iterator[tuple[str, ...]], name: str) -> Iterator[tuple[str, ...]]:
    first = next(rows, None)
    if first is None:
        raise InputError("empty-input", f"{name} has a header but no segments; add rows below it", (name,))
    yield first
    yield from rows


def open_lines(columns: Mapping[str, LineSource]) -> TableStream:
    """Open files of lines side by side, each a column; InputError (`unequal-lengths`) if their lengths differ."""
    rows = side_by_side([file.name for file in columns.values()], [file.lines() for file in columns.values()])
    return TableStream(tuple(columns), rows)


def read_column(spec: str, encoding: str = "utf-8") -> list[str]:
    """Read the lines of a file. ``FILE:COLUMN`` reads one column of a table, or one key of JSON objects."""
    path, separator, column = spec.rpartition(":")
    if not separator or Path(spec).exists() or not Path(path).exists():
        return list(TextFile.of(Path(spec), encoding).lines())
    file = TextFile.of(Path(path), encoding)
    if Path(path).suffix in (".json", ".jsonl"):
        return object_column(file, column, is_list=path.endswith(".json"))
    return [cell for (cell,) in open_table(file, required=[column]).select([column])]


def read_systems(file: LineSource) -> Table:
    """Read systems as tab-separated columns without a header, named ``system``, or ``system1``, ``system2`` if several.

    Lines are matched to lines of references. One column may have empty lines; with several an empty line is an error.
    """
    rows = [split_cells(line, file.name, number) for number, line in enumerate(file.lines(), 1)]
    width = len(rows[0]) if rows else 1
    for number, row in enumerate(rows, 1):
        if row == [""] and width > 1:
            raise _empty_line(number, file.name)
        if len(row) != width:
            raise InputError("invalid-table", f"line {number} has {len(row)} columns, the first has {width}", (file.name,))
    names = ["system"] if width == 1 else [f"system{k + 1}" for k in range(width)]
    return Table({name: [row[k] for row in rows] for k, name in enumerate(names)})
