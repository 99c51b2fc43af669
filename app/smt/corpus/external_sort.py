"""Texts larger than memory, sorted by bytes: runs are sorted in memory, written aside, and merged."""

from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import BinaryIO, Final

import numpy as np

from app.arrays import Int64s, UInt8s
from app.building.writing import full_disk_named
from app.errors import InputError
from app.smt.corpus.sorting_kernels import at_most, gather_lines, line_bounds, sort_lines

__all__ = ["DEFAULT_MEMORY", "SMALLEST_MEMORY", "sorted_lines"]

DEFAULT_MEMORY: Final = 512 * 1024**2
SMALLEST_MEMORY: Final = 1024**2
# Of the memory, what a run's text may take: its lines' places, keys and order take as much again where they are short.
SHARE: Final = 4
# Lines that leave at a time.
BLOCK: Final = 1 << 16
# Runs that are merged at a time: each is an open file, of which a process may often have no more than 1,024.
MOST_RUNS: Final = 128


def sorted_lines(blocks: Iterable[UInt8s], memory: int, scratch: Path) -> Iterator[UInt8s]:
    """Blocks of lines in the order of their bytes, as ``LC_ALL=C sort`` has it; each block of `blocks` holds whole lines.

    About `memory` bytes are used. What has no room goes to files in `scratch`, which the caller deletes. InputError
    (`invalid-request`) for less memory than `SMALLEST_MEMORY`.
    """
    if memory < SMALLEST_MEMORY:
        raise InputError("invalid-request", f"sorting needs {SMALLEST_MEMORY} bytes of memory at least", ("--memory",))
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
    yield from _merged(_few(runs, memory, scratch), memory)


def _run(blocks: list[UInt8s]) -> Iterator[UInt8s]:
    """The lines of a few blocks in order; the list is emptied."""
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


def _few(runs: list[Path], memory: int, scratch: Path) -> list[Path]:
    """At most `MOST_RUNS` files with the lines of all runs, the first of which are merged into longer ones and deleted."""
    made = len(runs)
    while len(runs) > MOST_RUNS:
        # In the last pass only as many as leave room for what comes of them.
        count = min(MOST_RUNS, len(runs) - MOST_RUNS + 1)
        path = scratch / f"run-{made}"
        with full_disk_named(scratch), path.open("wb") as file:
            for block in _merged(runs[:count], memory):
                file.write(block.data)
        for run in runs[:count]:
            run.unlink()
        runs = [*runs[count:], path]
        made += 1
    return runs


class _Run:
    """A sorted file, of which the lines that were read and not yet taken are in memory."""

    def __init__(self, path: Path, size: int) -> None:
        self.file: BinaryIO = path.open("rb")
        self.size = size
        self.rest = b""
        self.ended = False
        self.fill()

    def fill(self) -> None:
        """Read on, until there is a whole line."""
        while not self.ended and self.rest.rfind(b"\n") < 0:
            read = self.file.read(self.size)
            self.ended = not read
            self.rest += read
        whole = self.rest.rfind(b"\n") + 1
        self.text = np.frombuffer(self.rest, np.uint8, whole)
        self.rest = self.rest[whole:]
        self.begins, self.ends = line_bounds(self.text)

    @property
    def last(self) -> UInt8s:
        """The last line in memory."""
        return self.text[self.begins[-1] : self.ends[-1]]

    def take(self, bound: UInt8s) -> UInt8s:
        """The text of all lines that are not after a line."""
        count: int = at_most(self.text, self.begins, self.ends, bound)
        if not count:
            return self.text[:0]
        end = int(self.ends[count - 1]) + 1
        taken = self.text[:end]
        if count < len(self.begins):
            self.text = self.text[end:]
            self.begins, self.ends = self._moved(self.begins[count:], end), self._moved(self.ends[count:], end)
        else:
            self.fill()
        return taken

    @staticmethod
    def _moved(places: Int64s, by: int) -> Int64s:
        return places - by


def _merged(paths: list[Path], memory: int) -> Iterator[UInt8s]:
    """All lines that no run can still precede, sorted once more, and so on: each round one run at least is read on."""
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
