"""Rows of texts that can be scored, and the errors of the others."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

import numpy as np

from app.arrays import Int64s
from app.errors import InputError
from app.scale.cells import ABSENT, Fault
from app.text.reading.checking import check_segments

__all__ = ["TextRows", "text_rows"]

# Types of nulls of pandas.
NULLS: Final = ("NAType", "NaTType")


@dataclass(frozen=True)
class TextRows:
    """Columns of texts without faults: `numbers` (m,) of their rows among n, and the error of each row, None for most."""

    numbers: Int64s
    columns: tuple[list[str], ...]
    errors: list[str | None]

    @classmethod
    def empty(cls, columns: int) -> "TextRows":
        """No row of so many columns."""
        return cls(np.empty(0, np.int64), tuple([] for _ in range(columns)), [])


def text_rows(columns: Mapping[str, Sequence[Any]], longest: int) -> TextRows:
    """Rows whose cells all are texts of at most `longest` characters, without NUL and lone surrogates."""
    count = len(next(iter(columns.values())))
    errors: list[str | None] = [None] * count
    for name, values in columns.items():
        for row in _faulty(values, longest):
            errors[row] = errors[row] or _fault(values[row], name, longest)
    good = [row for row in range(count) if errors[row] is None]
    columns_of_rows = columns.values() if len(good) == count else ([values[row] for row in good] for values in columns.values())
    return TextRows(np.array(good, np.int64), tuple(list(values) for values in columns_of_rows), errors)


def _faulty(values: Sequence[Any], longest: int) -> Sequence[int]:
    """Rows to look at: all, unless the column as a whole is in order, as most are."""
    try:
        if all(type(value) is str for value in values):
            check_segments(values, longest, ())
            return ()
    except InputError:
        pass
    return range(len(values))


def _fault(value: Any, name: str, longest: int) -> str | None:
    if isinstance(value, Fault):
        return value.reason
    if value is ABSENT:
        return f"invalid-table: {name} is missing"
    if value is None or type(value).__name__ in NULLS or (isinstance(value, float | np.floating) and np.isnan(value)):
        return f"invalid-table: {name} is null"
    if not isinstance(value, str):
        return f"invalid-table: {name} is no text but of type {type(value).__name__}"
    try:
        check_segments([value], longest, ())
    except InputError as error:
        return f"{error.code}: {name}: {error.detail}"
    return None
