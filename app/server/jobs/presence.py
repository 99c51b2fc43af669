"""Liveness of processes: a worker locks a file named by its id, and servers and workers share the lock of their folder.

The kernel releases a lock at any end of its process.
"""

import fcntl
import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Final

from app.errors import InputError

__all__ = ["departed_workers", "exclusive_use", "hold_presence", "is_in_use", "share_folder"]

IN_USE: Final = ".in-use"


def share_folder(folder: Path) -> int:
    """Share a data folder until this process ends or closes the descriptor; waits for the end of an exclusive use."""
    folder.mkdir(parents=True, exist_ok=True)
    file = os.open(folder / IN_USE, os.O_CREAT | os.O_RDONLY, 0o644)
    fcntl.flock(file, fcntl.LOCK_SH)
    return file


@contextmanager
def exclusive_use(folder: Path) -> Iterator[None]:
    """Use a data folder alone; InputError if a server or a worker uses it."""
    folder.mkdir(parents=True, exist_ok=True)
    file = os.open(folder / IN_USE, os.O_CREAT | os.O_RDONLY, 0o644)
    try:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        os.close(file)
        raise InputError("invalid-request", f"a server or a worker uses {folder}; stop it first") from None
    try:
        yield
    finally:
        os.close(file)


def is_in_use(folder: Path) -> bool:
    """Return True if a server or a worker of this machine uses a data folder at this moment."""
    if not (folder / IN_USE).is_file():
        return False
    try:
        with exclusive_use(folder):
            return False
    except InputError:
        return True


def hold_presence(folder: Path, worker: str) -> int:
    """Lock a file named by the worker until this process ends; return its descriptor."""
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / worker
    while True:
        file = os.open(path, os.O_CREAT | os.O_RDWR, 0o600)
        fcntl.flock(file, fcntl.LOCK_EX)
        # Another process may have removed the file before this lock.
        if _is_still(path, file):
            return file
        os.close(file)


def departed_workers(folder: Path) -> Iterator[str]:
    """Ids of ended workers of this folder; each file is removed before the next id."""
    for path in sorted(folder.iterdir()) if folder.is_dir() else ():
        try:
            file = os.open(path, os.O_RDWR)
        except FileNotFoundError:
            continue
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
            if _is_still(path, file):
                yield path.name
                path.unlink(missing_ok=True)
        except BlockingIOError:
            pass
        finally:
            os.close(file)


def _is_still(path: Path, file: int) -> bool:
    try:
        return os.path.samestat(path.stat(), os.fstat(file))
    except FileNotFoundError:
        return False
