"""Readers of shards: batches of rows in their order, in bounded memory."""

from collections.abc import Iterator
from contextlib import suppress
from dataclasses import replace
from typing import Any, BinaryIO, Final

from app.running.extras import package_of
from app.scale.batches import Batch, names_of
from app.scale.files.lines import ROWS, check_names, line_batches
from app.scale.files.places import kind_of, open_compressed
from app.scale.files.shards import ARROW, PARQUET, Shard, damaged
from app.scale.files.sizes import BATCH_BYTES, small_parts

__all__ = ["columns_in", "read_shard"]

# Rows that are read at once: few, since each may share a value of a megabyte.
SLICE_ROWS: Final = 64
# Bytes of a column that are read at once, if a row group has far more.
BUFFER: Final = 4 << 20


def read_shard(shard: Shard) -> Iterator[Batch]:
    """Batches of a shard: record batches of Arrow, or dicts of arrays of lines. InputError for damaged and changed files."""
    place = shard.place
    kind, compression = kind_of(place.name)
    with place.open() as file:
        if kind in PARQUET:
            yield from _parquet(file, shard, place.name)
        elif kind in ARROW:
            yield from _arrow(file, shard, place.name)
        else:
            yield from line_batches(open_compressed(file, compression), shard, place, kind, bool(compression))
    place.check_unchanged()


def columns_in(shard: Shard) -> list[str]:
    """Names of the columns in the first rows of the file of a shard."""
    first = replace(shard, begin=0, number=0)
    return next((names_of(batch) for batch in read_shard(first)), [])


def _parquet(file: BinaryIO, shard: Shard, name: str) -> Iterator[Batch]:
    pa, pq = package_of("pyarrow", "parquet"), package_of("pyarrow.parquet", "parquet")
    try:
        metadata = pq.read_metadata(file)
        groups = range(shard.begin, shard.end)
        columns = ((group, column) for group in groups for column in range(metadata.num_columns))
        largest = max((metadata.row_group(group).column(column).total_compressed_size for group, column in columns), default=0)
        buffer = BUFFER if largest > BATCH_BYTES else 0
        # Buffered beforehand, all groups of the shard would stay in memory.
        table = pq.ParquetFile(file, metadata=metadata, buffer_size=buffer, pre_buffer=False)
        slices = table.iter_batches(SLICE_ROWS, groups, use_threads=False)
        yield from _batches_or_heading(slices, table.schema_arrow, name)
    except (pa.ArrowException, OSError) as error:
        raise damaged(name, error) from None


def _arrow(file: BinaryIO, shard: Shard, name: str) -> Iterator[Batch]:
    """Batches of a file of Arrow, or of a stream in a file, which is one shard."""
    pa = package_of("pyarrow", "parquet")
    try:
        try:
            table = pa.ipc.open_file(file)
            batches = map(table.get_batch, range(shard.begin, shard.end))
        except pa.ArrowInvalid:
            file.seek(0)
            batches = table = pa.ipc.open_stream(file)
        slices = (batch.slice(begin, SLICE_ROWS) for batch in batches for begin in range(0, batch.num_rows, SLICE_ROWS))
        yield from _batches_or_heading(slices, table.schema, name)
    except (pa.ArrowException, OSError) as error:
        raise damaged(name, error) from None


def _batches_or_heading(slices: Iterator[Any], schema: Any, name: str) -> Iterator[Batch]:
    """The rows in batches, or one without rows, so that an empty table has its columns."""
    pa = package_of("pyarrow", "parquet")
    check_names(schema.names, name)
    batch = None
    for batch in _batches(slices):
        yield batch
    if batch is None:
        yield pa.RecordBatch.from_pylist([], schema=schema)


def _batches(slices: Iterator[Any]) -> Iterator[Batch]:
    """Slices joined to batches of `ROWS`, or of fewer long ones."""
    parts: list[Any] = []
    rows = size = 0
    for part, part_size in (entry for piece in slices for entry in small_parts(piece)):
        rest = part
        if parts and size + part_size > BATCH_BYTES:
            yield from _joined(parts)
            parts, rows, size = [], 0, 0
        if rows + rest.num_rows >= ROWS:
            yield from _joined([*parts, rest.slice(0, ROWS - rows)])
            rest = rest.slice(ROWS - rows)
            parts, rows, size, part_size = [], 0, 0, 0
        if rest.num_rows:
            parts.append(rest)
            rows, size = rows + rest.num_rows, size + part_size
    if parts:
        yield from _joined(parts)


def _joined(parts: list[Any]) -> Iterator[Batch]:
    """One batch; several for types that Arrow does not join."""
    pa = package_of("pyarrow", "parquet")
    if len(parts) > 1:
        with suppress(pa.ArrowNotImplementedError):
            parts = pa.Table.from_batches(parts).combine_chunks().to_batches()
    yield from parts
