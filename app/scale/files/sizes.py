"""Sizes of cells of Arrow: a value that many rows share counts for each of them, as it does once they are read."""

from collections.abc import Iterator
from typing import Any, Final

from app.running.extras import package_of

__all__ = ["BATCH_BYTES", "bytes_of", "small_parts"]

# Bytes of the cells of a batch.
BATCH_BYTES: Final = 16 << 20


def bytes_of(batch: Any) -> int:
    """Bytes of the cells of a record batch."""
    return sum(map(_bytes_of_column, batch.columns))


def _bytes_of_column(column: Any) -> int:
    pa, compute = package_of("pyarrow", "parquet"), package_of("pyarrow.compute", "parquet")
    types, kind = pa.types, column.type
    if types.is_dictionary(kind):
        values = column.dictionary
        if types.is_string(values.type) or types.is_large_string(values.type):
            return int(compute.sum(compute.binary_length(values).take(column.indices)).as_py() or 0)
        return int(column.indices.nbytes + len(column) * values.nbytes // max(1, len(values)))
    if types.is_run_end_encoded(kind):
        return int(compute.run_end_decode(column).nbytes)
    # Views count with all of their buffers, whatever part of these they show.
    if types.is_string_view(kind) or types.is_binary_view(kind):
        return int(column.cast(pa.large_binary()).nbytes)
    return int(column.nbytes)


def small_parts(batch: Any) -> Iterator[tuple[Any, int]]:
    """Slices of a record batch in their order, of one row or at most `BATCH_BYTES`, with their sizes."""
    size = bytes_of(batch)
    if size <= BATCH_BYTES or batch.num_rows < 2:
        yield batch, size
        return
    half = batch.num_rows // 2
    yield from small_parts(batch.slice(0, half))
    yield from small_parts(batch.slice(half))
