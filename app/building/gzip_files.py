"""Files that may be gzip: read as what is in them, written the same wherever and whenever the same is written into them."""

import gzip
from collections.abc import Iterable, Iterator
from contextlib import ExitStack, contextmanager
from gzip import GzipFile
from io import BufferedWriter, FileIO
from pathlib import Path
from typing import TYPE_CHECKING, Any, BinaryIO, Final

from app.errors import InputError

if TYPE_CHECKING:
    from _typeshed import ReadableBuffer

__all__ = ["check_read_again", "open_packed", "opened", "written_gzip"]

MAGIC: Final = b"\x1f\x8b"
BUFFER: Final = 1 << 16


def opened(path: Path, stack: ExitStack) -> BinaryIO:
    """A file to read, inflated where it is gzip; closed with the stack. InputError where it cannot be opened."""
    try:
        plain = stack.enter_context(path.open("rb"))
    except OSError as error:
        raise InputError("invalid-request", f"{path}: {error.strerror or 'cannot be read'}") from None
    if plain.peek(2)[:2] != MAGIC:
        return plain
    return stack.enter_context(gzip.GzipFile(fileobj=plain))  # type: ignore[return-value]


def check_read_again(paths: Iterable[Path]) -> None:
    """InputError that names a pipe among files that are read twice: it would be empty the second time, or never end."""
    for path in paths:
        if path.exists() and not path.is_file():
            raise InputError("invalid-request", f"{path} is read twice, so that it is to be a file, and no pipe", (str(path),))


class _NamedFile(FileIO):
    """A file to write whose errors say what it will be called: the system names none where a disk is full."""

    def __init__(self, place: Path, called: Path) -> None:
        super().__init__(place, "w")
        self.called = called

    def write(self, data: "ReadableBuffer", /) -> int:
        try:
            return super().write(data)
        except OSError as error:
            error.filename = str(self.called)
            raise


@contextmanager
def written_gzip(path: Path, level: int = 6, called: Path | None = None) -> Iterator[GzipFile]:
    """A gzip file to write bytes into, with neither its name nor the time in its heading; errors name what it is `called`."""
    with BufferedWriter(_NamedFile(path, called or path), BUFFER) as plain, GzipFile("", "wb", level, plain, 0) as packed:
        yield packed


def open_packed(aside: Path, path: Path, stack: ExitStack, level: int = 6) -> BinaryIO:
    """`aside` to write what will be at `path`, which errors name: packed where that ends in ``.gz``; closed with the stack."""
    if path.suffix == ".gz":
        packed: Any = stack.enter_context(written_gzip(aside, level, path))
        return packed  # type: ignore[no-any-return]
    return stack.enter_context(BufferedWriter(_NamedFile(aside, path), BUFFER))
