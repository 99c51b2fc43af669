"""Files that may be gzip: inflated when read, and written reproducibly."""

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
    """Open a file for reading, inflated if it is gzip; the stack closes it. InputError if it cannot be opened."""
    try:
        plain = stack.enter_context(path.open("rb"))
    except OSError as error:
        raise InputError("invalid-request", f"{path}: {error.strerror or 'cannot be read'}") from None
    if plain.peek(2)[:2] != MAGIC:
        return plain
    return stack.enter_context(gzip.GzipFile(fileobj=plain))  # type: ignore[return-value]


def check_read_again(paths: Iterable[Path]) -> None:
    """Check that files that are read twice are no pipes, which would be empty at the second time; else InputError."""
    for path in paths:
        if path.exists() and not path.is_file():
            raise InputError("invalid-request", f"{path} is a pipe, and it is read twice; save it as a file", (str(path),))


class _NamedFile(FileIO):
    """A file for writing whose errors have its final name; the system names no file if a disk is full."""

    def __init__(self, place: Path, final_path: Path) -> None:
        super().__init__(place, "w")
        self.final_path = final_path

    def write(self, data: "ReadableBuffer", /) -> int:
        try:
            return super().write(data)
        except OSError as error:
            error.filename = str(self.final_path)
            raise


@contextmanager
def written_gzip(path: Path, level: int = 6, final_path: Path | None = None) -> Iterator[GzipFile]:
    """Open a gzip file for writing, without name and time in its header; errors name `final_path`."""
    with BufferedWriter(_NamedFile(path, final_path or path), BUFFER) as plain, GzipFile("", "wb", level, plain, 0) as file:
        yield file


def open_packed(staging: Path, path: Path, stack: ExitStack, level: int = 6) -> BinaryIO:
    """Open `staging` for writing, as gzip if `path` ends in ``.gz``; errors name `path`. The stack closes it."""
    if path.suffix == ".gz":
        file: Any = stack.enter_context(written_gzip(staging, level, path))
        return file  # type: ignore[no-any-return]
    return stack.enter_context(BufferedWriter(_NamedFile(staging, path), BUFFER))
