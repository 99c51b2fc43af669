"""What the first row of a table says of its columns: source and translation by their many names or by their languages."""

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from app.errors import InputError
from app.text.reading.column_names import SOURCE, TRANSLATION
from app.text.reading.columns import Order, Reading, columns_of, heading_roles

__all__ = ["CORRECTION_COLUMN", "QUALITY_COLUMNS", "Header", "no_column", "pair_columns", "shown_names"]

LONGEST_SHOWN: Final = 500
LONGEST_NAME_SHOWN: Final = 60
MOST_COLUMNS: Final = 1000
# What an annotated table has at its end.
QUALITY_COLUMNS: Final = ("assay_quality", "assay_score", "assay_low", "assay_high", "assay_band", "assay_warnings")
# And behind these, where corrections are told beside translations.
CORRECTION_COLUMN: Final = "assay_correction"
# With the decimal comma of the table that we have written into, where it has such.
QUALITY: Final = re.compile(r"(?:[01][.,]\d{4})?")
NUMBER: Final = re.compile(r"-?\d++[.,]\d++")
PAIR: Final = (SOURCE, TRANSLATION)


def pair_columns(cells: Sequence[str]) -> tuple[int, int] | None:
    """Where cells name a source and a translation, by any of their names; None where they do not, or name one twice."""
    roles, _, basis = heading_roles(cells)
    if basis is None or roles.count(SOURCE) != 1 or roles.count(TRANSLATION) != 1:
        return None
    return roles.index(SOURCE), roles.index(TRANSLATION)


@dataclass(frozen=True)
class Header:
    """Names of a table's columns, whether its first row says them, and what was taken for what; None where columns are required."""

    names: tuple[str, ...]
    named: bool = True
    reading: Reading | None = None

    @property
    def quality(self) -> int | None:
        """The place of the first of the columns that we have written, which stand side by side; None where they are not there."""
        first = self.names.index(QUALITY_COLUMNS[0]) if QUALITY_COLUMNS[0] in self.names else -1
        return first if first > 0 and self.names[first : first + len(QUALITY_COLUMNS)] == QUALITY_COLUMNS else None

    @property
    def quality_width(self) -> int:
        """How many columns we have written side by side from there on."""
        behind = (self.quality or 0) + len(QUALITY_COLUMNS)
        return len(QUALITY_COLUMNS) + (self.names[behind : behind + 1] == (CORRECTION_COLUMN,))

    @classmethod
    def of(
        cls,
        cells: Sequence[str],
        name: str,
        line: int = 1,
        below: Sequence[Sequence[str]] = (),
        stated: bool | None = None,
        order: Order | None = None,
    ) -> "Header":
        """Of a table of source and translation by its first row: by the names or languages in it, else by what stands `below`.

        Whether it is a heading may be `stated`, and `order` may tell columns apart that it does not name. InputError
        (`invalid-table`) where a column is named twice, or where it cannot be told which columns are source and translation.
        """
        _check_width(cells, name, line)
        roles, languages, basis = heading_roles(cells) if stated is not False else ([], [], None)
        if basis is not None:
            _check_distinct(_plain(cells), name, line)
            _check_one_each(roles, cells, name, line)
            source, translation = roles.index(SOURCE), roles.index(TRANSLATION)
            spoken = (languages[source], languages[translation])
            reading: Reading | None = Reading(source, translation, basis, line, tuple(cells), spoken)
        else:
            reading = columns_of(cells, line, below, *_stated(cells, stated), order)
        if reading is None:
            expected = f"expected a header that names source and translation, or two columns; {_what_to_name(roles, cells)}"
            raise InputError("invalid-table", f"line {line} of {name} has {len(cells)} columns, {expected}", (name, line))
        return cls._named(cells, reading, name, line)

    @classmethod
    def _named(cls, cells: Sequence[str], reading: Reading, name: str, line: int) -> "Header":
        """The names of columns as their roles and headings have them; of columns without a heading, their numbers."""
        named = reading.headings is not None
        names = _plain(cells) if named else [f"column {k + 1}" for k in range(len(cells))]
        names[reading.source], names[reading.translation] = SOURCE, TRANSLATION
        if not named and _ends_in_quality(cells):
            names[-len(QUALITY_COLUMNS) :] = QUALITY_COLUMNS
        _check_distinct(names, name, line)
        header = cls(tuple(names), named, reading)
        if header.quality is None and not set(QUALITY_COLUMNS).isdisjoint(names):
            expected = f"all of {', '.join(QUALITY_COLUMNS)} side by side, which are written here, or none of them"
            raise InputError("invalid-table", f"line {line} of {name} has some columns of quality; give {expected}", (name, line))
        return header

    @classmethod
    def requiring(cls, required: Sequence[str], cells: Sequence[str], name: str, line: int = 1) -> "Header":
        """Of any table by its first row as it stands; InputError (`invalid-table`) where a required column is not there."""
        _check_width(cells, name, line)
        _check_distinct(cells, name, line)
        missing = next((column for column in required if column not in cells), None)
        if missing is not None:
            raise no_column(missing, cells, (name, line))
        return cls(tuple(cells))


def shown_names(names: Sequence[str]) -> str:
    """Names of columns as an error shows them, which is not all of a megabyte."""
    shown = ", ".join(names)
    return shown if len(shown) <= LONGEST_SHOWN else f"{shown[:LONGEST_SHOWN]} ..."


def no_column(column: str, names: Sequence[str], where: tuple[str | int, ...]) -> InputError:
    """The error that a table lacks a column."""
    return InputError("invalid-table", f"there is no column {column}; the columns are {shown_names(names)}", where)


def _check_width(cells: Sequence[str], name: str, line: int) -> None:
    """InputError (`invalid-table`) where a row has more columns than a table may have, ours not counted."""
    if len(cells) <= MOST_COLUMNS:
        return
    width = len(_stated(cells, None)[1])
    if width > MOST_COLUMNS:
        detail = f"line {line} of {name} has {width} columns; a table may have at most {MOST_COLUMNS}"
        raise InputError("invalid-table", detail, (name, line))


def _plain(cells: Sequence[str]) -> list[str]:
    return [cell.strip().lower() for cell in cells]


def _stated(cells: Sequence[str], stated: bool | None) -> tuple[bool | None, list[int]]:
    """Whether the first row is a heading, as the caller or columns of ours say, and the places of the columns that are not ours."""
    plain = _plain(cells)
    if stated is not False and set(QUALITY_COLUMNS) <= set(plain):
        return True, [k for k, cell in enumerate(plain) if cell not in (*QUALITY_COLUMNS, CORRECTION_COLUMN)]
    width = len(cells) - (len(QUALITY_COLUMNS) if not stated and _ends_in_quality(cells) else 0)
    return (False if width < len(cells) else stated), list(range(width))


def _ends_in_quality(cells: Sequence[str]) -> bool:
    """Whether a row without a heading is one that we have annotated."""
    count = len(QUALITY_COLUMNS)
    if len(cells) < count + 2 or not QUALITY.fullmatch(cells[-count]):
        return False
    return len(cells) == count + 2 or all(NUMBER.fullmatch(cell) for cell in cells[1 - count : -2])


def _check_distinct(names: Sequence[str], name: str, line: int) -> None:
    """Spreadsheets write columns without a name, and any number of them is no harm."""
    twice = next((column for column, count in Counter(names).items() if column and count > 1), None)
    if twice is not None:
        first, second = [k + 1 for k, column in enumerate(names) if column == twice][:2]
        called = f"columns {first} and {second} are both called {shown_names([twice])}; rename one"
        raise InputError("invalid-table", f"line {line} of {name} names a column twice: {called}", (name, line))


def _check_one_each(roles: Sequence[str | None], cells: Sequence[str], name: str, line: int) -> None:
    """InputError (`invalid-table`) where two columns have names that a source has, or a translation."""
    for role in PAIR:
        first, *more = [_shown(k, cells) for k, other in enumerate(roles) if other == role]
        if more:
            detail = (
                f"line {line} of {name}: column {first} and column {more[0]} could each be the {role}; rename the one that is not"
            )
            raise InputError("invalid-table", detail, (name, line))


def _what_to_name(roles: Sequence[str | None], cells: Sequence[str]) -> str:
    """What to do where it cannot be told which columns are source and translation; only one of them may be named."""
    named = next((k for k, role in enumerate(roles) if role in PAIR), None)
    if named is None:
        return "name the two of them source and translation"
    missing = TRANSLATION if roles[named] == SOURCE else SOURCE
    return f"column {_shown(named, cells)} is the {roles[named]}, so name the other one {missing}"


def _shown(k: int, cells: Sequence[str]) -> str:
    return f"{k + 1} ({cells[k].strip()[:LONGEST_NAME_SHOWN]})"
