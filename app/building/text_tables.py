"""Columns of tables as texts: `FILE:COLUMN` of a table of tabs or of Parquet, and pairs written as such a table.

Cells of tabs stand as they are, without quotes. Parquet is read and written by pyarrow, which need not be installed.
"""

from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any, Final

from app.building.gzip_files import open_packed
from app.building.writing import file_aside
from app.errors import InputError
from app.running.extras import package_of
from app.text.reading.lines import decode_text
from app.text.reading.numbers import whole_number

__all__ = ["TABLES", "WriteRows", "check_table", "column_of_parquet", "column_of_rows", "is_parquet", "split_column", "table_aside"]

PARQUET: Final = ".parquet"
TABLES: Final = (".tsv", ".tsv.gz", PARQUET)
MAGIC: Final = b"PAR1"
# Rows of Parquet that are in memory at a time, and their bytes by the mean of a row group.
BATCH: Final = 5000
BATCH_BYTES: Final = 1 << 24
WriteRows = Callable[[Sequence[Sequence[bytes]]], None]


def split_column(path: Path) -> tuple[Path, str] | None:
    """Table and column of `FILE:COLUMN`; None if a file has the full name, or if FILE is missing."""
    file, _, column = str(path).rpartition(":")
    return (Path(file), column) if file and column and not path.exists() and Path(file).is_file() else None


def is_parquet(path: Path) -> bool:
    """Return True if a file begins like Parquet."""
    with path.open("rb") as file:
        return file.read(len(MAGIC)) == MAGIC


def column_of_rows(rows: Iterator[bytes], path: Path, column: str) -> Iterator[bytes]:
    """Cells of a column of a tab-separated table, each with a newline; `column` is a heading, or a position from 1.

    With a position, the first line is a row too. InputError (`invalid-table`) names the line.
    """
    first = next(rows, None)
    if first is None:
        return
    cells = _cells(first)
    width = len(cells)
    place = _place(column, width)
    if place is None:
        place = _named([decode_text(cell, str(path), 1) for cell in cells], path, column)
    else:
        yield cells[place] + b"\n"
    for number, row in enumerate(rows, 2):
        cells = _cells(row)
        if len(cells) != width:
            detail = f"line {number} of {path} has {len(cells)} columns, the first has {width}"
            raise InputError("invalid-table", detail, (str(path), number))
        yield cells[place] + b"\n"


def _cells(row: bytes) -> list[bytes]:
    return row.removesuffix(b"\n").removesuffix(b"\r").split(b"\t")


def _place(column: str, width: int) -> int | None:
    place = whole_number(column)
    return place - 1 if place is not None and 0 < place <= width else None


def _named(names: Sequence[str], path: Path, column: str) -> int:
    if names.count(column) != 1:
        count = "no column" if column not in names else "more than one column"
        detail = f"{path} has {count} {column}; its columns are {', '.join(names[:100])}, or 1 to {len(names)}"
        raise InputError("invalid-table", detail, (str(path), 1))
    return names.index(column)


def column_of_parquet(path: Path, column: str, longest: int) -> Iterator[bytes]:
    """Texts of a column of Parquet, each with a newline; InputError names a row without text, or with a line end."""
    library = _pyarrow()
    try:
        file = library.parquet.ParquetFile(path)
    except (library.lib.ArrowException, OSError) as error:
        raise InputError("invalid-table", f"{path} is damaged, or no Parquet: {_first_line(error)}", (str(path),)) from None
    with file:
        names = list(file.schema_arrow.names)
        place = _place(column, len(names))
        name = names[_named(names, path, column) if place is None else place]
        row = 0
        try:
            for value in _values(library, path, file.metadata, name):
                row += 1
                yield _text(value, path, column, row, longest)
        except (library.lib.ArrowException, OSError) as error:
            raise InputError(
                "invalid-table", f"{path} is damaged after row {row}: {_first_line(error)}", (str(path), row)
            ) from None


def _values(library: Any, path: Path, metadata: Any, name: str) -> Iterator[object]:
    """Values of a column, one after the other; equal texts of a dictionary are in memory once."""
    with library.parquet.ParquetFile(path, metadata=metadata, read_dictionary=[name]) as file:
        for number in range(metadata.num_row_groups):
            group = metadata.row_group(number)
            columns = (group.column(k) for k in range(group.num_columns))
            size = sum(part.total_uncompressed_size for part in columns if part.path_in_schema == name)
            rows = max(1, min(BATCH, BATCH_BYTES * group.num_rows // max(size, 1)))
            for batch in file.iter_batches(rows, row_groups=[number], columns=[name]):
                for value in batch.column(0):
                    yield value.as_py()


def _text(value: object, path: Path, column: str, row: int, longest: int) -> bytes:
    if not isinstance(value, str):
        raise InputError("invalid-table", f"row {row} of {path} has no text in {column}", (str(path), row))
    text = value.encode()
    if b"\n" in text or len(text) > longest:
        detail = f"row {row} of {path} has more than one line, or more than {longest} bytes, in {column}"
        raise InputError("invalid-table", detail, (str(path), row))
    return text + b"\n"


def _first_line(error: Exception) -> str:
    return (str(error).splitlines() or [type(error).__name__])[0]


def _pyarrow() -> Any:
    library = package_of("pyarrow", "parquet")
    package_of("pyarrow.parquet", "parquet")
    return library


def check_table(path: Path, option: str) -> None:
    """Check that a table of this name can be written, before anything is read; else InputError."""
    if not path.name.endswith(TABLES):
        raise InputError("invalid-request", f"a table's name ends in {', '.join(TABLES)}", (option,))
    if path.suffix == PARQUET:
        _pyarrow()


@contextmanager
def table_aside(path: Path, names: Sequence[str]) -> Iterator[WriteRows]:
    """Yield a function that writes columns of lines to a table with these names; it is moved to `path` at the end.

    InputError (`invalid-character`) if a tab-separated table would have a tab in a cell, or if a text for Parquet is not UTF-8.
    """
    with file_aside(path) as staging, ExitStack() as stack:
        if path.suffix == PARQUET:
            yield _parquet_writer(staging, names, stack)
            return
        file = open_packed(staging, path, stack)
        file.write("\t".join(names).encode() + b"\n")

        def write(columns: Sequence[Sequence[bytes]]) -> None:
            cells = [[_ended(line) for line in column] for column in columns]
            if any(b"\t" in cell for column in cells for cell in column):
                raise InputError("invalid-character", f"a text has a tab, which {path.name} cannot hold; Parquet can", (str(path),))
            file.write(b"".join([b"\t".join(row) + b"\n" for row in zip(*cells, strict=True)]))

        yield write


def _parquet_writer(staging: Path, names: Sequence[str], stack: ExitStack) -> WriteRows:
    library = _pyarrow()
    schema = library.schema([(name, library.string()) for name in names])
    writer = stack.enter_context(library.parquet.ParquetWriter(staging, schema))

    def write(columns: Sequence[Sequence[bytes]]) -> None:
        texts = [[decode_text(_ended(line), name, 0) for line in column] for name, column in zip(names, columns, strict=True)]
        if texts and texts[0]:
            writer.write_table(library.table(texts, schema=schema))

    return write


def _ended(line: bytes) -> bytes:
    return line.removesuffix(b"\n").removesuffix(b"\r")
