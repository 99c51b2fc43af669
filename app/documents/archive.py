"""Zip archives of documents: read within limits, and target with the same members in the same order."""

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
# Text compresses to about a tenth of its size; only zip bombs reach a two-hundredth.
HIGHEST_RATIO: Final = 200
SMALL: Final = 100_000
BLOCK: Final = 1 << 20
DIRECTORY_END: Final = b"PK\x05\x06"
DIRECTORY_END_64: Final = b"PK\x06\x07"
MEMBER: Final = b"PK\x01\x02"
# Errors of Python's reader on damaged archives.
ZIP_ERRORS: Final = (
    zipfile.BadZipFile, zlib.error, lzma.LZMAError, struct.error, EOFError, LookupError, NotImplementedError, OSError,
    OverflowError, RuntimeError, ValueError,
)  # fmt: skip
OFFICE: Final = "[Content_Types].xml"


def is_zip(raw: bytes) -> bool:
    """Return True if the bytes begin like a zip archive."""
    return raw[:4] in (b"PK\x03\x04", b"PK\x05\x06")


def open_members(raw: bytes, name: str, holds_office: bool = False) -> list[tuple[str, bytes]]:
    """Names and contents of the files in an archive; InputError (`unsafe-document`, `document-too-large`, `invalid-document`).

    Documents of office programs are refused (`unknown-format`) unless `holds_office`.
    """
    if _member_count(raw) > MOST_MEMBERS:
        raise _member_limit_error(name)
    try:
        with zipfile.ZipFile(io.BytesIO(raw)) as archive:
            infos = archive.infolist()
            _check(infos, name, holds_office)
            budget = MOST_BYTES
            members = []
            for info in infos:
                if not info.is_dir():
                    content = _content(archive, info, budget, name)
                    budget -= len(content)
                    members.append((info.filename, content))
            return members
    except InputError:
        raise
    except ZIP_ERRORS:
        raise InputError(
            "invalid-document", "this zip archive is damaged or of an unsupported kind; pack it again", (name,)
        ) from None


def _member_count(raw: bytes) -> int:
    """Number of members in the directory, counted before a reader builds an object of each."""
    end = raw.rfind(DIRECTORY_END)
    size = int.from_bytes(raw[end + 12 : end + 16], "little")
    # A ZIP64 directory stores its size elsewhere, so its entries are searched from the beginning.
    begin = 0 if end < 0 or raw.find(DIRECTORY_END_64, max(0, end - 100), end) >= 0 else max(0, end - size)
    return raw.count(MEMBER, begin)


def _member_limit_error(name: str) -> InputError:
    return InputError(
        "document-too-large", f"this archive has too many files; at most {MOST_MEMBERS} files can be read, so split it", (name,)
    )


def _check(infos: Sequence[zipfile.ZipInfo], name: str, holds_office: bool) -> None:
    if len(infos) > MOST_MEMBERS:
        raise _member_limit_error(name)
    names = [info.filename for info in infos]
    if OFFICE in names and not holds_office:
        raise InputError("unknown-format", f"this is {foreign_archive(names)}", (name,))
    if len(set(names)) != len(names):
        raise InputError("unsafe-document", "two files of the archive have the same name; rename one", (name,))
    if sum(info.file_size for info in infos) > MOST_BYTES:
        raise InputError("document-too-large", f"this archive inflates to more than {MOST_BYTES} bytes; split it", (name,))
    for number, info in enumerate(infos, 1):
        if not info.filename:
            raise InputError("unsafe-document", f"file {number} of the archive has no name; pack it again", (name, number))
        path = PurePosixPath(info.filename)
        if path.is_absolute() or ".." in path.parts or "\\" in info.filename or ":" in info.filename:
            raise InputError(
                "unsafe-document",
                f"file {number} of the archive has a path outside the archive; pack it with relative paths",
                (name, number),
            )
        if stat.S_ISLNK(info.external_attr >> 16):
            raise InputError("unsafe-document", f"file {number} of the archive is a link; pack the file itself", (name, number))
        if info.flag_bits & 1:
            raise InputError(
                "invalid-document", f"file {number} of the archive is encrypted; pack it without a password", (name, number)
            )
        if info.file_size > SMALL and info.file_size > HIGHEST_RATIO * max(1, info.compress_size):
            raise InputError(
                "unsafe-document", f"file {number} of the archive is compressed more than {HIGHEST_RATIO} times", (name, number)
            )


def _content(archive: zipfile.ZipFile, info: zipfile.ZipInfo, budget: int, name: str) -> bytes:
    """Content of a member, read in blocks up to its announced size and at most `budget` bytes."""
    content = bytearray()
    with archive.open(info) as file:
        while block := file.read(BLOCK):
            content += block
            if len(content) > min(budget, info.file_size):
                raise InputError("unsafe-document", "a file of the archive is larger than its header says; pack it again", (name,))
    return bytes(content)


def with_members(raw: bytes, change: Callable[[str, bytes], bytes]) -> bytes:
    """Archive with the content of every file replaced by `change(name, content)`; names, dates and order stay."""
    out = io.BytesIO()
    with zipfile.ZipFile(io.BytesIO(raw)) as archive, zipfile.ZipFile(out, "w") as target:
        target.comment = archive.comment
        for info in archive.infolist():
            content = b"" if info.is_dir() else change(info.filename, archive.read(info))
            target.writestr(info, content, compress_type=info.compress_type)
    return out.getvalue()
