"""Texts as lines: read in bounded memory, decoded, and joined side by side."""

import gzip
import io
import zlib
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import chain, count, zip_longest
from operator import itemgetter
from pathlib import Path
from typing import Any, BinaryIO, Final, Protocol

from app.errors import InputError
from app.text.reading.encodings import utf8_of

__all__ = ["LONGEST_LINE", "LineSource", "TextColumn", "TextFile", "decode_text", "filled_lines", "read_bytes", "side_by_side"]

LARGEST_FILE: Final = 2 * 1024**3
# In bytes; callers that know the limit of a segment pass a smaller one.
LONGEST_LINE: Final = 1 << 24
# A file of line ends alone would keep a reader busy for a long time.
MOST_EMPTY_LINES: Final = 1_000_000
BYTE_ORDER_MARK: Final = b"\xef\xbb\xbf"
GZIP: Final = b"\x1f\x8b"


def read_bytes(path: Path) -> bytes:
    """Bytes of a file, inflated if it is gzip; InputError if it is unreadable, damaged or inflates to more than 2 GiB."""
    try:
        raw = path.read_bytes()
    except OSError as error:
        raise InputError("invalid-request", f"{path}: {error.strerror or 'cannot be read'}") from None
    if not raw.startswith(GZIP):
        return raw
    try:
        with gzip.open(io.BytesIO(raw)) as file:
            content = file.read(LARGEST_FILE + 1)
    except (EOFError, OSError, zlib.error):
        raise InputError("invalid-encoding", f"{path.name} is a damaged gzip file; copy or pack it again") from None
    if len(content) > LARGEST_FILE:
        raise InputError("document-too-large", f"{path.name} inflates to more than {LARGEST_FILE} bytes; split it")
    return content


def decode_text(raw: bytes, name: str, line: int = 1, offset: int = 0) -> str:
    """Decode UTF-8 without its byte-order mark; InputError names the byte and line of a bad byte or a NUL.

    A piece of a longer text begins in line `line` (from 1), after `offset` bytes.
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


class LineSource(Protocol):
    """A source of lines, with a name for errors."""

    @property
    def name(self) -> str:
        """Name in errors."""

    def lines(self) -> Iterator[str]:
        """Lines without line ends."""


@dataclass(frozen=True)
class TextColumn:
    """Lines in memory."""

    name: str
    cells: Sequence[str]

    def lines(self) -> Iterator[str]:
        """Cells of the column."""
        return iter(self.cells)


@dataclass(frozen=True)
class TextFile:
    """A text of lines that is read once: its name in errors, its bytes or an open file, and the limit of a line in bytes."""

    name: str
    content: bytes | BinaryIO
    longest: int = LONGEST_LINE

    @classmethod
    def of(cls, path: Path, encoding: str = "utf-8") -> "TextFile":
        """Text of a file, inflated if it is gzip."""
        return cls(path.name, utf8_of(read_bytes(path), encoding, path.name))

    def lines(self) -> Iterator[str]:
        r"""Lines between ``\n``, without carriage returns at their ends; a final newline adds no line.

        InputError (`segment-too-long`, `invalid-encoding`, `invalid-character`) names the line.
        """
        file = io.BytesIO(self.content) if isinstance(self.content, bytes) else self.content
        offset = 0
        for number in count(1):
            raw = file.readline(self.longest + 1)
            if not raw or (not offset and raw == BYTE_ORDER_MARK):
                return
            if len(raw) > self.longest:
                detail = f"line {number} of {self.name} has more than {self.longest} bytes; split it"
                raise InputError("segment-too-long", detail, (self.name, number))
            yield decode_text(raw, self.name, number, offset).removesuffix("\n").removesuffix("\r")
            offset += len(raw)


def filled_lines(lines: Iterable[str], name: str) -> Iterator[tuple[int, str]]:
    """Number, from 1, and text of each line that is not empty; InputError (`invalid-document`) beyond a million empty lines."""
    empty_count = 0
    for number, line in enumerate(lines, 1):
        if line:
            yield number, line
            continue
        empty_count += 1
        if empty_count > MOST_EMPTY_LINES:
            raise InputError(
                "invalid-document", f"{name} has more than {MOST_EMPTY_LINES} empty lines; delete them", (name, number)
            )


def lines_of(raw: bytes, name: str) -> list[str]:
    """All lines of a text; InputError (`empty-input`) if it has none."""
    lines = list(TextFile(name, raw).lines())
    if not lines:
        raise InputError("empty-input", "this file is empty; write one segment per line", (name,))
    return lines


def side_by_side(names: Sequence[str], columns: Sequence[Iterator[Any]]) -> Iterator[tuple[Any, ...]]:
    """Rows of columns that are read in step; InputError (`unequal-lengths`) names the shortest and the longest."""
    rows = zip_longest(*columns)
    for number, row in enumerate(rows):
        if None in row:
            lengths = [number] * len(names)
            for rest in chain([row], rows):
                lengths = [length + (cell is not None) for length, cell in zip(lengths, rest, strict=True)]
            sizes = list(zip(lengths, names, strict=True))
            (minimum, short_name), (maximum, long_name) = min(sizes, key=itemgetter(0)), max(sizes, key=itemgetter(0))
            noun = "line" if minimum == 1 else "lines"
            raise InputError("unequal-lengths", f"{short_name} has {minimum} {noun} but {long_name} has {maximum}", (short_name,))
        yield row
