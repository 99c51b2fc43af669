"""External sort of lines by bytes: sorts runs in memory, writes them to disk, and merges them."""

from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import BinaryIO, Final

import numpy as np

from app.arrays import UInt8s
from app.building.writing import full_disk_named
from app.errors import InputError
from app.smt.corpus.sorting_kernels import count_up_to, gather_lines, line_bounds, sort_lines

__all__ = ["DEFAULT_MEMORY", "SMALLEST_MEMORY", "sorted_lines"]

DEFAULT_MEMORY: Final = 512 * 1024**2
SMALLEST_MEMORY: Final = 1024**2
# The text of a run may take this fraction of memory; positions, keys and order of short lines need the rest.
SHARE: Final = 4
# Lines of an output block.
BLOCK: Final = 1 << 16
# Runs of one merge. Each is an open file, and systems often allow 1,024 of them.
MOST_RUNS: Final = 128


def sorted_lines(blocks: Iterable[UInt8s], memory: int, scratch: Path) -> Iterator[UInt8s]:
    """Yield blocks of lines in byte order, as ``LC_ALL=C sort``; each input block holds complete lines.

    The sort uses about `memory` bytes, and files in `scratch`; the caller deletes them. InputError (`invalid-request`) for less
    memory than `SMALLEST_MEMORY`.
    """
    if memory < SMALLEST_MEMORY:
        raise InputError("invalid-request", f"sorting needs at least {SMALLEST_MEMORY} bytes of memory", ("--memory",))
    runs: list[Path] = []
    waiting: list[UInt8s] = []
    size = 0
    for block in blocks:
        if waiting and size + len(block) > memory // SHARE:
            runs.append(_spilled(waiting, scratch / f"run-{len(runs)}"))
            waiting, size = [], 0
        waiting.append(block)
        size += len(block)
    if not runs:
        yield from _run(waiting)
        return
    runs.append(_spilled(waiting, scratch / f"run-{len(runs)}"))
    yield from _merged(_merged_runs(runs, memory, scratch), memory)


def _run(blocks: list[UInt8s]) -> Iterator[UInt8s]:
    """Yield the lines of blocks in order; empties the list."""
    text = np.concatenate(blocks) if blocks else np.empty(0, np.uint8)
    blocks.clear()
    begins, ends = line_bounds(text)
    order = sort_lines(text, begins, ends)
    for first in range(0, len(order), BLOCK):
        yield gather_lines(text, begins, ends, order[first : first + BLOCK])


def _spilled(blocks: list[UInt8s], path: Path) -> Path:
    with full_disk_named(path.parent), path.open("wb") as file:
        for block in _run(blocks):
            file.write(block.data)
    return path


def _merged_runs(runs: list[Path], memory: int, scratch: Path) -> list[Path]:
    """Merge the first runs into longer ones, and delete them, until at most `MOST_RUNS` remain."""
    file_count = len(runs)
    while len(runs) > MOST_RUNS:
        # The last pass merges just enough runs to reach the limit.
        count = min(MOST_RUNS, len(runs) - MOST_RUNS + 1)
        path = scratch / f"run-{file_count}"
        with full_disk_named(scratch), path.open("wb") as file:
            for block in _merged(runs[:count], memory):
                file.write(block.data)
        for run in runs[:count]:
            run.unlink()
        runs = [*runs[count:], path]
        file_count += 1
    return runs


class _Run:
    """A sorted file, with a buffer of pending lines in memory."""

    def __init__(self, path: Path, size: int) -> None:
        self.file: BinaryIO = path.open("rb")
        self.size = size
        self.rest = b""
        self.at_end = False
        self.fill()

    def fill(self) -> None:
        """Read until the buffer has a complete line, or the file ends."""
        while not self.at_end and self.rest.rfind(b"\n") < 0:
            read = self.file.read(self.size)
            self.at_end = not read
            self.rest += read
        line_end = self.rest.rfind(b"\n") + 1
        self.text = np.frombuffer(self.rest, np.uint8, line_end)
        self.rest = self.rest[line_end:]
        self.begins, self.ends = line_bounds(self.text)

    @property
    def last(self) -> UInt8s:
        """The last line in memory."""
        return self.text[self.begins[-1] : self.ends[-1]]

    def take(self, bound: UInt8s) -> UInt8s:
        """Remove and return the text of all lines up to `bound`."""
        count: int = count_up_to(self.text, self.begins, self.ends, bound)
        if not count:
            return self.text[:0]
        end = int(self.ends[count - 1]) + 1
        lines = self.text[:end]
        if count < len(self.begins):
            self.text = self.text[end:]
            self.begins, self.ends = self.begins[count:] - end, self.ends[count:] - end
        else:
            self.fill()
        return lines


def _merged(paths: list[Path], memory: int) -> Iterator[UInt8s]:
    """Yield merged lines: each round sorts all lines up to the lowest last line of the buffers, and refills a buffer."""
    size = max(1 << 12, memory // SHARE // len(paths))
    runs = [_Run(path, size) for path in paths]
    try:
        while runs:
            bound = min(run.last.tobytes() for run in runs)
            edge = np.frombuffer(bound, np.uint8)
            yield from _run([run.take(edge) for run in runs])
            for run in runs:
                if not len(run.begins):
                    run.file.close()
            runs = [run for run in runs if len(run.begins)]
    finally:
        for run in runs:
            run.file.close()
