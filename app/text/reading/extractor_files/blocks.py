"""The blocks of both files: a heading with segment and sizes, a row of numbers for each hypothesis, and an end.

``FEATURES_TXT_BEGIN_0 0 100 3 d_0 d_1 lm_0``, rows ``0 -1.5 -4.25`` with sparse features as ``name=0.5``, ``FEATURES_TXT_END_0``. A
binary block (``FEATURES_BIN_BEGIN_0``) has 32-bit floats without separators in place of rows; it has no sparse features.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from math import isfinite
from typing import Any, Final

import numpy as np

from app.arrays import Float64s
from app.errors import InputError
from app.text.reading.lines import TextFile, decode_text
from app.text.reading.moses_n_best import MOST_SEGMENTS
from app.text.reading.numbers import finite_number, whole_number

__all__ = ["FEATURES", "FLOATS", "SCORES", "Block", "blocks_of", "is_extractor_file"]

FEATURES: Final = "FEATURES"
SCORES: Final = "SCORES"
FLOATS: Final = np.dtype("<f4")
# Numbers of a row.
MOST_NUMBERS: Final = 1_000_000
# Bytes that are read at once, since a heading may announce any number.
PIECE: Final = 1 << 20
LONGEST_SHOWN: Final = 40


@dataclass(frozen=True, eq=False)
class Block:
    """Hypotheses of a segment: numbers of each, (m, width), further features of each by name, and the rest of the heading."""

    segment: int
    names: tuple[str, ...]
    numbers: Float64s
    sparse: list[list[tuple[str, float]]]


def is_extractor_file(head: str) -> bool:
    """Return True if the first line of a file begins a block of features or scores."""
    return head.startswith((f"{FEATURES}_TXT_BEGIN", f"{FEATURES}_BIN_BEGIN", f"{SCORES}_TXT_BEGIN", f"{SCORES}_BIN_BEGIN"))


def blocks_of(file: TextFile, kind: str) -> Iterator[Block]:
    """Yield the blocks of a file of `kind`, `FEATURES` or `SCORES`; InputError names the file and the line or block."""
    reader = _Reader(file)
    while (heading := reader.line()) is not None:
        if heading.strip():
            yield reader.block(heading, kind)


class _Reader:
    """A file between its lines and its blocks of bytes."""

    def __init__(self, file: TextFile) -> None:
        self.file = file
        self.content: Any = file.content
        self.lines = 0
        self.bytes = 0

    def refused(self, detail: str) -> InputError:
        return InputError("invalid-table", f"line {self.lines} of {self.file.name}: {detail}", (self.file.name, self.lines))

    def line(self) -> str | None:
        """Return the next line; None at the end of the file. Binary numbers count as no line."""
        raw = self.content.readline(self.file.longest + 1)
        if not raw:
            return None
        self.lines += 1
        if len(raw) > self.file.longest:
            detail = f"line {self.lines} of {self.file.name} has more than {self.file.longest} bytes"
            raise InputError("segment-too-long", detail, (self.file.name, self.lines))
        text = decode_text(raw, self.file.name, self.lines, self.bytes)
        self.bytes += len(raw)
        return text.rstrip("\r\n")

    def block(self, heading: str, kind: str) -> Block:
        form, *cells = heading.split()
        text_form, binary_form = f"{kind}_TXT_BEGIN_0", f"{kind}_BIN_BEGIN_0"
        if form not in (text_form, binary_form) or len(cells) < 3:
            excerpt = heading[:LONGEST_SHOWN]
            raise self.refused(f"a block begins with {text_form} or {binary_form}, segment, rows and columns; this is {excerpt!r}")
        segment, rows, width = (whole_number(cell) for cell in cells[:3])
        if segment is None or rows is None or width is None or segment >= MOST_SEGMENTS or not 0 < width <= MOST_NUMBERS:
            raise self.refused(f"segment, rows and columns must be whole numbers, columns 1 to {MOST_NUMBERS}")
        numbers, sparse = self.binary_rows(rows, width) if form == binary_form else self.text_rows(rows, width)
        end = form.replace("_BEGIN_", "_END_")
        if (self.line() or "").strip() != end:
            raise self.refused(f"{rows} rows of segment {segment} must end with {end}")
        return Block(segment, tuple(cells[3:]), numbers, sparse)

    def text_rows(self, rows: int, width: int) -> tuple[Float64s, list[list[tuple[str, float]]]]:
        numbers: list[list[float]] = []
        sparse: list[list[tuple[str, float]]] = []
        for _ in range(rows):
            row: list[float] = []
            further: list[tuple[str, float]] = []
            for word in (self.line() or "").split():
                name, equals, number = word.rpartition("=")
                value = finite_number(number)
                if value is None:
                    raise self.refused(f"a row has finite numbers, but found {word[:LONGEST_SHOWN]!r}")
                if equals:
                    further.append((name, value))
                else:
                    row.append(value)
            if len(row) != width:
                raise self.refused(f"a row of this block has {width} numbers, not {len(row)}")
            numbers.append(row)
            sparse.append(further)
        return np.array(numbers, np.float64).reshape(-1, width), sparse

    def binary_rows(self, rows: int, width: int) -> tuple[Float64s, list[list[tuple[str, float]]]]:
        size, raw = rows * width * FLOATS.itemsize, bytearray()
        while len(raw) < size:
            piece = self.content.read(min(PIECE, size - len(raw)))
            if not piece:
                raise self.refused(f"{rows} rows of {width} 32-bit floats must follow, but the file ends")
            raw += piece
        self.bytes += size
        numbers = np.frombuffer(raw, FLOATS).astype(np.float64).reshape(rows, width)
        if not isfinite(float(np.abs(numbers).sum())):
            raise self.refused("the numbers of this block must be finite")
        return numbers, [[] for _ in range(rows)]
