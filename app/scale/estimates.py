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

import numpy as np

from app.errors import InputError
from app.scale.batches import Batch, names_of, row_count
from app.scale.executors.processes import process_pool
from app.scale.files.lines import BYTE_ORDER_MARK, ROWS
from app.scale.files.places import kind_of, open_compressed, place_of
from app.scale.files.reading import read_shard
from app.scale.files.shards import LINES, PARQUET, TABS, Shard, row_groups
from app.scale.files.writing import writer_of

__all__ = ["Estimate", "Sample", "estimates", "sample"]

# Shards that are sampled, at equal distances, batches of each at most, and seconds for all.
SHARDS: Final = 4
BATCHES: Final = 2
SECONDS: Final = 6.0
# Rows of the first parts of a batch, before their speed is known.
FIRST_ROWS: Final = 64
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
    """Rows and shards of all files, and seconds and megabytes of a run on `processes`; rows per second once they have started."""

    rows: int
    shards: int
    processes: int
    rows_per_second: int
    rows_per_second_each: int
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
    return [_estimate(of_sample, rows, count) for count in sorted({min(count, len(shards)) for count in processes})]


def _estimate(of_sample: Sample, rows: Sequence[int], processes: int) -> Estimate:
    rate, queue = of_sample.rows / of_sample.seconds, longest_queue(rows, processes)
    # The program of a run starts and opens the models as its processes do, before them; this one has done so, too.
    seconds = 2 * of_sample.start_seconds + queue / rate
    megabytes = round(of_sample.megabytes * processes + peak_megabytes())
    return Estimate(sum(rows), len(rows), processes, round(rate * sum(rows) / queue), round(rate), math.ceil(seconds), megabytes)


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
    """Work on parts of the first batches of shards; `begin` is the time when the process was asked for."""
    work(_part(next(read_shard(shards[0])), 0, FIRST_ROWS))
    ready = time.time()
    rows, start = 0, time.perf_counter()
    for number, shard in enumerate(shards, 1):
        with io.BytesIO() as buffer, writer_of(buffer, shard.output(kind)) as writer:
            for result in _results(work, shard, start + SECONDS * number / len(shards)):
                rows += row_count(result)
                writer.write(result)
    seconds = time.perf_counter() - start
    return Sample(rows, seconds, ready - begin, peak_megabytes())


def _results(work: Any, shard: Shard, end: float) -> Iterator[Batch]:
    """Results of the first batches of a shard, in parts that grow as far as the time until `end` allows; one at least."""
    rest, size = math.inf, FIRST_ROWS
    for batch in islice(read_shard(shard), BATCHES):
        at, count = 0, row_count(batch)
        while at < count and rest > 0:
            begin = time.perf_counter()
            result = work(_part(batch, at, size))
            yield result
            now = time.perf_counter()
            at, rest = at + size, end - now
            size = max(FIRST_ROWS, min(ROWS, int(size * rest / max(now - begin, 1e-6))))


def peak_megabytes() -> float:
    """Largest memory of this process so far."""
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return peak / (1 << 20 if sys.platform == "darwin" else 1 << 10)


def _part(batch: Batch, begin: int, count: int) -> Batch:
    if isinstance(batch, dict):
        return {name: batch[name][begin : begin + count] for name in names_of(batch)}
    return batch.slice(begin, count)


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
        lines = _lines(file, shard, compression)
    # The heading is no row.
    return max(0, lines - (kind in TABS and shard.number == 0))


def _lines(file: BinaryIO, shard: Shard, compression: str) -> int:
    """Lines with text that begin in a shard: bytes after a line end that are none themselves."""
    stream, rest = open_compressed(file, compression), sys.maxsize if compression else shard.end - shard.begin
    last = b"\n"
    mark = BYTE_ORDER_MARK if compression or not shard.begin else b""
    if shard.begin and not compression:
        # The line of the byte before belongs to the shard before.
        file.seek(shard.begin - 1)
        last = file.read(1)
    lines = 0
    while rest > 0 and (block := stream.read(min(rest, BLOCK))):
        rest -= len(block)
        text, mark = last + block.removeprefix(mark).replace(b"\r", b""), b""
        is_end = np.frombuffer(text, np.uint8) == ord("\n")
        lines += int((is_end[:-1] & ~is_end[1:]).sum())
        last = text[-1:]
    return lines
