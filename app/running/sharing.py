"""State that the processes of one server share: a folder of files, and counts in memory that they map before they are forked.

A process writes its own row of counts and reads all rows. It needs no lock, and the row of a killed process can be cleared.
"""

import fcntl
import mmap
import os
from collections.abc import Sequence
from pathlib import Path
from typing import Final

import numpy as np

from app.arrays import Int64s

__all__ = ["FileLock", "SharedCounts", "Sharing"]

BYTES: Final = 8


class FileLock:
    """A lock among processes, as a context manager for one thread at a time. The kernel releases it at any end of its holder.

    Each process opens the file itself at the first use, since a lock belongs to an open file and not to a process.
    """

    def __init__(self, path: Path) -> None:
        self._path = path
        self._file: int | None = None

    def __enter__(self) -> None:
        if self._file is None:
            self._file = os.open(self._path, os.O_RDWR | os.O_CREAT, 0o600)
        fcntl.flock(self._file, fcntl.LOCK_EX)

    def __exit__(self, *error: object) -> None:
        assert self._file is not None
        fcntl.flock(self._file, fcntl.LOCK_UN)


class SharedCounts:
    """Counts of several processes in `width` columns; created before the fork."""

    def __init__(self, sharing: "Sharing", width: int = 1) -> None:
        self._sharing, self._width = sharing, width
        self._memory = mmap.mmap(-1, sharing.rows * width * BYTES)
        self._cells = memoryview(self._memory).cast("q")

    def add(self, amount: int, column: int = 0) -> None:
        """Add to the count of this process."""
        self._cells[self._sharing.place * self._width + column] += amount

    def set(self, count: int, column: int = 0) -> None:
        """Set the count of this process."""
        self._cells[self._sharing.place * self._width + column] = count

    def total(self, column: int = 0) -> int:
        """Sum over all processes."""
        return sum(self._cells[column :: self._width])

    def of(self, places: Sequence[int], column: int = 0) -> list[int]:
        """Counts of the processes at some places."""
        return [self._cells[place * self._width + column] for place in places]

    def totals(self) -> Int64s:
        """Sums over all processes; shape (width,)."""
        sums: Int64s = np.frombuffer(self._memory, np.int64).reshape(-1, self._width).sum(axis=0)
        return sums

    def clear(self, place: int) -> None:
        """Set the counts of an ended process to zero."""
        begin = place * self._width
        self._cells[begin : begin + self._width] = memoryview(bytes(self._width * BYTES)).cast("q")


class Sharing:
    """Shared state of `processes` HTTP processes, at the places 0 to `processes` - 1, and of the process of duties behind them.

    The supervisor makes and deletes the `folder`. `place` is the place of this process, which it sets after the fork.
    """

    def __init__(self, processes: int, folder: Path) -> None:
        self.processes, self.folder = processes, folder
        # The last row is that of the supervisor, and of the process that answers while it loads.
        self.rows = processes + 2
        self.place = self.rows - 1
        self._counts: list[SharedCounts] = []
        self.connections, self.workers, self.running, self.damages = (self.counts() for _ in range(4))

    @property
    def duties_place(self) -> int:
        """Place of the process of duties."""
        return self.processes

    def counts(self, width: int = 1) -> SharedCounts:
        """New counts, all zero; RuntimeError in a process that was forked, whose counts no other process would see."""
        if self.place != self.rows - 1:
            raise RuntimeError("counts are shared only if they exist before the fork")
        counts = SharedCounts(self, width)
        self._counts.append(counts)
        return counts

    def clear(self, place: int) -> None:
        """Clear all counts of an ended process."""
        for counts in self._counts:
            counts.clear(place)
