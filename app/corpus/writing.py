"""Folders of resources that are there whole or not at all, however long they take to build."""

import os
import secrets
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from app.resources.manifest import MANIFEST

__all__ = ["written_aside"]


@contextmanager
def written_aside(folder: Path) -> Iterator[Path]:
    """A hidden folder, which is passed over, to write into; what is in it is in `folder` once all is written, or nothing is.

    Where `folder` is there already, its files are replaced one by one, the manifest last; others stay, as a language's tagger.
    """
    folder.parent.mkdir(parents=True, exist_ok=True)
    aside = folder.parent / f".{secrets.token_hex(8)}.new"
    aside.mkdir()
    try:
        yield aside
        for path in aside.iterdir():
            _sync(path)
        if folder.exists():
            for path in sorted(aside.iterdir(), key=lambda path: path.name == MANIFEST):
                path.replace(folder / path.name)
        else:
            aside.rename(folder)
        _sync(folder.parent)
    finally:
        shutil.rmtree(aside, ignore_errors=True)


def _sync(path: Path) -> None:
    number = os.open(path, os.O_RDONLY)
    try:
        os.fsync(number)
    finally:
        os.close(number)
