"""Folders of resources that are there whole or not at all, however long they take to build."""

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

__all__ = ["check_apart", "check_new", "file_aside", "full_disk_named", "save_arrays", "text_aside", "written_aside"]

# A disk, somebody's share of it or the longest file that is allowed.
FULL: Final = frozenset({errno.ENOSPC, errno.EDQUOT, errno.EFBIG})


@contextmanager
def written_aside(folder: Path, replace: bool = False, outdated: Iterable[str] = ()) -> Iterator[Path]:
    """A hidden folder, which is passed over, to write into; what is in it is in `folder` once all is written, or nothing is.

    Where `folder` is there already, others of its files stay, as a language's tagger; those of the same names are replaced one by
    one, the manifest last, or are, unless `replace` allows that, an InputError. Files of `outdated` names, what an earlier run
    wrote, go when those that are written come into their places, and not before.
    """
    made = [parent for parent in folder.parents if not parent.exists()]
    folder.parent.mkdir(parents=True, exist_ok=True)
    aside = folder.parent / f".{secrets.token_hex(8)}.new"
    aside.mkdir()
    try:
        with full_disk_named(folder, aside):
            yield aside
        if not replace:
            check_new(folder, [path.name for path in aside.iterdir()])
        take_modes(aside, folder if folder.is_dir() else folder.parent)
        for path in aside.iterdir():
            _sync(path)
        if folder.exists():
            written = {path.name for path in aside.iterdir()}
            for name in sorted(set(outdated) - written):
                (folder / name).unlink(missing_ok=True)
            for path in sorted(aside.iterdir(), key=lambda path: path.name == MANIFEST):
                path.replace(folder / path.name)
        else:
            aside.rename(folder)
        _sync(folder.parent)
    finally:
        shutil.rmtree(aside, ignore_errors=True)
        with suppress(OSError):
            # Where nothing came of it, they are empty.
            for parent in made:
                parent.rmdir()


@contextmanager
def file_aside(path: Path) -> Iterator[Path]:
    """A hidden file beside `path`, which takes its place when all went well; `path` itself where it is no file, as /dev/null."""
    if path.exists() and not path.is_file():
        yield path
        return
    aside = path.with_name(f".{secrets.token_hex(8)}.new")
    try:
        with full_disk_named(path, aside):
            yield aside
            _sync(aside)
        aside.replace(path)
    finally:
        aside.unlink(missing_ok=True)


@contextmanager
def full_disk_named(path: Path, aside: Path | None = None) -> Iterator[None]:
    """Let errors about a full disk name what was being written: `path`, where they name nothing or what stands `aside` for it."""
    try:
        yield
    except OSError as error:
        if error.errno in FULL:
            place = None if error.filename is None else Path(os.fsdecode(error.filename))
            if place is None:
                error.filename = str(path)
            elif aside is not None and place.is_relative_to(aside):
                error.filename = str(path / place.relative_to(aside))
        raise


def save_arrays(arrays: Mapping[str, NDArray[Any]], path: Path) -> None:
    """Write arrays as safetensors, whose own writer raises errors about a full disk that are no OSError."""
    path.write_bytes(save(dict(arrays)))


@contextmanager
def text_aside(path: Path) -> Iterator[TextIO]:
    """A text to write that is at `path` once all of it is written, packed where the name ends in ``.gz``."""
    with file_aside(path) as aside, ExitStack() as stack:
        text = TextIOWrapper(open_packed(aside, path, stack, 1), encoding="utf-8", newline="\n")
        yield text
        text.flush()
        text.detach()


def check_apart(read: Iterable[Path], written: Iterable[Path]) -> None:
    """InputError that names a file that would be written although it is one of those that are read, or is written twice.

    Links are followed. What is no ordinary file, as /dev/null, may be both, and so may folders.
    """
    inputs = {_identity(path) for path in read if path.is_file()}
    before: set[tuple[int, int] | Path] = set()
    for path in written:
        if path.exists() and not path.is_file():
            continue
        identity = _identity(path)
        if identity in inputs:
            raise InputError("invalid-request", f"{path} is read by this command, so that it cannot be written; name another file")
        if identity in before:
            raise InputError("invalid-request", f"two of the files to write are the same: {path}")
        before.add(identity)


def _identity(path: Path) -> tuple[int, int] | Path:
    """What is the same of all names of a file."""
    if not path.exists():
        return path.resolve()
    status = path.stat()
    return status.st_dev, status.st_ino


def check_new(folder: Path, names: Iterable[str]) -> None:
    """InputError that names the first of these files that is in a folder already."""
    there = next((folder / name for name in sorted(names) if (folder / name).exists()), None)
    if there is not None:
        raise InputError("invalid-request", f"{there} is there already; --replace writes another in its place", ("--replace",))


def _sync(path: Path) -> None:
    number = os.open(path, os.O_RDONLY)
    try:
        os.fsync(number)
    finally:
        os.close(number)
