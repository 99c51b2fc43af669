"""Bytes of remote files: lines of a bounded length, which files of fsspec lack, and errors of one class."""

import io
from typing import Any, BinaryIO, Final

__all__ = ["remote_bytes"]

# Bytes that are read at once, out of the larger blocks that fsspec holds.
BUFFER: Final = 1 << 17


def remote_bytes(file: Any) -> BinaryIO:
    """A reader of a file of fsspec; OSError for all errors of its store, whose package has classes of its own."""
    return io.BufferedReader(RemoteBytes(file), BUFFER)


class RemoteBytes(io.RawIOBase):
    """The bytes of a file of fsspec, without a buffer."""

    def __init__(self, file: Any) -> None:
        self._file = file

    def readable(self) -> bool:
        """Return True."""
        return True

    def seekable(self) -> bool:
        """Return True; a store without parts of files fails at the first one."""
        return True

    def tell(self) -> int:
        """Place of the next byte."""
        return int(self._file.tell())

    def seek(self, offset: int, whence: int = io.SEEK_SET, /) -> int:
        """Go to a byte."""
        try:
            self._file.seek(offset, whence)
        except Exception as error:
            raise _error_of(error) from None
        return self.tell()

    def readinto(self, buffer: Any, /) -> int:
        """Fill a buffer, and return the number of bytes."""
        try:
            data = self._file.read(len(buffer))
        except Exception as error:
            raise _error_of(error) from None
        buffer[: len(data)] = data
        return len(data)


def _error_of(error: Exception) -> OSError:
    if isinstance(error, OSError):
        return error
    # Of a file of HTTP in parts.
    if isinstance(error, ValueError) and "HTTP" in str(error):
        return OSError("its server sends no parts of files, only whole ones; copy it to a disk or a bucket")
    return OSError(f"{type(error).__name__}: {error}")
