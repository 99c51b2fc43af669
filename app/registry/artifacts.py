"""Stores of models: a finished artifact appears under its name at once, or not at all."""

import os
import secrets
import shutil
import time
from collections.abc import Callable
from pathlib import Path
from typing import Final, Protocol

from app.errors import InputError
from app.resources.file_modes import take_modes

__all__ = ["ArtifactStore", "LocalArtifacts"]

Write = Callable[[Path], None]
LONGEST_NAME: Final = 200
TEMPORARY_SUFFIX: Final = ".new"
# Seconds after which an unfinished artifact is abandoned.
ABANDONMENT_SECONDS: Final = 24 * 3600.0
# Nanoseconds in which a folder may change twice under one time of change.
TICK: Final = 20_000_000


class ArtifactStore(Protocol):
    """Artifacts by name: folders (predictors, word taggers) or single files (trained metrics). A saved artifact never changes."""

    def save(self, name: str, write: Write, replace: bool = False) -> None:
        """Let `write` fill an empty folder, then show it under `name`; InputError for an existing name without `replace`."""

    def save_file(self, name: str, write: Write, replace: bool = False) -> None:
        """Let `write` make one file at its argument, a path, then show it under `name`; InputError as `save`."""

    def folder(self, name: str) -> Path:
        """Path of the folder (or file) of a name; InputError for text that cannot be a name."""

    def names(self) -> list[str]:
        """Names of all finished artifacts, sorted; OSError for a folder that cannot be read."""

    def stamp(self) -> object:
        """A value that changes when an artifact is saved or removed; cheap."""


class LocalArtifacts:
    """Artifacts in a folder on a disk shared by all processes."""

    def __init__(self, root: Path) -> None:
        self._root = root

    def save(self, name: str, write: Write, replace: bool = False) -> None:
        """See `ArtifactStore`; on disk when this returns."""

        def fill(folder: Path) -> None:
            folder.mkdir()
            write(folder)

        self.save_file(name, fill, replace)

    def save_file(self, name: str, write: Write, replace: bool = False) -> None:
        """See `ArtifactStore`; on disk when this returns."""
        target = self.folder(name)
        if target.exists() and not replace:
            raise _name_conflict(name)
        self._root.mkdir(parents=True, exist_ok=True)
        self._sweep()
        temporary_path = self._temporary_path()
        try:
            write(temporary_path)
            take_modes(temporary_path, self._root)
            _sync(temporary_path)
            self._publish(temporary_path, target, replace)
        finally:
            _remove(temporary_path)
        _sync_one(self._root)

    def _publish(self, temporary_path: Path, target: Path, replace: bool) -> None:
        old = self._temporary_path()
        if replace and target.exists():
            # A folder cannot be renamed onto a folder with files.
            target.rename(old)
        elif target.exists():
            raise _name_conflict(target.name)
        try:
            temporary_path.rename(target)
        except OSError:
            if not target.exists():
                raise
            # Another process was first.
            raise _name_conflict(target.name) from None
        finally:
            _remove(old)

    def _temporary_path(self) -> Path:
        return self._root / f".{secrets.token_hex(8)}{TEMPORARY_SUFFIX}"

    def _sweep(self) -> None:
        """Remove unfinished artifacts of killed processes."""
        for path in self._root.glob(f".*{TEMPORARY_SUFFIX}"):
            try:
                old = time.time() - path.stat().st_mtime > ABANDONMENT_SECONDS
            except OSError:
                continue
            if old:
                _remove(path)

    def folder(self, name: str) -> Path:
        """See `ArtifactStore`."""
        if not _is_name(name):
            detail = f"a name is 1 to {LONGEST_NAME} bytes without slashes or control characters, and begins with no full stop"
            raise InputError("invalid-request", detail, ("name",))
        return self._root / name

    def names(self) -> list[str]:
        """See `ArtifactStore`."""
        try:
            return sorted(path.name for path in self._root.iterdir() if _is_name(path.name))
        except FileNotFoundError:
            return []

    def stamp(self) -> object:
        """See `ArtifactStore`."""
        try:
            change_time = self._root.stat().st_mtime_ns
        except OSError:
            return None
        return change_time if time.time_ns() - change_time > TICK else object()


def _is_name(name: str) -> bool:
    printable = name.isprintable() and not set(name) & {"/", "\\"}
    return printable and not name.startswith(".") and 0 < len(name.encode()) <= LONGEST_NAME


def _name_conflict(name: str) -> InputError:
    return InputError("invalid-request", f"{name} exists already; give another name", ("name",))


def _remove(path: Path) -> None:
    if path.is_dir():
        shutil.rmtree(path, ignore_errors=True)
    else:
        path.unlink(missing_ok=True)


def _sync(path: Path) -> None:
    """Write a file, or a folder with its files, through to the disk."""
    if path.is_dir():
        for inside in path.iterdir():
            _sync(inside)
    _sync_one(path)


def _sync_one(path: Path) -> None:
    number = os.open(path, os.O_RDONLY)
    try:
        os.fsync(number)
    finally:
        os.close(number)
