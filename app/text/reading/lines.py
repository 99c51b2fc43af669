"""Texts as lines: read one after the other in bounded memory, decoded, and laid side by side."""

import gzip
import io
import zlib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import chain, count, zip_longest
from operator import itemgetter
from pathlib import Path
from typing import Any, BinaryIO, Final, Protocol

from app.errors import InputError

__all__ = ["LONGEST_LINE", "Column", "Lines", "TextFile", "decode_text", "read_bytes", "side_by_side"]

LARGEST_FILE: Final = 2 * 1024**3
# In bytes; callers that know how long a segment may be say less.
LONGEST_LINE: Final = 1 << 24
BYTE_ORDER_MARK: Final = b"\xef\xbb\xbf"
GZIP: Final = b"\x1f\x8b"


def read_bytes(path: Path) -> bytes:
    """A file's bytes, inflated if it is gzip. InputError where it cannot be read or inflates to more than 2 GiB."""
    try:
        raw = path.read_bytes()
    except OSError as error:
        raise InputError("invalid-request", f"{path}: {error.strerror or 'cannot be read'}") from None
    if not raw.startswith(GZIP):
        return raw
    try:
        with gzip.open(io.BytesIO(raw)) as file:
            inflated = file.read(LARGEST_FILE + 1)
    except (EOFError, OSError, zlib.error):
        raise InputError("invalid-encoding", f"{path.name} is a damaged gzip file") from None
    if len(inflated) > LARGEST_FILE:
        raise InputError("document-too-large", f"{path.name} inflates to more than {LARGEST_FILE} bytes")
    return inflated


def decode_text(raw: bytes, name: str, line: int = 1, offset: int = 0) -> str:
    """UTF-8 text, its byte-order mark dropped; InputError names the byte and line that are not UTF-8, or a NUL.

    `line` (from 1) and `offset` (in bytes) are where a piece of a longer text begins.
    """
    try:
        text = raw.decode("utf-8" if offset else "utf-8-sig")
    except UnicodeDecodeError as error:
        at = line + raw.count(b"\n", 0, error.start)
        raise InputError(
            "invalid-encoding", f"byte {offset + error.start + 1} of {name}, in line {at}, is not UTF-8", (name, at)
        ) from None
    if "\0" in text:
        start = raw.index(b"\0")
        at = line + raw.count(b"\n", 0, start)
        raise InputError("invalid-character", f"line {at} of {name} holds a NUL character, byte {offset + start + 1}", (name, at))
    return text


class Lines(Protocol):
    """Lines, and what errors call the place they come from."""

    @property
    def name(self) -> str:
        """What errors say."""

    def lines(self) -> Iterator[str]:
        """The lines, without their ends."""


@dataclass(frozen=True)
class Column:
    """Lines that are in memory already."""

    name: str
    cells: Sequence[str]

    def lines(self) -> Iterator[str]:
        """The cells."""
        return iter(self.cells)


@dataclass(frozen=True)
class TextFile:
    """A text of lines that is read once: what errors call it, its bytes or an open file, and the longest line in bytes."""

    name: str
    content: bytes | BinaryIO
    longest: int = LONGEST_LINE

    @classmethod
    def of(cls, path: Path) -> "TextFile":
        """The text at a path, inflated if it is gzip."""
        return cls(path.name, read_bytes(path))

    def lines(self) -> Iterator[str]:
        r"""Lines by ``\n`` alone, a carriage return at their end dropped; a final newline adds no line.

        InputError (`segment-too-long`, `invalid-encoding`, `invalid-character`) names the line.
        """
        file = io.BytesIO(self.content) if isinstance(self.content, bytes) else self.content
        offset = 0
        for number in count(1):
            raw = file.readline(self.longest + 1)
            if not raw or (not offset and raw == BYTE_ORDER_MARK):
                return
            if len(raw) > self.longest:
                detail = f"line {number} of {self.name} has more than {self.longest} bytes"
                raise InputError("segment-too-long", detail, (self.name, number))
            yield decode_text(raw, self.name, number, offset).removesuffix("\n").removesuffix("\r")
            offset += len(raw)


def lines_of(raw: bytes, name: str) -> list[str]:
    """All lines of a text; InputError where there are none."""
    lines = list(TextFile(name, raw).lines())
    if not lines:
        raise InputError("empty-input", "this file is empty; one segment a line is expected", (name,))
    return lines


def side_by_side(names: Sequence[str], columns: Sequence[Iterator[Any]]) -> Iterator[tuple[Any, ...]]:
    """One entry of each column at a time; InputError (`unequal-lengths`) says how long the shortest and the longest are."""
    rows = zip_longest(*columns)
    for number, row in enumerate(rows):
        if None in row:
            lengths = [number] * len(names)
            for rest in chain([row], rows):
                lengths = [length + (cell is not None) for length, cell in zip(lengths, rest, strict=True)]
            (least, short), (most, long) = (choose(zip(lengths, names, strict=True), key=itemgetter(0)) for choose in (min, max))
            raise InputError("unequal-lengths", f"{short} has {least} lines but {long} has {most}", (short,))
        yield row
