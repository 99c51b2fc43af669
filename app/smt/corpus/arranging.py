"""Rearranging parallel files of lines: concatenation, cuts, division at random or by content, and sorting by scores.

Files may be plain, gzipped, or `FILE:COLUMN`. Lines stay unchanged, byte for byte. All outputs are complete, or none is written.
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
from app.smt.corpus.lines import line_error
from app.text.reading.lines import decode_text, side_by_side

__all__ = ["Division", "concatenate", "cut", "divide", "sort_by_scores"]

CHUNK: Final = 10_000
# Bytes of the longest accepted line.
LONGEST: Final = 1 << 24
# Number of values of an eight-byte hash.
HASH_COUNT: Final = 2.0**64

Rows = Iterator[tuple[bytes, ...]]


@dataclass(frozen=True)
class Division:
    """Selection of rows: a number of `lines` at random, or about a `share` by content (equal rows stay together)."""

    lines: int | None = None
    share: float | None = None
    seed: int = 1

    def __post_init__(self) -> None:
        if (self.lines is None) == (self.share is None):
            raise InputError("invalid-request", "give either a number of lines or a share: --lines or --share")


def concatenate(files: Sequence[Path], out: Path) -> int:
    """Write the lines of all files in turn; return their number. Completes a last line without a newline."""
    check_apart(files, [out])
    total = 0
    with _output_files([out]) as (file,), ExitStack() as stack:
        for path in files:
            lines = read_lines(path, stack, LONGEST)
            while part := list(islice(lines, CHUNK)):
                file.write(b"".join(part))
                total += len(part)
    return total


def cut(files: Sequence[Path], out: Sequence[Path], start: int = 0, stop: int | None = None, step: int = 1) -> int:
    """Write each `step`-th row from `start` (from 0) to before `stop`; return their number. Negative bounds count from the end.

    InputError if the files differ in their number of lines, within the range of the cut.
    """
    check_apart(files, out)
    if start < 0 or (stop is not None and stop < 0):
        check_read_again(files)
        total = sum(1 for _ in _rows(files))
        start, stop, _ = slice(start, stop).indices(total)
    with _output_files(out) as outputs:
        return _write(islice(_rows(files), start, stop if stop is None else max(start, stop), step), outputs)


def divide(files: Sequence[Path], out: Sequence[Path], rest: Sequence[Path], division: Division) -> tuple[int, int]:
    """Write the rows of a division to `out` and the other rows to `rest`, if it names files; return both row counts."""
    check_apart(files, [*out, *rest])
    if division.lines is not None:
        check_read_again(files)
    mask = None if division.lines is None else _at_random(sum(1 for _ in _rows(files)), division.lines, division.seed)
    counts = [0, 0]
    with _output_files([*out, *rest]) as files_out:
        rows, first = _rows(files), 0
        while part := list(islice(rows, CHUNK)):
            part_mask = _by_content(part, division) if mask is None else mask[first : first + len(part)]
            first += len(part)
            for number, (inside, outputs) in enumerate(((True, files_out[: len(out)]), (False, files_out[len(out) :]))):
                selection = [row for row, take in zip(part, part_mask.tolist(), strict=True) if take is inside]
                counts[number] += len(selection)
                _write(iter(selection), outputs)
    return counts[0], counts[1]


def sort_by_scores(files: Sequence[Path], scores: Path, out: Sequence[Path], best_first: bool = False) -> int:
    """Write rows sorted by score, lowest first, or highest with `best_first`; return their number. Ties keep their order.

    Temporary plain copies of the texts keep memory at 8 bytes for each line and file. InputError names a line that is no number.
    """
    check_apart([*files, scores], out)
    values = _numbers(scores)
    order = np.argsort(-values if best_first else values, kind="stable")
    with TemporaryDirectory(prefix=".", dir=out[0].absolute().parent) as folder, ExitStack() as stack:
        with full_disk_named(out[0].absolute().parent):
            copies = [_plain_copy(path, Path(folder) / str(number), stack) for number, path in enumerate(files)]
        for path, (_, offsets) in zip(files, copies, strict=True):
            if len(offsets) - 1 != len(values):
                detail = f"{path} has {len(offsets) - 1} lines but {scores} has {len(values)}"
                raise InputError("unequal-lengths", detail, (str(path),))
        with _output_files(out) as outputs:
            for file, (text, offsets) in zip(outputs, copies, strict=True):
                for row in order.tolist():
                    text.seek(offsets[row])
                    file.write(text.read(offsets[row + 1] - offsets[row]))
    return len(values)


@contextmanager
def _output_files(out: Sequence[Path]) -> Iterator[list[BinaryIO]]:
    """Yield open files; they appear under their names when all are complete."""
    with ExitStack() as renaming, ExitStack() as closing:
        temporary_files = [renaming.enter_context(file_aside(path)) for path in out]
        yield [open_packed(temporary_file, path, closing) for temporary_file, path in zip(temporary_files, out, strict=True)]


def _rows(files: Sequence[Path]) -> Rows:
    with ExitStack() as stack:
        yield from side_by_side([str(path) for path in files], [read_lines(path, stack, LONGEST) for path in files])


def _write(rows: Rows, outputs: Sequence[BinaryIO]) -> int:
    total = 0
    while part := list(islice(rows, CHUNK)):
        for file, column in zip(outputs, zip(*part, strict=True), strict=False):
            file.write(b"".join(column))
        total += len(part)
    return total


def _at_random(total: int, lines: int, seed: int) -> Bools:
    if lines > total:
        raise InputError("invalid-request", f"cannot take {lines} of {total} lines", ("--lines",))
    mask = np.zeros(total, np.bool_)
    mask[np.random.default_rng(seed).choice(total, lines, replace=False, shuffle=False)] = True
    return mask


def _by_content(rows: Sequence[tuple[bytes, ...]], division: Division) -> Bools:
    assert division.share is not None
    key = division.seed.to_bytes(8, "little")
    hashes = [blake2b(b"".join(row), digest_size=8, key=key).digest() for row in rows]
    return np.asarray(np.frombuffer(b"".join(hashes), np.uint64) < division.share * HASH_COUNT)


def _numbers(path: Path) -> Float64s:
    values = []
    with ExitStack() as stack:
        for number, line in enumerate(read_lines(path, stack), 1):
            try:
                # Python accepts 1_0 as a number; other programs do not.
                values.append(float("nan") if b"_" in line else float(line))
            except ValueError:
                values.append(float("nan"))
            if values[-1] != values[-1]:
                raise line_error(path, number, f"is no number: {decode_text(line, str(path), number).strip()[:100]}")
    return np.array(values)


def _plain_copy(path: Path, place: Path, stack: ExitStack) -> tuple[BinaryIO, Int64s]:
    """Plain copy of a text, and offsets of its lines; shape (lines + 1,)."""
    widths = []
    with place.open("wb") as file:
        lines = read_lines(path, stack, LONGEST)
        while part := list(islice(lines, CHUNK)):
            file.write(b"".join(part))
            widths.append(np.array([len(line) for line in part], np.int64))
    return stack.enter_context(place.open("rb")), np.concatenate([np.zeros(1, np.int64), *widths]).cumsum()
