"""Opening of list files, from disk or upload; gzip is inflated during reading."""

import gzip
import io
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from itertools import islice
from pathlib import Path
from typing import Any, BinaryIO, Final, cast

from app.errors import InputError
from app.text.reading.lines import BYTE_ORDER_MARK, GZIP, LARGEST_FILE, TextFile
from app.text.reading.moses_n_best import MOST_SEGMENTS

__all__ = ["File", "head_of", "lines_of_file", "opened"]

# A path, or bytes or an open file with a name for errors.
File = Path | TextFile

BUFFER: Final = 1 << 18


@contextmanager
def opened(file: File) -> Iterator[TextFile]:
    """Open a file as a `TextFile` of inflated bytes; InputError if it cannot be read or is damaged."""
    name = file.name
    try:
        if isinstance(file, Path):
            with file.open("rb", buffering=BUFFER) as stream:
                yield TextFile(name, _inflating(stream, name, None))
        else:
            stream = io.BufferedReader(io.BytesIO(file.content)) if isinstance(file.content, bytes) else file.content
            yield TextFile(name, _inflating(stream, name, LARGEST_FILE), file.longest)
    except (EOFError, zlib.error, gzip.BadGzipFile):
        raise InputError("invalid-encoding", f"{name} is a damaged gzip file", (name,)) from None
    except OSError as error:
        raise InputError("invalid-request", f"{error.filename or name}: {error.strerror or 'cannot be read'}") from None


def head_of(file: TextFile) -> str:
    """Return the first non-blank line of an open file, as far as it is buffered; the position does not move."""
    head = cast(io.BufferedReader, file.content).peek(1).removeprefix(BYTE_ORDER_MARK)
    return head.lstrip().split(b"\n", 1)[0].decode("utf-8", "replace").strip()


def lines_of_file(file: File) -> list[str]:
    """Return all lines of a file; InputError if there are more than `MOST_SEGMENTS`."""
    with opened(file) as text:
        lines = list(islice(text.lines(), MOST_SEGMENTS + 1))
        if len(lines) > MOST_SEGMENTS:
            raise InputError("too-many-segments", f"{text.name} has more than {MOST_SEGMENTS} lines", (text.name,))
        return lines


def _inflating(stream: BinaryIO, name: str, limit: int | None) -> BinaryIO:
    """Return the stream, inflated if it is gzip, up to `limit` bytes."""
    reader = stream if isinstance(stream, io.BufferedReader) else io.BufferedReader(cast(io.RawIOBase, stream), BUFFER)
    if reader.peek(2)[:2] != GZIP:
        return reader
    inflated_stream = gzip.GzipFile(fileobj=reader, mode="rb")
    return io.BufferedReader(inflated_stream if limit is None else _BoundedStream(inflated_stream, name, limit), BUFFER)


class _BoundedStream(io.RawIOBase):
    """An inflated upload; InputError beyond a limit of bytes."""

    def __init__(self, file: gzip.GzipFile, name: str, limit: int) -> None:
        self._file, self._name, self._room = file, name, limit

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:
        count = self._file.readinto(buffer)
        self._room -= count
        if self._room < 0:
            raise InputError("document-too-large", f"{self._name} inflates to more than {LARGEST_FILE} bytes", (self._name,))
        return count
