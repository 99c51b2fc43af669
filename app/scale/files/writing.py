"""Writers of shards, of the kind that a name ends in."""

import gzip
import io
import json
from collections.abc import Iterator, Mapping, Sequence
from contextlib import closing, contextmanager, suppress
from typing import Any, BinaryIO, Final, Protocol

import numpy as np

from app.errors import InputError
from app.running.extras import package_of
from app.scale.batches import Batch, column_of, names_of, row_count
from app.scale.cells import ABSENT, Fault
from app.scale.files.lines import LONGEST, is_encodable
from app.scale.files.places import kind_of
from app.scale.files.shards import ARROW, JSON_LINES, PARQUET
from app.scale.files.sizes import bytes_of

__all__ = ["BatchWriter", "writer_of"]

# Rows of a row group, and bytes of its cells.
GROUP_ROWS: Final = 1 << 16
GROUP_BYTES: Final = 64 << 20
# Characters of the reasons of other packages.
LONGEST_REASON: Final = 200
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
    try:
        yield JsonLinesWriter(stream) if kind in JSON_LINES else TabWriter(stream)
    except BaseException:
        if compression:
            # Before its file: Arrow would print an error of a stream that ends after it.
            with suppress(Exception):
                stream.close()
        raise
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
        self._rows = self._bytes = 0

    def write(self, batch: Batch) -> None:
        """Add the rows of a batch; InputError (`invalid-table`) names a column that is new, or of a type that does not fit."""
        batch = arrow_of(batch, self._schema)
        if self._writer is None:
            self._open(batch.schema)
        self._pending.append(batch)
        self._rows, self._bytes = self._rows + batch.num_rows, self._bytes + bytes_of(batch)
        if self._rows >= GROUP_ROWS or self._bytes >= GROUP_BYTES:
            self._flush()

    def _open(self, schema: Any) -> None:
        self._schema = schema
        _check_table(self._pyarrow.Table.from_batches([], schema), self._is_parquet)
        if self._is_parquet:
            self._writer = package_of("pyarrow.parquet", "parquet").ParquetWriter(self._file, schema, compression="zstd")
        else:
            self._writer = self._pyarrow.ipc.new_file(self._file, schema)

    def _flush(self) -> None:
        if self._pending:
            table = self._pyarrow.Table.from_batches(self._pending)
            try:
                self._writer.write_table(table.combine_chunks())
            except self._pyarrow.ArrowException:
                _check_table(table, self._is_parquet)
                raise
        self._pending, self._rows, self._bytes = [], 0, 0

    def close(self) -> None:
        """Write the rest and the end of the file."""
        if self._writer is None:
            self._open(self._pyarrow.schema([]))
        self._flush()
        self._writer.close()


def _check_table(table: Any, is_parquet: bool) -> None:
    """InputError (`invalid-table`) names the first column whose type files of the kind cannot hold, or their readers refuse."""
    pa = package_of("pyarrow", "parquet")
    for name in table.schema.names:
        try:
            _write_and_read(table.select([name]), is_parquet)
        except (pa.ArrowException, OSError) as error:
            kind, reason = "Parquet" if is_parquet else "Arrow", str(error)[:LONGEST_REASON]
            raise InputError("invalid-table", f"{kind} does not hold column {name}: {reason}; write .jsonl", (name,)) from None


def _write_and_read(table: Any, is_parquet: bool) -> None:
    pa, pq = package_of("pyarrow", "parquet"), package_of("pyarrow.parquet", "parquet")
    with io.BytesIO() as buffer:
        if is_parquet:
            pq.write_table(table, buffer)
            pq.read_schema(buffer)
            return
        with pa.ipc.new_file(buffer, table.schema) as writer:
            writer.write_table(table.combine_chunks())


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
            cells = list(map(_cell, _values_of(batch, name))) if name in names else [""] * count
            _check_cells(cells, f"column {name}", self._rows + 1)
            columns.append(cells)
        for number, row in enumerate(zip(*columns, strict=True), self._rows + 1):
            _write_line(self._file, "\t".join(row).encode(), number)
        self._rows += count


def _write_line(file: BinaryIO, line: bytes, number: int) -> None:
    """Write a line; InputError (`segment-too-long`) for one that Assay would not read again."""
    if len(line) >= LONGEST:
        detail = f"row {number} of the part has more than {LONGEST} bytes, as lines cannot; write .parquet"
        raise InputError("segment-too-long", detail, (number,))
    file.write(line + b"\n")


def _values_of(batch: Batch, name: str) -> list[Any]:
    """Values of a column as they are written; InputError (`invalid-encoding`) for a text of Arrow that is not UTF-8."""
    values = column_of(batch, name)
    for row, value in enumerate(values):
        if isinstance(value, Fault):
            if not isinstance(batch, Mapping):
                detail = f"column {name} has a text that is not UTF-8; mend it, or write .parquet"
                raise InputError("invalid-encoding", detail, (name,))
            values[row] = value.value
    return values


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
    """A writer of JSON objects, one in a line. In columns of results, a number that is none is null."""

    def __init__(self, file: BinaryIO) -> None:
        self._file = file
        self._rows = 0

    def write(self, batch: Batch) -> None:
        """Add the rows of a batch; InputError (`invalid-table`) for a value that JSON does not hold."""
        names = names_of(batch)
        columns = [_json_values(batch, name) for name in names]
        for row in zip(*columns, strict=True):
            self._rows += 1
            fields = {name: value for name, value in zip(names, row, strict=True) if value is not ABSENT}
            _write_line(self._file, _json_line(fields), self._rows)


def _json_values(batch: Batch, name: str) -> list[Any]:
    values = _values_of(batch, name)
    is_number = isinstance(batch, Mapping) and isinstance(batch[name], np.ndarray) and batch[name].dtype.kind == "f"
    return [value if np.isfinite(value) else None for value in values] if is_number else values


def _json_line(fields: dict[str, Any]) -> bytes:
    try:
        line = json.dumps(fields, ensure_ascii=False, allow_nan=False, default=str)
        return (line if is_encodable(line) else json.dumps(fields, allow_nan=False, default=str)).encode()
    except (ValueError, RecursionError):
        name = next((name for name, value in fields.items() if not _is_json(value)), "")
        detail = f"column {name} has a number that is not finite, or lists in lists, which JSON does not hold; write .parquet"
        raise InputError("invalid-table", detail, (name,)) from None


def _is_json(value: object) -> bool:
    try:
        json.dumps(value, allow_nan=False, default=str)
    except (ValueError, RecursionError):
        return False
    return True


def arrow_of(batch: Batch, schema: Any = None) -> Any:
    """A batch as a record batch of Arrow, with the columns and types of the `schema` of earlier batches, if there is one.

    A column of nulls alone counts as text. InputError (`invalid-table`) names a column with a new name, or with other types.
    """
    pa = package_of("pyarrow", "parquet")
    if isinstance(batch, pa.RecordBatch) and schema in (None, batch.schema):
        return batch
    names = names_of(batch)
    if not all(map(is_encodable, names)):
        detail = "the name of a column has a lone surrogate, which Parquet and Arrow do not hold; write .jsonl"
        raise InputError("invalid-table", detail)
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
    values = column if is_number else [None if value is ABSENT else value for value in _values_of(batch, name)]
    try:
        array = pa.array(values, from_pandas=True)
    except UnicodeEncodeError:
        detail = f"column {name} has a text or a key with a lone surrogate, which Parquet and Arrow do not hold; write .jsonl"
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
        try:
            return array.cast(field.type)
        except package_of("pyarrow", "parquet").ArrowException as error:
            raise InputError("invalid-table", f"column {field.name}: {error}; write .jsonl", (field.name,)) from None
    detail = f"column {field.name} has values of type {array.type} after rows of type {field.type}; write one type, or write .jsonl"
    raise InputError("invalid-table", detail, (field.name,))
