"""Files that say something of each sentence pair: which corpus it is of, its date, its scores."""

from collections.abc import Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from datetime import date
from pathlib import Path
from typing import Final

import numpy as np

from app.arrays import Float64s, Int32s, Int64s
from app.building.line_files import read_lines
from app.errors import InputError
from app.planning.numerals import number_of
from app.text.reading.lines import decode_text

__all__ = ["Labels", "by_name", "check_rows", "count_lines", "read_days", "read_labels", "read_numbers"]

# Spans and corpora have names; as many names as this are a wrong file.
MOST_LABELS: Final = 100_000


@dataclass(frozen=True)
class Labels:
    """Which of `names` each pair has: `ids` of shape (pairs,)."""

    names: tuple[str, ...]
    ids: Int32s

    def __len__(self) -> int:
        return len(self.ids)

    @property
    def sizes(self) -> Int64s:
        """Pairs of each name."""
        return np.bincount(self.ids, minlength=len(self.names))

    @classmethod
    def one(cls, pairs: int) -> "Labels":
        """All pairs as one corpus."""
        return cls(("all",), np.zeros(pairs, np.int32))


def read_labels(path: Path) -> Labels:
    """A name a line, as of the corpus that the pair of that line is of. InputError for an empty line, or for more names than are
    one.
    """
    numbers: dict[str, int] = {}
    ids = []
    with ExitStack() as stack:
        for line, raw in enumerate(read_lines(path, stack), 1):
            name = decode_text(raw, str(path), line).strip()
            if not name or len(name.split()) > 1:
                raise InputError("invalid-table", f"line {line} of {path} is no name, which is one word", (str(path), line))
            ids.append(numbers.setdefault(name, len(numbers)))
            if len(numbers) > MOST_LABELS:
                raise InputError("invalid-table", f"{path} has more than {MOST_LABELS} names", (str(path), line))
    return Labels(tuple(numbers), np.array(ids, np.int32))


def read_numbers(path: Path, columns: int = 1, least: float = -np.inf, most: float = np.inf) -> Float64s:
    """Numbers, `columns` a line with blanks or tabs between them, shape (lines, columns); InputError names a line with others."""
    rows: list[float] = []
    with ExitStack() as stack:
        for line, raw in enumerate(read_lines(path, stack), 1):
            try:
                row = [float(cell) for cell in raw.split()]
            except ValueError:
                row = []
            if len(row) != columns or not all(np.isfinite(value) and least <= value <= most for value in row):
                bounds = "" if np.isinf(least) else f" from {least:g}" + ("" if np.isinf(most) else f" to {most:g}")
                what = "a number" if columns == 1 else f"{columns} numbers"
                raise InputError("invalid-table", f"line {line} of {path} is not {what}{bounds}", (str(path), line))
            rows += row
    return np.array(rows).reshape(-1, columns)


def read_days(path: Path) -> Int64s:
    """Dates as 2011-07-27, 2011-07 or 2011, one a line, as days since a fixed day."""
    days = []
    with ExitStack() as stack:
        for line, raw in enumerate(read_lines(path, stack), 1):
            parts = raw.decode("utf-8", "replace").strip().split("-")
            try:
                year, month, day = (int(part) for part in (*parts, *("1", "1")[len(parts) - 1 :]))
                days.append(date(year, month, day).toordinal())
            except ValueError:
                detail = f"line {line} of {path} is no date, as 2011-07-27, 2011-07 or 2011"
                raise InputError("invalid-table", detail, (str(path), line)) from None
    return np.array(days, np.int64)


def count_lines(path: Path) -> int:
    """Lines of a file, gzip or not."""
    with ExitStack() as stack:
        return sum(1 for _ in read_lines(path, stack))


def check_rows(path: Path, rows: int, pairs: int) -> None:
    """InputError where a file has not a line for each pair."""
    if rows != pairs:
        raise InputError("unequal-lengths", f"{path} has {rows} lines, but there are {pairs} sentence pairs", (str(path),))


def by_name(words: Sequence[str], names: Sequence[str], option: str, most: float = np.inf) -> Mapping[str, float]:
    """``name=number`` words as numbers by name, from 0 to `most`; InputError for another form or a name that there is not."""
    values: dict[str, float] = {}
    for word in words:
        name, _, text = word.rpartition("=")
        number = number_of(text)
        if number is None or not name:
            example = f"{names[0] if names else 'news'}=0.7"
            raise InputError("invalid-request", f"this is NAME=NUMBER, as {example}", (option,))
        if name in values:
            raise InputError("invalid-request", f"{name} has a number already", (option,))
        values[name] = number
        if not 0 <= number <= most:
            detail = "numbers are 0 or more" if np.isinf(most) else f"numbers are from 0 to {most:g}"
            raise InputError("invalid-request", detail, (option,))
        if name not in names:
            raise InputError("invalid-request", f"the names are {', '.join(names[:20])}", (option,))
    return values
