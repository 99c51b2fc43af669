"""Windows of drift: counts of features in the previous and the current window of a model, in one process or shared by several."""

import fcntl
import mmap
import os
import threading
from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager
from pathlib import Path
from typing import Final, Protocol
from urllib.parse import quote, unquote

import numpy as np

from app.arrays import Int64s

__all__ = ["LocalWindows", "SharedWindows", "Windows"]

# Previous and current window.
WINDOWS: Final = 2


class Windows(Protocol):
    """Windows by model; safe to use from any thread."""

    def use(self, model: str, shape: tuple[int, ...]) -> AbstractContextManager[Int64s]:
        """Counts of a model, which nobody else changes within the context; shape (2, *shape)."""

    def models(self) -> list[str]:
        """Ids of the models with counts."""


class LocalWindows:
    """Windows of one process, which end with it."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._counts: dict[str, Int64s] = {}

    @contextmanager
    def use(self, model: str, shape: tuple[int, ...]) -> Iterator[Int64s]:
        """Counts of a model, which nobody else changes within the context; shape (2, *shape)."""
        with self._lock:
            counts = self._counts.get(model)
            if counts is None or counts.shape[1:] != shape:
                counts = self._counts[model] = np.zeros((WINDOWS, *shape), np.int64)
            yield counts

    def models(self) -> list[str]:
        """Ids of the models with counts."""
        with self._lock:
            return list(self._counts)


class SharedWindows:
    """Windows of several processes: a mapped file for each model in a folder, which the kernel unlocks if its process ends.

    Each process opens the files itself, since a lock belongs to an open file and not to a process.
    """

    def __init__(self, folder: Path) -> None:
        folder.mkdir(exist_ok=True)
        self._folder = folder
        self._lock = threading.Lock()
        self._files: dict[str, tuple[int, Int64s]] = {}

    @contextmanager
    def use(self, model: str, shape: tuple[int, ...]) -> Iterator[Int64s]:
        """Counts of a model, which nobody else changes within the context; shape (2, *shape)."""
        with self._lock:
            file, counts = self._files.get(model, (-1, None))
            if counts is None or counts.shape[1:] != shape:
                file, counts = self._files[model] = self._open(model, shape)
            fcntl.flock(file, fcntl.LOCK_EX)
            try:
                yield counts
            finally:
                fcntl.flock(file, fcntl.LOCK_UN)

    def _open(self, model: str, shape: tuple[int, ...]) -> tuple[int, Int64s]:
        """Descriptor and counts of a model's file, which is zero where the first process opens it."""
        size = WINDOWS * int(np.prod(shape)) * np.dtype(np.int64).itemsize
        # The size is a part of the name: a model of another size has counts of its own.
        file = os.open(self._folder / f"{quote(model, safe='')}@{size}", os.O_RDWR | os.O_CREAT, 0o600)
        os.ftruncate(file, size)
        return file, np.frombuffer(mmap.mmap(file, size), np.int64).reshape(WINDOWS, *shape)

    def models(self) -> list[str]:
        """Ids of the models with counts."""
        return sorted({unquote(path.name.rpartition("@")[0]) for path in self._folder.iterdir()})
