"""Files of extracted pairs as they are read: `extract` and `extract.o` side by side, from our command or from Moses."""

import gzip
import zlib
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Final

import numpy as np

from app.arrays import Int64s, UInt8s
from app.errors import InputError
from app.smt.corpus.phrases.orientation import UNITS
from app.smt.corpus.phrases.scoring.joining_kernels import JOINED, NO_ORIENTATION, NO_PAIR, NOT_THE_SAME, join_orientations
from app.smt.corpus.sorting_kernels import line_bounds

__all__ = ["ExtractFiles"]

BLOCK: Final = 1 << 22
# With and without orientations, in the order of extraction or sorted.
NAMES: Final = (("extract.gz", "extract.o.gz"), ("extract.sorted.gz", "extract.o.sorted.gz"))


@dataclass(frozen=True)
class ExtractFiles:
    """Where the pairs are, where their orientations are, and of which units these are."""

    pairs: Path
    orientations: Path | None
    units: tuple[str, ...]
    slots: Int64s

    @classmethod
    def of(cls, folder: Path) -> "ExtractFiles":
        """The files of a folder; InputError where it has none, or orientations of no model."""
        for pairs, orientations in NAMES:
            if (folder / pairs).is_file():
                path = folder / orientations
                if not path.is_file():
                    return cls(folder / pairs, None, (), np.empty(0, np.int64))
                return cls(folder / pairs, path, *_units(path))
        raise InputError("invalid-request", f"{folder} holds neither {NAMES[0][0]} nor {NAMES[1][0]}")

    @property
    def trailer(self) -> int:
        """Bytes at the end of each record: a tab and the letters of orientations."""
        return 2 * len(self.units) + 1 if self.units else 0

    def records(self) -> Iterator[UInt8s]:
        """Blocks of lines of pairs, each with a tab and the letters of its orientations. InputError names a line that is wrong."""
        if self.orientations is None:
            yield from _blocks(self.pairs)
            return
        blocks, others = _blocks(self.pairs), _blocks(self.orientations)
        text = other = np.empty(0, np.uint8)
        number = 1
        while True:
            text = text if len(text) else next(blocks, text)
            other = other if len(other) else next(others, other)
            if not len(text) or not len(other):
                break
            (begins, ends), (other_begins, other_ends) = line_bounds(text), line_bounds(other)
            lines = min(len(begins), len(other_begins))
            places = (begins[:lines], ends[:lines], other, other_begins[:lines], other_ends[:lines])
            joined, fault, line = join_orientations(text[: ends[lines - 1] + 1], *places, self.slots, len(self.units))
            if fault != JOINED:
                self._refuse(fault, number + line)
            yield joined
            number += lines
            text, other = text[ends[lines - 1] + 1 :], other[other_ends[lines - 1] + 1 :]
        if len(text) or len(other):
            detail = f"{self.pairs} and {self.orientations} differ in their number of lines"
            raise InputError("unequal-lengths", detail, (str(self.orientations),))

    def _refuse(self, fault: int, line: int) -> None:
        path = self.pairs if fault == NO_PAIR else self.orientations
        what = {
            NO_PAIR: "is no pair of phrases with links",
            NOT_THE_SAME: f"has other phrases than that of {self.pairs}",
            NO_ORIENTATION: "has no orientations, or others than the first line",
        }
        detail = f"line {line} of {path} {what[fault]}"
        raise InputError("invalid-table", detail, (str(path), line))

    def refuse_record(self, record: bytes, why: str) -> None:
        """InputError about a record that turned out wrong later, with the line that it is in the file."""
        wanted = record[: len(record) - self.trailer]
        number = 1
        for block in _blocks(self.pairs):
            lines = block.tobytes().split(b"\n")
            if wanted in lines:
                number += lines.index(wanted)
                break
            number += len(lines) - 1
        raise InputError("invalid-table", f"line {number} of {self.pairs} {why}", (str(self.pairs), number))


def _blocks(path: Path) -> Iterator[UInt8s]:
    """Whole lines of a gzip file, some megabytes at a time; InputError where it is damaged."""
    rest = b""
    try:
        with gzip.open(path) as file:
            while read := file.read(BLOCK):
                end = read.rfind(b"\n") + 1
                if not end:
                    rest += read
                    continue
                yield np.frombuffer(rest + read[:end], np.uint8)
                rest = read[end:]
    except (EOFError, gzip.BadGzipFile, zlib.error):
        raise InputError("invalid-encoding", f"{path} is a damaged gzip file", (str(path),)) from None
    if rest:
        yield np.frombuffer(rest + b"\n", np.uint8)


def _units(path: Path) -> tuple[tuple[str, ...], Int64s]:
    """The models of the columns, by the first line, and which of them each column is."""
    first = next(_blocks(path), np.empty(0, np.uint8)).tobytes().partition(b"\n")[0]
    cells = first.split(b" ||| ")
    columns = cells[2].split(b"|") if len(cells) > 2 else []
    there = [bool(column.strip()) for column in columns]
    if not any(there) or len(columns) > len(UNITS):
        raise InputError("invalid-table", f"line 1 of {path} has no orientations", (str(path), 1))
    units = tuple(unit for unit, column in zip(UNITS, there, strict=False) if column)
    slots = np.cumsum(there) - 1
    return units, np.where(there, slots, -1)
