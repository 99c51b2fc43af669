"""Files that may be gzip: read as what is in them, written the same wherever and whenever the same is written into them."""

import gzip
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from gzip import GzipFile
from pathlib import Path
from typing import Any, BinaryIO, Final

from app.errors import InputError

__all__ = ["open_packed", "opened", "written_gzip"]

MAGIC: Final = b"\x1f\x8b"


def opened(path: Path, stack: ExitStack) -> BinaryIO:
    """A file to read, inflated where it is gzip; closed with the stack. InputError where it cannot be opened."""
    try:
        plain = stack.enter_context(path.open("rb"))
    except OSError as error:
        raise InputError("invalid-request", f"{path}: {error.strerror or 'cannot be read'}") from None
    if plain.peek(2)[:2] != MAGIC:
        return plain
    return stack.enter_context(gzip.GzipFile(fileobj=plain))  # type: ignore[return-value]


@contextmanager
def written_gzip(path: Path, level: int = 6) -> Iterator[GzipFile]:
    """A gzip file to write bytes into, with neither its name nor the time in its heading."""
    with path.open("wb") as plain, GzipFile("", "wb", level, plain, 0) as packed:
        yield packed


def open_packed(aside: Path, path: Path, stack: ExitStack, level: int = 6) -> BinaryIO:
    """`aside` to write what will be at `path`: packed where that ends in ``.gz``; closed with the stack."""
    if path.suffix == ".gz":
        packed: Any = stack.enter_context(written_gzip(aside, level))
        return packed  # type: ignore[no-any-return]
    return stack.enter_context(aside.open("wb"))
