"""Zip archives of documents: opened within limits, written again with the same members in the same order."""

import io
import lzma
import stat
import struct
import zipfile
import zlib
from collections.abc import Callable, Sequence
from pathlib import PurePosixPath
from typing import Final

from app.errors import InputError
from app.text.reading.foreign import foreign_archive

__all__ = ["MOST_BYTES", "MOST_MEMBERS", "is_zip", "open_members", "with_members"]

MOST_MEMBERS: Final = 1000
MOST_BYTES: Final = 128_000_000
# Text packs to a tenth; nothing honest packs to a two-hundredth.
HIGHEST_RATIO: Final = 200
SMALL: Final = 100_000
BLOCK: Final = 1 << 20
DIRECTORY_END: Final = b"PK\x05\x06"
DIRECTORY_END_64: Final = b"PK\x06\x07"
MEMBER: Final = b"PK\x01\x02"
# What Python's reader raises, depending on which byte is wrong.
DAMAGED: Final = (
    zipfile.BadZipFile, zlib.error, lzma.LZMAError, struct.error, EOFError, LookupError, NotImplementedError, OSError,
    OverflowError, RuntimeError, ValueError,
)  # fmt: skip
OFFICE: Final = "[Content_Types].xml"


def is_zip(raw: bytes) -> bool:
    """Whether this begins as a zip archive does."""
    return raw[:4] in (b"PK\x03\x04", b"PK\x05\x06")


def open_members(raw: bytes, name: str) -> list[tuple[str, bytes]]:
    """Names and contents of the files of an archive. InputError (`unsafe-document`, `document-too-large`, `invalid-document`)."""
    if _announced(raw) > MOST_MEMBERS:
        raise _too_many(name)
    try:
        with zipfile.ZipFile(io.BytesIO(raw)) as archive:
            infos = archive.infolist()
            _check(infos, name)
            left, members = MOST_BYTES, []
            for info in infos:
                if not info.is_dir():
                    content = _content(archive, info, left, name)
                    left -= len(content)
                    members.append((info.filename, content))
            return members
    except InputError:
        raise
    except DAMAGED:
        raise InputError("invalid-document", "this zip archive is damaged or of a kind that is not read", (name,)) from None


def _announced(raw: bytes) -> int:
    """How many members the directory lists, as its own entries say: a reader makes an object of each."""
    end = raw.rfind(DIRECTORY_END)
    size = int.from_bytes(raw[end + 12 : end + 16], "little")
    # The larger directory of ZIP64 says elsewhere how long it is.
    begin = 0 if end < 0 or raw.find(DIRECTORY_END_64, max(0, end - 100), end) >= 0 else max(0, end - size)
    return raw.count(MEMBER, begin)


def _too_many(name: str) -> InputError:
    return InputError("document-too-large", f"an archive may have at most {MOST_MEMBERS} files", (name,))


def _check(infos: Sequence[zipfile.ZipInfo], name: str) -> None:
    if len(infos) > MOST_MEMBERS:
        raise _too_many(name)
    names = [info.filename for info in infos]
    if OFFICE in names:
        raise InputError("unknown-format", f"this is {foreign_archive(names)}", (name,))
    if len(set(names)) != len(names):
        raise InputError("unsafe-document", "two files of the archive have one name", (name,))
    if sum(info.file_size for info in infos) > MOST_BYTES:
        raise InputError("document-too-large", f"an archive may hold at most {MOST_BYTES} bytes", (name,))
    for number, info in enumerate(infos, 1):
        if not info.filename:
            raise InputError("unsafe-document", f"file {number} of the archive has no name", (name, number))
        path = PurePosixPath(info.filename)
        if path.is_absolute() or ".." in path.parts or "\\" in info.filename or ":" in info.filename:
            raise InputError("unsafe-document", f"file {number} of the archive has a name that leads out of it", (name, number))
        if stat.S_ISLNK(info.external_attr >> 16):
            raise InputError("unsafe-document", f"file {number} of the archive is a link", (name, number))
        if info.flag_bits & 1:
            raise InputError("invalid-document", f"file {number} of the archive is encrypted", (name, number))
        if info.file_size > SMALL and info.file_size > HIGHEST_RATIO * max(1, info.compress_size):
            raise InputError(
                "unsafe-document", f"file {number} of the archive is packed more than {HIGHEST_RATIO} times", (name, number)
            )


def _content(archive: zipfile.ZipFile, info: zipfile.ZipInfo, left: int, name: str) -> bytes:
    """A member, read in blocks and no further than its announced size and the limit."""
    content = bytearray()
    with archive.open(info) as file:
        while block := file.read(BLOCK):
            content += block
            if len(content) > min(left, info.file_size):
                raise InputError("unsafe-document", "a file of the archive is larger than it says", (name,))
    return bytes(content)


def with_members(raw: bytes, change: Callable[[str, bytes], bytes]) -> bytes:
    """The archive with every file as `change` returns it, all else about them kept."""
    out = io.BytesIO()
    with zipfile.ZipFile(io.BytesIO(raw)) as archive, zipfile.ZipFile(out, "w") as written:
        written.comment = archive.comment
        for info in archive.infolist():
            content = b"" if info.is_dir() else change(info.filename, archive.read(info))
            written.writestr(info, content, compress_type=info.compress_type)
    return out.getvalue()
