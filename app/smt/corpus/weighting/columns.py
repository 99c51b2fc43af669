"""Files with a line for each sentence pair: corpus, date or scores."""

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
from app.smt.corpus.lines import line_error, numbered_lines

__all__ = ["Labels", "by_name", "check_rows", "count_lines", "read_days", "read_labels", "read_numbers"]

# A file with more names is surely not a file of spans or corpora.
MOST_LABELS: Final = 100_000


@dataclass(frozen=True)
class Labels:
    """Labels of pairs: `ids` are indices of `names`, shape (pairs,)."""

    names: tuple[str, ...]
    ids: Int32s

    def __len__(self) -> int:
        return len(self.ids)

    @property
    def sizes(self) -> Int64s:
        """Number of pairs of each name; shape (names,)."""
        return np.bincount(self.ids, minlength=len(self.names))

    @classmethod
    def single(cls, pairs: int) -> "Labels":
        """Labels of all pairs as one corpus."""
        return cls(("all",), np.zeros(pairs, np.int32))


def read_labels(path: Path) -> Labels:
    """Read a name a line, as the corpus of each pair. InputError for a line without exactly one word, or for too many names."""
    numbers: dict[str, int] = {}
    ids = []
    for line, text in numbered_lines(path):
        name = text.strip()
        if not name or len(name.split()) > 1:
            raise line_error(path, line, "is no name; write one word")
        ids.append(numbers.setdefault(name, len(numbers)))
        if len(numbers) > MOST_LABELS:
            raise InputError("invalid-table", f"{path} has more than {MOST_LABELS} names", (str(path), line))
    return Labels(tuple(numbers), np.array(ids, np.int32))


def read_numbers(path: Path, columns: int = 1, minimum: float = -np.inf, maximum: float = np.inf) -> Float64s:
    """Read `columns` numbers a line, divided by blanks or tabs; shape (lines, columns). InputError names a malformed line."""
    rows: list[float] = []
    with ExitStack() as stack:
        for line, raw in enumerate(read_lines(path, stack), 1):
            try:
                row = [float(cell) for cell in raw.split()]
            except ValueError:
                row = []
            if len(row) != columns or not all(np.isfinite(value) and minimum <= value <= maximum for value in row):
                bounds = "" if np.isinf(minimum) else f" from {minimum:g}" + ("" if np.isinf(maximum) else f" to {maximum:g}")
                form = "a number" if columns == 1 else f"{columns} numbers"
                raise line_error(path, line, f"is not {form}{bounds}")
            rows += row
    return np.array(rows).reshape(-1, columns)


def read_days(path: Path) -> Int64s:
    """Read dates as 2011-07-27, 2011-07 or 2011, one a line, as ordinal days; shape (lines,)."""
    days = []
    with ExitStack() as stack:
        for line, raw in enumerate(read_lines(path, stack), 1):
            parts = raw.decode("utf-8", "replace").strip().split("-")
            try:
                year, month, day = (int(part) for part in (*parts, *("1", "1")[len(parts) - 1 :]))
                days.append(date(year, month, day).toordinal())
            except ValueError:
                raise line_error(path, line, "is no date, as 2011-07-27, 2011-07 or 2011") from None
    return np.array(days, np.int64)


def count_lines(path: Path) -> int:
    """Number of lines of a file, gzipped or plain."""
    with ExitStack() as stack:
        return sum(1 for _ in read_lines(path, stack))


def check_rows(path: Path, rows: int, pairs: int) -> None:
    """InputError unless a file has a line for each pair."""
    if rows != pairs:
        raise InputError("unequal-lengths", f"{path} has {rows} lines for {pairs} sentence pairs", (str(path),))


def by_name(words: Sequence[str], names: Sequence[str], option: str, maximum: float = np.inf) -> Mapping[str, float]:
    """Numbers by name from words ``name=number``, from 0 to `maximum`; InputError for another form or an unknown name."""
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
        if not 0 <= number <= maximum:
            detail = "numbers are 0 or more" if np.isinf(maximum) else f"numbers are from 0 to {maximum:g}"
            raise InputError("invalid-request", detail, (option,))
        if name not in names:
            raise InputError("invalid-request", f"the names are {', '.join(names[:20])}", (option,))
    return values
