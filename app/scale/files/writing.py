"""Writers of shards, of the kind that a name ends in."""

import gzip
import json
from collections.abc import Iterator, Sequence
from contextlib import closing, contextmanager
from typing import Any, BinaryIO, Final, Protocol

import numpy as np

from app.errors import InputError
from app.running.extras import package_of
from app.scale.batches import Batch, column_of, names_of, row_count
from app.scale.files.places import kind_of
from app.scale.files.reading import ABSENT
from app.scale.files.shards import ARROW, JSON_LINES, PARQUET

__all__ = ["BatchWriter", "writer_of"]

# Rows of a row group.
GROUP_ROWS: Final = 1 << 16
# Signs that end a cell of tab-separated rows, by their names in errors.
SEPARATORS: Final = {"\t": "tab", "\n": "line end", "\r": "line end"}


class BatchWriter(Protocol):
    """A writer of batches that have the columns of the first one."""

    def write(self, batch: Batch) -> None:
        """Add the rows of a batch."""


@contextmanager
def writer_of(file: BinaryIO, name: str) -> Iterator[BatchWriter]:
    """A writer of the kind of a file's name; the file is complete at the end."""
    kind, compression = kind_of(name)
    if kind in PARQUET or kind in ARROW:
        with closing(ArrowWriter(file, is_parquet=kind in PARQUET)) as arrow_writer:
            yield arrow_writer
        return
    stream = _packing(file, compression)
    yield JsonLinesWriter(stream) if kind in JSON_LINES else TabWriter(stream)
    if compression:
        stream.close()


def _packing(file: BinaryIO, compression: str) -> Any:
    if compression == ".gz":
        # Equal rows give equal bytes: no time in the header.
        return gzip.GzipFile("", "wb", 6, file, mtime=0)
    if compression == ".zst":
        return package_of("pyarrow", "parquet").CompressedOutputStream(file, "zstd")
    return file


class ArrowWriter:
    """A writer of Parquet, or of a file of Arrow's record batches, with the columns and types of the first batch."""

    def __init__(self, file: BinaryIO, is_parquet: bool) -> None:
        self._file, self._is_parquet = file, is_parquet
        self._pyarrow = package_of("pyarrow", "parquet")
        self._schema: Any = None
        self._writer: Any = None
        self._pending: list[Any] = []
        self._rows = 0

    def write(self, batch: Batch) -> None:
        """Add the rows of a batch; InputError (`invalid-table`) names a column that is new or of another type."""
        batch = arrow_of(batch, self._schema)
        if self._writer is None:
            self._open(batch.schema)
        self._pending.append(batch)
        self._rows += batch.num_rows
        if self._rows >= GROUP_ROWS:
            self._flush()

    def _open(self, schema: Any) -> None:
        self._schema = schema
        if self._is_parquet:
            self._writer = package_of("pyarrow.parquet", "parquet").ParquetWriter(self._file, schema, compression="zstd")
        else:
            self._writer = self._pyarrow.ipc.new_file(self._file, schema)

    def _flush(self) -> None:
        if self._pending:
            self._writer.write_table(self._pyarrow.Table.from_batches(self._pending).combine_chunks())
        self._pending, self._rows = [], 0

    def close(self) -> None:
        """Write the rest and the end of the file."""
        if self._writer is None:
            self._open(self._pyarrow.schema([]))
        self._flush()
        self._writer.close()


class TabWriter:
    """A writer of tab-separated rows below a heading. Numbers are written with all digits, and nulls as empty cells."""

    def __init__(self, file: BinaryIO) -> None:
        self._file = file
        self._names: list[str] | None = None
        self._rows = 0

    def write(self, batch: Batch) -> None:
        """Add the rows of a batch; InputError (`invalid-table`) for a new column, and for a text that no cell can hold."""
        names = names_of(batch)
        if self._names is None:
            self._names = names
            _check_cells(names, "the heading")
            self._file.write(("\t".join(names) + "\n").encode())
        _check_columns(names, self._names)
        count = row_count(batch)
        columns = []
        for name in self._names:
            cells = list(map(_cell, column_of(batch, name))) if name in names else [""] * count
            _check_cells(cells, f"column {name}", self._rows + 1)
            columns.append(cells)
        self._file.write("".join(["\t".join(row) + "\n" for row in zip(*columns, strict=True)]).encode())
        self._rows += count


def _cell(value: object) -> str:
    if value is None or value is ABSENT or (isinstance(value, float) and np.isnan(value)):
        return ""
    return repr(value) if isinstance(value, float) else str(value)


def _check_cells(cells: Sequence[str], place: str, first_row: int | None = None) -> None:
    """InputError for a cell with a sign that would end it, or that UTF-8 does not have; rows count from `first_row`."""
    text = "".join(cells)
    if is_encodable(text) and not any(sign in text for sign in SEPARATORS):
        return
    for row, cell in enumerate(cells, first_row or 0):
        sign = next((name for sign, name in SEPARATORS.items() if sign in cell), None if is_encodable(cell) else "lone surrogate")
        if sign is not None:
            at = place if first_row is None else f"{place}, row {row} of the part"
            raise InputError("invalid-table", f"{at}: a cell of TSV holds no {sign}; write .parquet or .jsonl", (place,))


def _check_columns(names: Sequence[str], first: Sequence[str]) -> None:
    """InputError for a column that the first batch does not have."""
    new = next((name for name in names if name not in first), None)
    if new is not None:
        detail = f"column {new} begins after the first rows; write it, or null, in all rows, or write .jsonl"
        raise InputError("invalid-table", detail, (new,))


class JsonLinesWriter:
    """A writer of JSON objects, one in a line; numbers that are none are null."""

    def __init__(self, file: BinaryIO) -> None:
        self._file = file

    def write(self, batch: Batch) -> None:
        """Add the rows of a batch."""
        names = names_of(batch)
        columns = [column_of(batch, name) for name in names]
        for row in zip(*columns, strict=True):
            fields = {name: _number_or_none(value) for name, value in zip(names, row, strict=True) if value is not ABSENT}
            line = json.dumps(fields, ensure_ascii=False, allow_nan=False, default=str)
            if not is_encodable(line):
                line = json.dumps(fields, allow_nan=False, default=str)
            self._file.write((line + "\n").encode())


def is_encodable(text: str) -> bool:
    """False for a text with a lone surrogate, which UTF-8 does not have."""
    try:
        text.encode()
    except UnicodeEncodeError:
        return False
    return True


def _number_or_none(value: object) -> object:
    return None if isinstance(value, float) and not np.isfinite(value) else value


def arrow_of(batch: Batch, schema: Any = None) -> Any:
    """A batch as a record batch of Arrow, with the columns and types of the `schema` of earlier batches, if there is one.

    A column of nulls alone counts as text. InputError (`invalid-table`) names a column with a new name, or with other types.
    """
    pa = package_of("pyarrow", "parquet")
    if isinstance(batch, pa.RecordBatch) and schema in (None, batch.schema):
        return batch
    names = names_of(batch)
    if schema is None:
        return pa.RecordBatch.from_pydict({name: _array(batch, name) for name in names})
    _check_columns(names, schema.names)
    nulls = pa.nulls(row_count(batch))
    arrays = [_of_kind(_array(batch, field.name) if field.name in names else nulls, field) for field in schema]
    return pa.RecordBatch.from_arrays(arrays, schema=schema)


def _array(batch: Batch, name: str) -> Any:
    """A column as an array of Arrow; of nulls alone, one of texts."""
    pa = package_of("pyarrow", "parquet")
    column = batch[name]
    # A list of NaN alone would be one of nulls.
    is_number = isinstance(column, np.ndarray) and column.dtype.kind == "f"
    values = column if is_number else [None if value is ABSENT else value for value in column_of(batch, name)]
    try:
        array = pa.array(values, from_pandas=True)
    except UnicodeEncodeError:
        detail = f"column {name} has a text with a lone surrogate, which Parquet and Arrow do not hold; write .jsonl"
        raise InputError("invalid-table", detail, (name,)) from None
    except (pa.ArrowException, OverflowError) as error:
        raise InputError("invalid-table", f"column {name} has values of several types: {error}", (name,)) from None
    return array.cast(pa.string()) if pa.types.is_null(array.type) else array


def _of_kind(array: Any, field: Any) -> Any:
    """An array with the type of a field, which it has, or lacks since it has nulls alone, or whole numbers among others."""
    types = package_of("pyarrow", "parquet").types
    if array.type == field.type:
        return array
    if array.null_count == len(array) or (types.is_integer(array.type) and types.is_floating(field.type)):
        return array.cast(field.type)
    detail = f"column {field.name} has values of type {array.type} after rows of type {field.type}; write one type, or write .jsonl"
    raise InputError("invalid-table", detail, (field.name,))
