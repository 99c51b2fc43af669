"""Writers of shards, of the kind that a name ends in."""

import gzip
import json
from collections.abc import Iterator
from contextlib import closing, contextmanager
from typing import Any, BinaryIO, Final, Protocol

import numpy as np

from app.errors import InputError
from app.scale.batches import Batch, column_of, names_of
from app.scale.files.places import kind_of
from app.scale.files.reading import ABSENT
from app.scale.files.shards import ARROW, JSON_LINES, PARQUET

__all__ = ["BatchWriter", "writer_of"]

# Rows of a row group.
GROUP_ROWS: Final = 1 << 16


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
        import pyarrow as pa

        return pa.CompressedOutputStream(file, "zstd")
    return file


class ArrowWriter:
    """A writer of Parquet, or of a file of Arrow's record batches."""

    def __init__(self, file: BinaryIO, is_parquet: bool) -> None:
        self._file, self._is_parquet = file, is_parquet
        self._writer: Any = None
        self._pending: list[Any] = []
        self._rows = 0

    def write(self, batch: Batch) -> None:
        """Add the rows of a batch."""
        batch = arrow_of(batch)
        if self._writer is None:
            self._writer = self._opened(batch.schema)
        self._pending.append(batch)
        self._rows += batch.num_rows
        if self._rows >= GROUP_ROWS:
            self._flush()

    def _opened(self, schema: Any) -> Any:
        import pyarrow as pa
        import pyarrow.parquet as pq

        if self._is_parquet:
            return pq.ParquetWriter(self._file, schema, compression="zstd")
        return pa.ipc.new_file(self._file, schema)

    def _flush(self) -> None:
        import pyarrow as pa

        if self._pending:
            table = pa.Table.from_batches(self._pending).combine_chunks()
            self._writer.write_table(table)
        self._pending, self._rows = [], 0

    def close(self) -> None:
        """Write the rest and the end of the file."""
        self._flush()
        if self._writer is not None:
            self._writer.close()


class TabWriter:
    """A writer of tab-separated rows below a heading. Numbers are written with all digits, and nulls as empty cells."""

    def __init__(self, file: BinaryIO) -> None:
        self._file = file
        self._names: list[str] | None = None

    def write(self, batch: Batch) -> None:
        """Add the rows of a batch."""
        names = names_of(batch)
        if self._names is None:
            self._names = names
            self._file.write(("\t".join(names) + "\n").encode())
        columns = [[_cell(value) for value in column_of(batch, name)] for name in names]
        lines = ("\t".join(row) + "\n" for row in zip(*columns, strict=True))
        self._file.write("".join(lines).encode("utf-8", "surrogatepass"))


def _cell(value: object) -> str:
    if value is None or value is ABSENT or (isinstance(value, float) and np.isnan(value)):
        return ""
    if isinstance(value, float):
        return repr(value)
    text = value if isinstance(value, str) else str(value)
    return text if "\t" not in text and "\n" not in text else " ".join(text.split())


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


def arrow_of(batch: Batch) -> Any:
    """A batch as a record batch of Arrow; InputError (`invalid-table`) for a column of several types."""
    import pyarrow as pa

    if isinstance(batch, pa.RecordBatch):
        return batch
    columns = {}
    for name in names_of(batch):
        values = [None if value is ABSENT else value for value in column_of(batch, name)]
        try:
            columns[name] = pa.array(values, from_pandas=True)
        except pa.ArrowException as error:
            raise InputError("invalid-table", f"column {name} has values of several types: {error}", (name,)) from None
    return pa.RecordBatch.from_pydict(columns)
