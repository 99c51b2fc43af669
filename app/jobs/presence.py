"""Which worker processes live: each holds the lock of a file named by its id, which the kernel lets go when it ends, however."""

import fcntl
import os
from collections.abc import Iterator
from pathlib import Path

__all__ = ["departed_workers", "hold_presence"]


def hold_presence(folder: Path, worker: str) -> int:
    """Be seen to live until this process ends; the descriptor of the locked file."""
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / worker
    while True:
        file = os.open(path, os.O_CREAT | os.O_RDWR, 0o600)
        fcntl.flock(file, fcntl.LOCK_EX)
        # Somebody who found the file before it was locked may have removed it.
        if _is_still(path, file):
            return file
        os.close(file)


def departed_workers(folder: Path) -> Iterator[str]:
    """Ids of workers of this folder that have ended; each is forgotten when the next is asked for."""
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
