"""The files of a job while a worker runs its steps: pieces in the database, and a folder for each step."""

import os
import shutil
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import BinaryIO, Final
from uuid import uuid4

from app.errors import InputError
from app.server.jobs.presence import departed_workers, hold_presence
from app.server.jobs.waiting import patiently
from app.server.store.queue import JobQueue
from app.server.store.view import JobView

__all__ = ["KeptFiles", "Scratch"]

PIECE: Final = 1 << 20
# Folder of locks; each marks a folder in use.
HELD_FOLDER: Final = "held"


@dataclass(frozen=True)
class Scratch:
    """Folder for files of steps, on a disk with at least `least_free` free bytes."""

    root: Path
    least_free: int

    @contextmanager
    def folder(self) -> Iterator[Path]:
        """An empty folder; folders of killed workers are removed first."""
        held_folder = self.root / HELD_FOLDER
        for name in departed_workers(held_folder):
            shutil.rmtree(self.root / name, ignore_errors=True)
        name = uuid4().hex
        lock = hold_presence(held_folder, name)
        folder = self.root / name
        try:
            folder.mkdir(mode=0o700)
            yield folder
        finally:
            shutil.rmtree(folder, ignore_errors=True)
            (held_folder / name).unlink(missing_ok=True)
            os.close(lock)


class KeptFiles:
    """The `JobFiles` of a leased job; `check` raises if the job must end."""

    def __init__(self, queue: JobQueue, worker: str, job: JobView, scratch: Scratch, check: Callable[[], None]) -> None:
        self._queue = queue
        self._worker = worker
        self._job = job
        self._scratch = scratch
        self._check = check
        self.folder = scratch.folder

    @property
    def least_free(self) -> int:
        """Bytes of the disk that stay free."""
        return self._scratch.least_free

    def pieces(self, role: str) -> Iterator[bytes]:
        """The content of a file, a megabyte at a time."""
        for piece in self._queue.pieces(self._job.id, role):
            self._check()
            yield piece

    def keep(self, role: str, file: BinaryIO, most: int | None) -> None:
        """Store a file under `role`. If the owner would exceed `most` bytes, store nothing and raise QuotaError."""
        file.seek(0)
        number = 0
        try:
            while piece := file.read(PIECE):
                self._write(partial(self._queue.keep_piece, self._job.id, self._worker, role, number, piece, most))
                number += 1
        except InputError:
            self._write(partial(self._queue.drop_pieces, self._job.id, self._worker, role, 0))
            raise
        self._write(partial(self._queue.drop_pieces, self._job.id, self._worker, role, number))

    def drop(self, role: str) -> None:
        """Keep a file no longer."""
        self._write(partial(self._queue.drop_pieces, self._job.id, self._worker, role, 0))

    def _write(self, write: Callable[[], None]) -> None:
        self._check()
        patiently(write, self._check)
