"""Lines of Moses' tables, ``cell ||| cell ||| scores ...``, read one after the other in bounded memory."""

import gzip
import zlib
from collections.abc import Container, Iterator
from math import isfinite, log
from pathlib import Path
from typing import Final

from app.errors import InputError
from app.text.reading.lines import TextFile

__all__ = ["log_scores", "refused_line", "table_lines"]

SEPARATOR: Final = "|||"
# As Moses has it: no score is worse.
WORST: Final = -100.0


def table_lines(path: Path, sources: Container[str] | None = None) -> Iterator[tuple[int, list[str]]]:
    """The number of each line and its cells; gzip is read. InputError names the file where it cannot be read.

    Where there are `sources`, lines of other source phrases are passed over unread.
    """
    try:
        with path.open("rb") as plain:
            packed = plain.read(2) == b"\x1f\x8b"
        with gzip.open(path) if packed else path.open("rb") as file:
            for number, line in enumerate(TextFile(path.name, file).lines(), 1):  # type: ignore[arg-type]
                if sources is not None and " ".join(line.partition(SEPARATOR)[0].split()) not in sources:
                    continue
                yield number, [" ".join(cell.split()) for cell in line.split(SEPARATOR)]
    except (EOFError, zlib.error, gzip.BadGzipFile):
        raise InputError("invalid-encoding", f"{path.name} is a damaged gzip file", (path.name,)) from None


def refused_line(path: Path, number: int, reason: str) -> InputError:
    """The error that names file and line."""
    return InputError("invalid-table", f"line {number} of {path.name}: {reason}", (path.name, number))


def log_scores(path: Path, number: int, cell: str, count: int) -> list[float]:
    """Natural logarithms of the probabilities in a cell; InputError where they are not `count` numbers from 0."""
    try:
        scores = [float(score) for score in cell.split()]
    except ValueError:
        raise refused_line(path, number, "a score is not a number") from None
    if len(scores) != count:
        raise refused_line(path, number, f"{count} scores are expected, {len(scores)} are there")
    if not all(score >= 0 and isfinite(score) for score in scores):
        raise refused_line(path, number, "a score is negative or not finite")
    return [max(log(score), WORST) if score else WORST for score in scores]
