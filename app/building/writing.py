"""Atomic writing of folders and files: complete, or not at all."""

import errno
import os
import secrets
import shutil
from collections.abc import Iterable, Iterator, Mapping
from contextlib import ExitStack, contextmanager, suppress
from io import TextIOWrapper
from pathlib import Path
from typing import Any, Final, TextIO

from numpy.typing import NDArray
from safetensors.numpy import save

from app.building.gzip_files import open_packed
from app.errors import InputError
from app.resources.file_modes import take_modes
from app.resources.manifest import MANIFEST

__all__ = [
    "check_apart",
    "check_new",
    "file_aside",
    "file_identity",
    "folder_aside",
    "full_disk_named",
    "remove_leftovers",
    "save_arrays",
    "text_aside",
]

# A full disk, a full quota, or the size limit of a file.
DISK_FULL_ERRORS: Final = frozenset({errno.ENOSPC, errno.EDQUOT, errno.EFBIG})
# End of the hidden name of a file or folder that is being written.
STAGING: Final = ".new"


@contextmanager
def folder_aside(folder: Path, replace: bool = False, old_names: Iterable[str] = ()) -> Iterator[Path]:
    """Yield a hidden folder for writing; its files are moved to `folder` at the end, or deleted after an error.

    Other files of an existing `folder` stay. Files of equal names are replaced one by one, the manifest
    last; without `replace` they are an InputError. Files with `old_names`, from an earlier run, are deleted at the end.
    """
    new_parents = [parent for parent in folder.parents if not parent.exists()]
    folder.parent.mkdir(parents=True, exist_ok=True)
    staging = folder.parent / f".{secrets.token_hex(8)}{STAGING}"
    staging.mkdir()
    try:
        with full_disk_named(folder, staging):
            yield staging
        if not replace:
            check_new(folder, [path.name for path in staging.iterdir()])
        take_modes(staging, folder if folder.is_dir() else folder.parent)
        for path in staging.iterdir():
            _sync(path)
        if folder.exists():
            names = {path.name for path in staging.iterdir()}
            for name in sorted(set(old_names) - names):
                (folder / name).unlink(missing_ok=True)
            for path in sorted(staging.iterdir(), key=lambda path: path.name == MANIFEST):
                path.replace(folder / path.name)
        else:
            staging.rename(folder)
        _sync(folder.parent)
    finally:
        shutil.rmtree(staging, ignore_errors=True)
        with suppress(OSError):
            # New parents are empty after an error.
            for parent in new_parents:
                parent.rmdir()


@contextmanager
def file_aside(path: Path) -> Iterator[Path]:
    """Yield a hidden file beside `path` that replaces it at the end; or `path` itself if it is no regular file, as /dev/null."""
    if path.exists() and not path.is_file():
        yield path
        return
    staging = path.with_name(f".{secrets.token_hex(8)}{STAGING}")
    try:
        with full_disk_named(path, staging):
            yield staging
            _sync(staging)
        staging.replace(path)
    finally:
        staging.unlink(missing_ok=True)


def remove_leftovers(folder: Path) -> None:
    """Delete the hidden files of writers that were killed; nobody else may write in the folder meanwhile."""
    for path in folder.glob(f".{'[0-9a-f]' * 16}{STAGING}"):
        if path.is_file():
            path.unlink(missing_ok=True)


@contextmanager
def full_disk_named(path: Path, staging: Path | None = None) -> Iterator[None]:
    """Let errors about a full disk name `path`, instead of no file or of its `staging` path."""
    try:
        yield
    except OSError as error:
        if error.errno in DISK_FULL_ERRORS:
            place = None if error.filename is None else Path(os.fsdecode(error.filename))
            if place is None:
                error.filename = str(path)
            elif staging is not None and place.is_relative_to(staging):
                error.filename = str(path / place.relative_to(staging))
        raise


def save_arrays(arrays: Mapping[str, NDArray[Any]], path: Path) -> None:
    """Write arrays as safetensors; its own writer would raise errors other than OSError on a full disk."""
    path.write_bytes(save(dict(arrays)))


@contextmanager
def text_aside(path: Path) -> Iterator[TextIO]:
    """Yield a text file for writing that is moved to `path` at the end; gzip if the name ends in ``.gz``."""
    with file_aside(path) as staging, ExitStack() as stack:
        text = TextIOWrapper(open_packed(staging, path, stack, 1), encoding="utf-8", newline="\n")
        yield text
        text.flush()
        text.detach()


def check_apart(inputs: Iterable[Path], outputs: Iterable[Path]) -> None:
    """Check that no output is an input or occurs twice; InputError names the file.

    Links are followed. Folders and special files such as /dev/null are exempt.
    """
    input_ids = {file_identity(path) for path in inputs if path.is_file()}
    output_ids: set[tuple[int, int] | Path] = set()
    for path in outputs:
        if path.exists() and not path.is_file():
            continue
        identity = file_identity(path)
        if identity in input_ids:
            raise InputError("invalid-request", f"{path} is an input of this command, so it cannot be an output; name another file")
        if identity in output_ids:
            raise InputError("invalid-request", f"two outputs are the same file, {path}; name another file")
        output_ids.add(identity)


def file_identity(path: Path) -> tuple[int, int] | Path:
    """Device and inode of a file, or the resolved path of a missing one; equal for all names of a file."""
    if not path.exists():
        return path.resolve()
    status = path.stat()
    return status.st_dev, status.st_ino


def check_new(folder: Path, names: Iterable[str]) -> None:
    """Check that none of these files is in a folder; InputError names the first that is."""
    existing = next((folder / name for name in sorted(names) if (folder / name).exists()), None)
    if existing is not None:
        raise InputError("invalid-request", f"{existing} is there already; --replace overwrites it", ("--replace",))


def _sync(path: Path) -> None:
    number = os.open(path, os.O_RDONLY)
    try:
        os.fsync(number)
    finally:
        os.close(number)
