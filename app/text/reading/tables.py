"""The one reader of tables: tab-separated rows with a header or not, lines of several files side by side, single columns.

An entirely empty line of a table is no row. A row with an empty cell is one: a segment with an empty text. Where further files lie
beside a table their lines are counted against its rows, so there an empty line is refused. In files of lines an empty line is an
empty segment.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain
from math import isfinite
from operator import itemgetter
from pathlib import Path
from types import MappingProxyType
from typing import Final, NamedTuple

from app.errors import InputError
from app.text.reading.columns import Order, Reading, heading_roles
from app.text.reading.headers import Header, no_column, shown_names
from app.text.reading.headings import MOST_LOOKED_AT
from app.text.reading.lines import Lines, TextFile, side_by_side
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

MOST_CHARACTERS_LOOKED_AT: Final = 1_000_000
# A spreadsheet's own first line, which says what stands between cells.
SEPARATOR_LINE: Final = "sep=\t"
NO_FILES: Final[Mapping[str, Lines]] = MappingProxyType({})


class Record(NamedTuple):
    """One row of a table and the line it begins on, from 1."""

    line: int
    cells: Sequence[str]


@dataclass(frozen=True)
class Table:
    """Columns of text by name, all of one length; `languages` as a file names those of source and translation."""

    columns: Mapping[str, Sequence[str]]
    languages: tuple[str | None, str | None] = (None, None)

    def __len__(self) -> int:
        return len(next(iter(self.columns.values()), ()))

    def __getitem__(self, name: str) -> Sequence[str]:
        if name not in self.columns:
            raise no_column(name, tuple(self.columns), (name,))
        return self.columns[name]

    def numbers(self, name: str) -> list[float]:
        """A column of finite numbers; InputError (`invalid-table`) names the column and the row, from 0.

        Commas stand before decimals, as many spreadsheets write them, where no cell has a point.
        """
        cells = self[name]
        with_comma = not any("." in cell for cell in cells)
        return [_number(cell, name, row, with_comma) for row, cell in enumerate(cells)]


@dataclass(frozen=True)
class TableStream:
    """A table whose rows are read one after the other, once: names of columns, cells in their order, what was taken for what."""

    names: tuple[str, ...]
    rows: Iterator[tuple[str, ...]]
    reading: Reading | None = None

    @property
    def languages(self) -> tuple[str | None, str | None]:
        """Those by which source and translation are headed, None where they are not."""
        return (None, None) if self.reading is None else self.reading.languages

    def select(self, names: Sequence[str]) -> Iterator[tuple[str, ...]]:
        """The cells of these columns, row by row; InputError where one is not there."""
        missing = next((name for name in names if name not in self.names), None)
        if missing is not None:
            raise no_column(missing, self.names, (missing,))
        places = [self.names.index(name) for name in names]
        return (tuple(row[k] for k in places) for row in self.rows)

    def read(self) -> Table:
        """All rows at once."""
        columns = [list(column) for column in zip(*self.rows, strict=True)] or [[] for _ in self.names]
        return Table(dict(zip(self.names, columns, strict=True)), self.languages)


def _number(cell: str, name: str, row: int, with_comma: bool) -> float:
    try:
        value = float(cell.replace(",", ".") if with_comma and cell.count(",") == 1 else cell)
    except ValueError:
        value = float("nan")
    if not isfinite(value):
        raise InputError("invalid-table", "this cell is not a finite number", (name, row))
    return value


def split_header(
    records: Iterator[Record],
    name: str,
    required: Sequence[str] | None = None,
    stated: bool | None = None,
    order: Order | None = None,
) -> tuple[Header, Iterator[Record]]:
    """A table's header and the rows below it, each as wide as it.

    The header names source and translation, or else is told by the first rows, `stated` and `order`; where `required` is given,
    it is those columns as they stand. InputError: `empty-input` without a record, `invalid-table` with the line.
    """
    first = next(records, None)
    if first is None:
        content = "a source and a translation per line" if required is None else "a header and rows"
        raise InputError("empty-input", f"{name} is empty; give {content}", (name,))
    if required is not None:
        return (header := Header.requiring(required, first.cells, name, first.line)), _as_wide(records, header, name)
    below: Sequence[Record] = ()
    if heading_roles(first.cells)[2] is None:
        below, records = _looked_at(records)
    header = Header.of(first.cells, name, first.line, [record.cells for record in below], stated, order)
    return header, _as_wide(records if header.named else chain([first], records), header, name)


def _looked_at(records: Iterator[Record]) -> tuple[Sequence[Record], Iterator[Record]]:
    """The next few records, and all of them from there on; what is wrong with one is said when it is its turn."""
    below: list[Record] = []
    room = MOST_CHARACTERS_LOOKED_AT
    refusal: InputError | None = None
    while len(below) < MOST_LOOKED_AT and room > 0:
        try:
            record = next(records, None)
        except InputError as error:
            refusal = error
            break
        if record is None:
            break
        below.append(record)
        room -= sum(map(len, record.cells))
    return below, _going_on(below, records, refusal)


def _going_on(below: Sequence[Record], records: Iterator[Record], refusal: InputError | None) -> Iterator[Record]:
    yield from below
    if refusal is not None:
        raise refusal
    yield from records


def _as_wide(records: Iterator[Record], header: Header, name: str) -> Iterator[Record]:
    for record in records:
        if len(record.cells) != len(header.names):
            expected = f"expected {len(header.names)} ({shown_names(header.names)})"
            detail = f"line {record.line} of {name} has {len(record.cells)} columns, {expected}"
            raise InputError("invalid-table", detail, (name, record.line))
        yield record


def open_table(
    file: Lines,
    beside: Mapping[str, Lines] = NO_FILES,
    required: Sequence[str] | None = None,
    stated: bool | None = None,
    order: Order | None = None,
) -> TableStream:
    """A tab-separated table, and files of lines beside it that become its last columns, in place of its own of that name.

    The header is as `split_header` has it; it is read at once, the rows when they are asked for. InputError names the line.
    """
    header, records = split_header(_records(file, skipping=not beside), file.name, required, stated, order)
    places = [k for k, name in enumerate(header.names) if name and name not in beside]
    rows: Iterator[tuple[str, ...]] = map(_picking(places), (record.cells for record in records))
    if beside:
        rows = _joined(rows, file.name, beside)
    return TableStream((*(header.names[k] for k in places), *beside), _some(rows, file.name), header.reading)


def _picking(places: Sequence[int]) -> Callable[[Sequence[str]], tuple[str, ...]]:
    if len(places) > 1:
        return itemgetter(*places)
    return lambda cells: tuple(cells[k] for k in places)


def _joined(rows: Iterator[tuple[str, ...]], name: str, beside: Mapping[str, Lines]) -> Iterator[tuple[str, ...]]:
    names = [name, *(file.name for file in beside.values())]
    lines = [file.lines() for file in beside.values()]
    return ((*cells, *more) for cells, *more in side_by_side(names, [rows, *lines]))


def _records(file: Lines, skipping: bool) -> Iterator[Record]:
    for number, line in enumerate(file.lines(), 1):
        if number == 1 and line == SEPARATOR_LINE:
            continue
        if line:
            yield Record(number, line.split("\t"))
        elif not skipping:
            raise _empty_line(number, file.name)


def _empty_line(number: int, name: str) -> InputError:
    detail = f"line {number} of {name} is empty; beside other files each line is a row"
    return InputError("invalid-table", detail, (name, number))


def _some(rows: Iterator[tuple[str, ...]], name: str) -> Iterator[tuple[str, ...]]:
    first = next(rows, None)
    if first is None:
        raise InputError("empty-input", f"{name} has a header but no segments", (name,))
    yield first
    yield from rows


def open_lines(columns: Mapping[str, Lines]) -> TableStream:
    """Files of lines side by side, each a column; InputError (`unequal-lengths`) where one is shorter than another."""
    rows = side_by_side([file.name for file in columns.values()], [file.lines() for file in columns.values()])
    return TableStream(tuple(columns), rows)


def read_column(spec: str) -> list[str]:
    """Lines of ``FILE``; or of ``FILE:COLUMN`` one column of a table, or one key of the objects in ``.json`` or ``.jsonl``."""
    path, separator, column = spec.rpartition(":")
    if not separator or Path(spec).exists() or not Path(path).exists():
        return list(TextFile.of(Path(spec)).lines())
    file = TextFile.of(Path(path))
    if Path(path).suffix in (".json", ".jsonl"):
        return object_column(file, column, listed=path.endswith(".json"))
    return [cell for (cell,) in open_table(file, required=[column]).select([column])]


def read_systems(file: Lines) -> Table:
    """Systems as tab-separated columns without a header: one is called ``system``, more are ``system1``, ``system2`` ...

    Their lines are counted against those of references: one column is a file of lines, in several an empty line is refused.
    """
    rows = [line.split("\t") for line in file.lines()]
    width = len(rows[0]) if rows else 1
    for number, row in enumerate(rows, 1):
        if row == [""] and width > 1:
            raise _empty_line(number, file.name)
        if len(row) != width:
            raise InputError("invalid-table", f"line {number} has {len(row)} columns, the first has {width}", (file.name,))
    names = ["system"] if width == 1 else [f"system{k + 1}" for k in range(width)]
    return Table({name: [row[k] for row in rows] for k, name in enumerate(names)})
