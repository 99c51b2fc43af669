"""Estimates of runs before they begin: a sample is worked on in a process of its own, and time and memory follow for all rows."""

import io
import math
import resource
import sys
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import islice
from typing import Any, BinaryIO, Final

from app.errors import InputError
from app.scale.batches import Batch, names_of, row_count
from app.scale.executors.processes import process_pool
from app.scale.files.places import kind_of, open_compressed, place_of
from app.scale.files.reading import read_shard
from app.scale.files.shards import LINES, PARQUET, TABS, Shard, row_groups
from app.scale.files.writing import writer_of

__all__ = ["Estimate", "Sample", "estimates", "sample"]

# Shards that are sampled, at equal distances, and batches of each.
SHARDS: Final = 4
BATCHES: Final = 2
WARMING_ROWS: Final = 64
# Bytes that are read at a time to count lines.
BLOCK: Final = 1 << 20


@dataclass(frozen=True)
class Sample:
    """Rows of a sample, seconds to read, work on and write them, seconds of the start, and megabytes of the process."""

    rows: int
    seconds: float
    start_seconds: float
    megabytes: float


@dataclass(frozen=True)
class Estimate:
    """Rows and shards of all files, rows per second of a process, and seconds and megabytes of a run on `processes`."""

    rows: int
    shards: int
    processes: int
    rows_per_second: int
    seconds: int
    megabytes: int


def estimates(work: Any, shards: Sequence[Shard], kind: str, processes: Sequence[int]) -> list[Estimate]:
    """Estimates of a run of `work` for numbers of processes, with results in files of `kind`. InputError if it cannot be done.

    Processes are assumed not to slow each other down. A shard is worked on by one process, so that few shards employ few processes.
    """
    work.cards()
    rows = [rows_of(shard) for shard in shards]
    if not sum(rows):
        raise InputError("empty-input", "the files have no rows", ("files",))
    with process_pool(1) as pool:
        of_sample = pool.submit(sample, work, sampled_shards(shards, rows), kind, time.time()).result()
    rate = of_sample.rows / of_sample.seconds
    return [_estimate(of_sample, rate, rows, count) for count in sorted({min(count, len(shards)) for count in processes})]


def _estimate(of_sample: Sample, rate: float, rows: Sequence[int], processes: int) -> Estimate:
    seconds = of_sample.start_seconds + longest_queue(rows, processes) / rate
    megabytes = round(of_sample.megabytes * processes)
    return Estimate(sum(rows), len(rows), processes, round(rate), math.ceil(seconds), megabytes)


def sampled_shards(shards: Sequence[Shard], rows: Sequence[int]) -> list[Shard]:
    """Shards at equal distances among those with rows."""
    nonempty = [shard for shard, count in zip(shards, rows, strict=True) if count]
    count = min(SHARDS, len(nonempty))
    return [nonempty[(2 * k + 1) * len(nonempty) // (2 * count)] for k in range(count)]


def longest_queue(rows: Sequence[int], processes: int) -> int:
    """Rows of the busiest process, if each one takes the next shard when it is free."""
    queues = [0] * processes
    for count in rows:
        queues[queues.index(min(queues))] += count
    return max(queues)


def sample(work: Any, shards: Sequence[Shard], kind: str, begin: float) -> Sample:
    """Work on the first batches of shards; `begin` is the time when the process was asked for."""
    first = next(_batches(shards[0]))
    work(_head(first))
    ready = time.time()
    rows, start = 0, time.perf_counter()
    for shard in shards:
        with io.BytesIO() as buffer, writer_of(buffer, shard.output(kind)) as writer:
            for batch in _batches(shard):
                result = work(batch)
                rows += row_count(result)
                writer.write(result)
    seconds = time.perf_counter() - start
    return Sample(rows, seconds, ready - begin, peak_megabytes())


def peak_megabytes() -> float:
    """Largest memory of this process so far."""
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return peak / (1 << 20 if sys.platform == "darwin" else 1 << 10)


def _batches(shard: Shard) -> Iterator[Batch]:
    return islice(read_shard(shard), BATCHES)


def _head(batch: Batch) -> Batch:
    if isinstance(batch, dict):
        return {name: batch[name][:WARMING_ROWS] for name in names_of(batch)}
    return batch.slice(0, WARMING_ROWS)


@lru_cache(maxsize=1)
def _row_groups(address: str, state: str) -> list[int]:
    """Rows of the groups of a Parquet file; `state` keeps the rows of a changed file apart."""
    return row_groups(place_of(address))


def rows_of(shard: Shard) -> int:
    """Rows of a shard: of Parquet by its footer, of lines by their ends."""
    place = shard.place
    kind, compression = kind_of(place.name)
    if kind in PARQUET:
        return sum(_row_groups(shard.address, shard.state)[shard.begin : shard.end])
    if kind not in LINES:
        return sum(map(row_count, read_shard(shard)))
    with place.open() as file:
        return _line_ends(file, shard, compression) - (kind in TABS and shard.number == 0)


def _line_ends(file: BinaryIO, shard: Shard, compression: str) -> int:
    if compression:
        stream = open_compressed(file, compression)
        return sum(block.count(b"\n") for block in iter(lambda: stream.read(BLOCK), b""))
    file.seek(shard.begin)
    rest, lines = shard.end - shard.begin, 0
    while rest > 0 and (block := file.read(min(rest, BLOCK))):
        lines, rest = lines + block.count(b"\n"), rest - len(block)
    return lines
