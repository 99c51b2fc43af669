"""Files of extracted phrase pairs, `extract` and `extract.o` side by side, from `assay smt extract` or from Moses."""

import gzip
import zlib
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Final

import numpy as np

from app.arrays import Int64s, UInt8s
from app.errors import InputError
from app.smt.corpus.lines import line_error
from app.smt.corpus.phrases.manifests import EXTRACT_MANIFEST
from app.smt.corpus.phrases.orientation import UNITS
from app.smt.corpus.phrases.scoring.joining_kernels import NO_FAULT, NO_ORIENTATION, NO_PAIR, UNEQUAL_PHRASES, join_orientations
from app.smt.corpus.sorting_kernels import line_bounds

__all__ = ["ExtractFiles"]

BLOCK: Final = 1 << 22
BARS: Final = b" ||| "
# With and without orientations, in the order of extraction or sorted.
NAMES: Final = (("extract.gz", "extract.o.gz"), ("extract.sorted.gz", "extract.o.sorted.gz"))


@dataclass(frozen=True)
class ExtractFiles:
    """Paths of phrase pairs and of orientations, the units of these, and the slot of each orientation column (-1 for none).

    Without `has_phrases`, the file of orientations gives the phrases too, without links.
    """

    pairs: Path
    orientations: Path | None
    units: tuple[str, ...]
    slots: Int64s
    has_phrases: bool = True

    @classmethod
    def of(cls, folder: Path) -> "ExtractFiles":
        """Extracted files of a folder; InputError if it lacks them, or if its orientations are empty."""
        for pairs, orientations in NAMES:
            if (folder / pairs).is_file():
                path = folder / orientations
                if not path.is_file():
                    return cls(folder / pairs, None, (), np.empty(0, np.int64))
                return cls(folder / pairs, path, *_units(path))
        raise InputError("invalid-request", f"{folder} holds neither {NAMES[0][0]} nor {NAMES[1][0]}")

    @classmethod
    def orientations_alone(cls, folder: Path) -> "ExtractFiles":
        """Orientations of a folder as the only file; InputError without orientations."""
        for _, name in NAMES:
            if (folder / name).is_file():
                return cls(folder / name, folder / name, *_units(folder / name), has_phrases=False)
        raise InputError("invalid-request", f"{folder} holds neither {NAMES[0][1]} nor {NAMES[1][1]}")

    @property
    def has_bare_numbers(self) -> bool:
        """Return True for files of Moses, whose numbers of sentence pairs lack the sign #."""
        return not (self.pairs.parent / EXTRACT_MANIFEST).is_file()

    @property
    def trailer(self) -> int:
        """Bytes at the end of each record: a tab and the letters of orientations."""
        return 2 * len(self.units) + 1 if self.units else 0

    def records(self) -> Iterator[UInt8s]:
        """Yield blocks of lines of phrase pairs, each with a tab and letters of orientations. InputError names a malformed line."""
        if self.orientations is None:
            yield from _blocks(self.pairs)
            return
        orientation_blocks = _blocks(self.orientations)
        blocks = map(_without_links, _blocks(self.orientations)) if not self.has_phrases else _blocks(self.pairs)
        text = orientations = np.empty(0, np.uint8)
        number = 1
        while True:
            text = text if len(text) else next(blocks, text)
            orientations = orientations if len(orientations) else next(orientation_blocks, orientations)
            if not len(text) or not len(orientations):
                break
            (begins, ends), (orientation_begins, orientation_ends) = line_bounds(text), line_bounds(orientations)
            lines = min(len(begins), len(orientation_begins))
            places = (begins[:lines], ends[:lines], orientations, orientation_begins[:lines], orientation_ends[:lines])
            lines_with_letters, fault, line = join_orientations(text[: ends[lines - 1] + 1], *places, self.slots, len(self.units))
            if fault != NO_FAULT:
                self._refuse(fault, number + line)
            yield lines_with_letters
            number += lines
            text, orientations = text[ends[lines - 1] + 1 :], orientations[orientation_ends[lines - 1] + 1 :]
        if len(text) or len(orientations):
            detail = f"{self.pairs} and {self.orientations} differ in their number of lines"
            raise InputError("unequal-lengths", detail, (str(self.orientations),))

    def _refuse(self, fault: int, line: int) -> None:
        path = self.pairs if fault == NO_PAIR else self.orientations
        reasons = {
            NO_PAIR: "is no phrase pair with links",
            UNEQUAL_PHRASES: f"has other phrases than this line of {self.pairs}",
            NO_ORIENTATION: "lacks orientations, or has another number of them than line 1",
        }
        raise line_error(str(path), line, reasons[fault])

    def refuse_record(self, record: bytes, reason: str) -> None:
        """Raise InputError about a malformed record; finds its line in the file."""
        line = record[: len(record) - self.trailer]
        number = 1
        for block in _blocks(self.pairs):
            lines = block.tobytes().split(b"\n")
            if line in lines:
                number += lines.index(line)
                break
            number += len(lines) - 1
        raise line_error(self.pairs, number, reason)


def _blocks(path: Path) -> Iterator[UInt8s]:
    """Yield blocks of complete lines of a gzip file, some megabytes each; InputError for a damaged file."""
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


def _without_links(orientations: UInt8s) -> UInt8s:
    """Lines of phrase pairs from lines of their orientations: without links, but with weights."""
    rows = (line.split(BARS, 3) for line in orientations.tobytes().splitlines())
    lines = [BARS.join([*cells[:2], b"", *cells[3:]]) + b"\n" for cells in rows]
    return np.frombuffer(b"".join(lines), np.uint8)


def _units(path: Path) -> tuple[tuple[str, ...], Int64s]:
    """Units of orientation columns, from the first line, and the slot of each column among them (-1 for an empty column)."""
    first = next(_blocks(path), np.empty(0, np.uint8)).tobytes().partition(b"\n")[0]
    cells = first.split(BARS)
    columns = cells[2].split(b"|") if len(cells) > 2 else []
    mask = [bool(column.strip()) for column in columns]
    if not any(mask) or len(columns) > len(UNITS):
        raise line_error(path, 1, "has no orientations")
    units = tuple(unit for unit, column in zip(UNITS, mask, strict=False) if column)
    slots = np.cumsum(mask) - 1
    return units, np.where(mask, slots, -1)
