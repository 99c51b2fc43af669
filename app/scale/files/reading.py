"""Readers of shards: batches of rows in their order, in bounded memory."""

import json
import zlib
from collections.abc import Iterator, Sequence
from itertools import islice
from typing import Any, BinaryIO, Final

import numpy as np

from app.errors import InputError
from app.running.extras import package_of
from app.scale.batches import Batch, names_of
from app.scale.files.places import Place, kind_of, open_compressed
from app.scale.files.shards import ARROW, JSON_LINES, PARQUET, Shard, damaged
from app.text.reading.lines import decode_text

__all__ = ["ABSENT", "ROWS", "Absent", "columns_in", "read_shard"]

# Rows of a batch. Scores of a batch depend in their last bits on its size, so that it never changes.
ROWS: Final = 4096
# Bytes of a line; a cell of a megabyte is read, and then refused as a segment.
LONGEST: Final = 16 << 20


class Absent:
    """The value of a key that an object does not have."""

    def __repr__(self) -> str:
        return "absent"


ABSENT: Final = Absent()


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
            yield from _line_batches(open_compressed(file, compression), shard, place, kind, bool(compression))
    place.check_unchanged()


def columns_in(shard: Shard) -> list[str]:
    """Names of the columns in the first rows of a shard."""
    return next((names_of(batch) for batch in read_shard(shard)), [])


def _parquet(file: BinaryIO, shard: Shard, name: str) -> Iterator[Batch]:
    pa, pq = package_of("pyarrow", "parquet"), package_of("pyarrow.parquet", "parquet")
    try:
        table = pq.ParquetFile(file)
        batches = table.iter_batches(ROWS, range(shard.begin, shard.end), use_threads=False)
        yield from _batches_or_heading(batches, table.schema_arrow, name)
    except (pa.ArrowException, OSError) as error:
        raise damaged(name, error) from None


def _arrow(file: BinaryIO, shard: Shard, name: str) -> Iterator[Batch]:
    pa = package_of("pyarrow", "parquet")
    try:
        table = pa.ipc.open_file(file)
        batches = map(table.get_batch, range(shard.begin, shard.end))
        parts = (batch.slice(begin, ROWS) for batch in batches for begin in range(0, batch.num_rows, ROWS))
        yield from _batches_or_heading(parts, table.schema, name)
    except pa.ArrowException as error:
        raise damaged(name, error) from None


def _batches_or_heading(batches: Iterator[Batch], schema: Any, name: str) -> Iterator[Batch]:
    """The batches, or one without rows, so that an empty table has its columns."""
    pa = package_of("pyarrow", "parquet")
    _check_names(schema.names, name)
    batch = None
    for batch in batches:
        yield batch
    if batch is None:
        yield pa.RecordBatch.from_pylist([], schema=schema)


def _line_batches(file: BinaryIO, shard: Shard, place: Place, kind: str, is_compressed: bool) -> Iterator[Batch]:
    if kind in JSON_LINES:
        lines = _lines(file, shard, place.name, is_compressed, 0)
        while batch := list(islice(lines, ROWS)):
            yield _objects(batch, place.name)
        return
    heading = _line(file, place.name, 0)
    if not heading:
        raise InputError("empty-input", f"{place.name} is empty; write a heading and rows", (place.name,))
    names = decode_text(heading, place.name).rstrip("\r\n").split("\t")
    _check_names(names, place.name)
    lines = _lines(file, shard, place.name, is_compressed, len(heading))
    batch = list(islice(lines, ROWS))
    if not batch and shard.count == 1:
        yield {name: np.empty(0, object) for name in names}
    while batch:
        yield _cells(batch, names, place.name)
        batch = list(islice(lines, ROWS))


def _check_names(names: Sequence[str], name: str) -> None:
    repetition = next((column for column in names if names.count(column) > 1), None)
    if repetition is not None:
        raise InputError("invalid-table", f"{name} has two columns {repetition}; rename one", (name,))


def _lines(file: BinaryIO, shard: Shard, name: str, is_compressed: bool, heading: int) -> Iterator[tuple[int, str]]:
    """Lines of a shard with the number of their first byte; of a compressed file all lines."""
    at = heading
    if not is_compressed and shard.begin > heading:
        # The line of the byte before belongs to the shard before.
        file.seek(shard.begin - 1)
        at = shard.begin - 1 + len(_line(file, name, shard.begin - 1))
    while is_compressed or at < shard.end:
        raw = _line(file, name, at)
        if not raw:
            return
        text = decode_text(raw, name, offset=at).rstrip("\r\n")
        if text:
            yield at, text
        at += len(raw)


def _line(file: BinaryIO, name: str, at: int) -> bytes:
    try:
        raw = file.readline(LONGEST + 1)
    except (EOFError, OSError, zlib.error) as error:
        raise damaged(name, error) from None
    if len(raw) > LONGEST:
        raise InputError("segment-too-long", f"the line at byte {at} of {name} has more than {LONGEST} bytes; split it", (name,))
    return raw


def _cells(lines: Sequence[tuple[int, str]], names: Sequence[str], name: str) -> dict[str, np.ndarray]:
    rows = []
    for at, line in lines:
        cells = line.split("\t")
        if len(cells) != len(names):
            detail = f"the line at byte {at} of {name} has {len(cells)} columns, its heading has {len(names)}"
            raise InputError("invalid-table", detail, (name,))
        rows.append(cells)
    return {column: np.array(values, object) for column, values in zip(names, zip(*rows, strict=True), strict=True)}


def _objects(lines: Sequence[tuple[int, str]], name: str) -> dict[str, np.ndarray]:
    objects: list[dict[str, Any]] = []
    for at, line in lines:
        try:
            value = json.loads(line)
        except (ValueError, RecursionError):
            value = None
        if not isinstance(value, dict):
            raise InputError("invalid-table", f"the line at byte {at} of {name} is no JSON object", (name,))
        objects.append(value)
    names = dict.fromkeys(key for row in objects for key in row)
    columns = {}
    for key in names:
        # One by one: NumPy would read lists of equal lengths as further dimensions.
        column = np.empty(len(objects), object)
        for k, row in enumerate(objects):
            column[k] = row.get(key, ABSENT)
        columns[key] = column
    return columns
