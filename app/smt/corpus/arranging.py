"""Lines of files side by side, in other order or number: joined, cut, divided at random or by what they say, sorted by scores.

Files are read as every corpus tool reads texts: plain, gzip, or `FILE:COLUMN`; lines stay as they are, byte for byte. All of
them are whole, or none is written.
"""

from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from hashlib import blake2b
from itertools import islice
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import BinaryIO, Final

import numpy as np

from app.arrays import Bools, Float64s, Int64s
from app.building.gzip_files import check_read_again, open_packed
from app.building.line_files import read_lines
from app.building.writing import check_apart, file_aside, full_disk_named
from app.errors import InputError
from app.text.reading.lines import decode_text, side_by_side

__all__ = ["Division", "concatenate", "cut", "divide", "sort_by_scores"]

CHUNK: Final = 10_000
# Lines longer than texts may be are no lines.
LONGEST: Final = 1 << 24
# What a hash of eight bytes is a share of.
WHOLE: Final = 2.0**64

Rows = Iterator[tuple[bytes, ...]]


@dataclass(frozen=True)
class Division:
    """Which rows are taken: `lines` of them at random, or about a `share` by what is in them (equal rows go the same way)."""

    lines: int | None = None
    share: float | None = None
    seed: int = 1

    def __post_init__(self) -> None:
        if (self.lines is None) == (self.share is None):
            raise InputError("invalid-request", "say how many lines, or about which share of them: --lines or --share")


def concatenate(files: Sequence[Path], out: Path) -> int:
    """Write the lines of all files one after the other; how many there are. A file's last line gets an end if it has none."""
    check_apart(files, [out])
    total = 0
    with _written([out]) as (file,), ExitStack() as stack:
        for path in files:
            lines = read_lines(path, stack, LONGEST)
            while part := list(islice(lines, CHUNK)):
                file.write(b"".join(part))
                total += len(part)
    return total


def cut(files: Sequence[Path], out: Sequence[Path], start: int = 0, stop: int | None = None, step: int = 1) -> int:
    """Write each `step`-th row from `start` (from 0) to before `stop`; how many. Negative ones count from the end.

    InputError where files have other numbers of lines, as far as they are read.
    """
    check_apart(files, out)
    if start < 0 or (stop is not None and stop < 0):
        check_read_again(files)
        total = sum(1 for _ in _rows(files))
        start, stop, _ = slice(start, stop).indices(total)
    with _written(out) as written:
        return _write(islice(_rows(files), start, stop if stop is None else max(start, stop), step), written)


def divide(files: Sequence[Path], out: Sequence[Path], rest: Sequence[Path], division: Division) -> tuple[int, int]:
    """Write the rows that a division takes and, where files for it are named, the rest, in their order; how many of both."""
    check_apart(files, [*out, *rest])
    if division.lines is not None:
        check_read_again(files)
    chosen = None if division.lines is None else _at_random(sum(1 for _ in _rows(files)), division.lines, division.seed)
    counts = [0, 0]
    with _written([*out, *rest]) as written:
        rows, first = _rows(files), 0
        while part := list(islice(rows, CHUNK)):
            taken = _by_content(part, division) if chosen is None else chosen[first : first + len(part)]
            first += len(part)
            for number, (wanted, places) in enumerate(((True, written[: len(out)]), (False, written[len(out) :]))):
                some = [row for row, take in zip(part, taken.tolist(), strict=True) if take is wanted]
                counts[number] += len(some)
                _write(iter(some), places)
    return counts[0], counts[1]


def sort_by_scores(files: Sequence[Path], scores: Path, out: Sequence[Path], best_first: bool = False) -> int:
    """Write rows by a number each, the lowest first or `best_first`, equal ones in their order; how many.

    Texts are laid in plain files for the time, so that 8 bytes a line and file are held. InputError names a line that is no number.
    """
    check_apart([*files, scores], out)
    values = _numbers(scores)
    order = np.argsort(-values if best_first else values, kind="stable")
    with TemporaryDirectory(prefix=".", dir=out[0].absolute().parent) as folder, ExitStack() as stack:
        with full_disk_named(out[0].absolute().parent):
            laid = [_laid(path, Path(folder) / str(number), stack) for number, path in enumerate(files)]
        for path, (_, offsets) in zip(files, laid, strict=True):
            if len(offsets) - 1 != len(values):
                detail = f"{path} has {len(offsets) - 1} lines but {scores} has {len(values)}"
                raise InputError("unequal-lengths", detail, (str(path),))
        with _written(out) as written:
            for file, (text, offsets) in zip(written, laid, strict=True):
                for row in order.tolist():
                    text.seek(offsets[row])
                    file.write(text.read(offsets[row + 1] - offsets[row]))
    return len(values)


@contextmanager
def _written(out: Sequence[Path]) -> Iterator[list[BinaryIO]]:
    """Files that take their places when all are whole."""
    with ExitStack() as renamed, ExitStack() as closed:
        asides = [renamed.enter_context(file_aside(path)) for path in out]
        yield [open_packed(aside, path, closed) for aside, path in zip(asides, out, strict=True)]


def _rows(files: Sequence[Path]) -> Rows:
    with ExitStack() as stack:
        yield from side_by_side([str(path) for path in files], [read_lines(path, stack, LONGEST) for path in files])


def _write(rows: Rows, written: Sequence[BinaryIO]) -> int:
    total = 0
    while part := list(islice(rows, CHUNK)):
        for file, column in zip(written, zip(*part, strict=True), strict=False):
            file.write(b"".join(column))
        total += len(part)
    return total


def _at_random(total: int, lines: int, seed: int) -> Bools:
    if lines > total:
        raise InputError("invalid-request", f"there are {total} lines, and {lines} are to be taken", ("--lines",))
    chosen = np.zeros(total, np.bool_)
    chosen[np.random.default_rng(seed).choice(total, lines, replace=False, shuffle=False)] = True
    return chosen


def _by_content(rows: Sequence[tuple[bytes, ...]], division: Division) -> Bools:
    assert division.share is not None
    key = division.seed.to_bytes(8, "little")
    hashes = [blake2b(b"".join(row), digest_size=8, key=key).digest() for row in rows]
    return np.asarray(np.frombuffer(b"".join(hashes), np.uint64) < division.share * WHOLE)


def _numbers(path: Path) -> Float64s:
    values = []
    with ExitStack() as stack:
        for number, line in enumerate(read_lines(path, stack), 1):
            try:
                # Python alone reads 1_0 as a number.
                values.append(float("nan") if b"_" in line else float(line))
            except ValueError:
                values.append(float("nan"))
            if values[-1] != values[-1]:
                text = decode_text(line, str(path), number).strip()
                raise InputError("invalid-table", f"line {number} of {path} is no number: {text[:100]}", (str(path), number))
    return np.array(values)


def _laid(path: Path, place: Path, stack: ExitStack) -> tuple[BinaryIO, Int64s]:
    """The text in a plain file, and where its lines begin, with its end."""
    widths = []
    with place.open("wb") as file:
        lines = read_lines(path, stack, LONGEST)
        while part := list(islice(lines, CHUNK)):
            file.write(b"".join(part))
            widths.append(np.array([len(line) for line in part], np.int64))
    return stack.enter_context(place.open("rb")), np.concatenate([np.zeros(1, np.int64), *widths]).cumsum()
