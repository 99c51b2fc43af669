"""Headers of tables: columns of source and translation by their many names or by their languages."""

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from app.errors import InputError
from app.text.reading.column_names import SOURCE, TRANSLATION
from app.text.reading.columns import Order, TableReading, columns_of, heading_roles
from app.text.reading.headings import text_columns

__all__ = [
    "CORRECTION_COLUMN",
    "MOST_CELLS",
    "MOST_COLUMNS",
    "QUALITY_COLUMNS",
    "Header",
    "no_column",
    "pair_columns",
    "shown_names",
    "split_cells",
    "too_wide",
]

LONGEST_SHOWN: Final = 500
LONGEST_NAME_SHOWN: Final = 60
MOST_COLUMNS: Final = 1000
# Last columns of an annotated table.
QUALITY_COLUMNS: Final = ("assay_quality", "assay_score", "assay_low", "assay_high", "assay_band", "assay_warnings")
# A further column, if corrections stand beside translations.
CORRECTION_COLUMN: Final = "assay_correction"
# Cells of a row, with those that Assay wrote.
MOST_CELLS: Final = MOST_COLUMNS + len(QUALITY_COLUMNS) + 1
# Quality has the decimal comma of its table, if the table uses commas.
QUALITY: Final = re.compile(r"(?:[01][.,]\d{4})?")
NUMBER: Final = re.compile(r"-?\d++[.,]\d++")
PAIR: Final = (SOURCE, TRANSLATION)
RANKING_REMEDY: Final = "For several translations of each source, use Rank (assay rank)"


def pair_columns(cells: Sequence[str]) -> tuple[int, int] | None:
    """Positions of source and translation in a heading, by any of their names; None if one is missing or occurs twice."""
    roles, _, basis = heading_roles(cells)
    if basis is None or roles.count(SOURCE) != 1 or roles.count(TRANSLATION) != 1:
        return None
    return roles.index(SOURCE), roles.index(TRANSLATION)


@dataclass(frozen=True)
class Header:
    """Names of a table's columns.

    `has_names`: the first row is a heading. `reading` is the interpretation of a table of segments, None for other tables.
    """

    names: tuple[str, ...]
    has_names: bool = True
    reading: TableReading | None = None

    @property
    def quality(self) -> int | None:
        """Position of the first of the adjacent quality columns; None without them."""
        first = self.names.index(QUALITY_COLUMNS[0]) if QUALITY_COLUMNS[0] in self.names else -1
        return first if first > 0 and self.names[first : first + len(QUALITY_COLUMNS)] == QUALITY_COLUMNS else None

    @property
    def quality_width(self) -> int:
        """Number of the quality columns from there on, with the column of corrections."""
        end = (self.quality or 0) + len(QUALITY_COLUMNS)
        return len(QUALITY_COLUMNS) + (self.names[end : end + 1] == (CORRECTION_COLUMN,))

    @classmethod
    def of(
        cls,
        cells: Sequence[str],
        name: str,
        line: int = 1,
        below: Sequence[Sequence[str]] = (),
        has_heading: bool | None = None,
        order: Order | None = None,
    ) -> "Header":
        """Header of a table of segments: by names or languages in its first row, else by the rows `below`.

        The caller may know if the first row is a heading (`has_heading`). `order` distinguishes columns without known names.
        InputError (`invalid-table`) if two columns have one name, or if source and translation are unclear.
        """
        _check_width(cells, name, line)
        roles, languages, basis = heading_roles(cells) if has_heading is not False else ([], [], None)
        if basis is not None:
            _check_distinct(_plain(cells), name, line)
            _check_one_each(roles, cells, name, line)
            source, translation = roles.index(SOURCE), roles.index(TRANSLATION)
            pair_languages = (languages[source], languages[translation])
            reading: TableReading | None = TableReading(source, translation, basis, line, tuple(cells), pair_languages)
        else:
            reading = columns_of(cells, line, below, *_heading_and_columns(cells, has_heading), order)
        if reading is None:
            expected = f"expected a header that names source and translation, or two columns; {_naming_remedy(roles, cells)}"
            if len(text_columns(below, len(cells))) > 2:
                expected += f". {RANKING_REMEDY}"
            raise InputError("invalid-table", f"line {line} of {name} has {len(cells)} columns, {expected}", (name, line))
        return cls._from_reading(cells, reading, name, line)

    @classmethod
    def _from_reading(cls, cells: Sequence[str], reading: TableReading, name: str, line: int) -> "Header":
        """Header with names by roles and headings; a column without a heading is named by its number."""
        has_names = reading.headings is not None
        names = _plain(cells) if has_names else [f"column {k + 1}" for k in range(len(cells))]
        names[reading.source], names[reading.translation] = SOURCE, TRANSLATION
        if not has_names and _ends_in_quality(cells):
            names[-len(QUALITY_COLUMNS) :] = QUALITY_COLUMNS
        _check_distinct(names, name, line)
        header = cls(tuple(names), has_names, reading)
        if header.quality is None and not set(QUALITY_COLUMNS).isdisjoint(names):
            expected = f"all of {', '.join(QUALITY_COLUMNS)} side by side, as Assay writes them, or none of them"
            raise InputError("invalid-table", f"line {line} of {name} has some columns of quality; give {expected}", (name, line))
        return header

    @classmethod
    def requiring(cls, required: Sequence[str], cells: Sequence[str], name: str, line: int = 1) -> "Header":
        """Header of any table, with the names of its first row; InputError (`invalid-table`) if a required column is missing."""
        _check_width(cells, name, line)
        _check_distinct(cells, name, line)
        missing = next((column for column in required if column not in cells), None)
        if missing is not None:
            raise no_column(missing, cells, (name, line))
        return cls(tuple(cells))


def shown_names(names: Sequence[str]) -> str:
    """Names of columns for an error, cut to a readable length."""
    names_text = ", ".join(names)
    return names_text if len(names_text) <= LONGEST_SHOWN else f"{names_text[:LONGEST_SHOWN]} ..."


def no_column(column: str, names: Sequence[str], path: tuple[str | int, ...]) -> InputError:
    """InputError (`invalid-table`) for a missing column; it lists the columns of the table."""
    return InputError("invalid-table", f"the table has no column {column}; its columns are {shown_names(names)}", path)


def _check_width(cells: Sequence[str], name: str, line: int) -> None:
    """Check the number of columns, without those that Assay wrote; InputError (`invalid-table`) above the limit."""
    if len(cells) <= MOST_COLUMNS:
        return
    width = len(_heading_and_columns(cells, None)[1])
    if width > MOST_COLUMNS:
        raise too_wide(str(width), name, line)


def too_wide(width: str, name: str, line: int) -> InputError:
    """InputError (`invalid-table`) for a row of too many columns."""
    detail = f"line {line} of {name} has {width} columns; a table may have at most {MOST_COLUMNS}"
    return InputError("invalid-table", detail, (name, line))


def split_cells(text: str, name: str, line: int) -> list[str]:
    """Cells between tabs; InputError (`invalid-table`) for too many columns, before any cell takes memory."""
    width = text.count("\t") + 1
    if width > MOST_CELLS:
        raise too_wide(str(width), name, line)
    return text.split("\t")


def _plain(cells: Sequence[str]) -> list[str]:
    return [cell.strip().lower() for cell in cells]


def _heading_and_columns(cells: Sequence[str], has_heading: bool | None) -> tuple[bool | None, list[int]]:
    """True or False if the caller or quality columns decide on a heading, else None; and positions of the other columns."""
    plain = _plain(cells)
    if has_heading is not False and set(QUALITY_COLUMNS) <= set(plain):
        return True, [k for k, cell in enumerate(plain) if cell not in (*QUALITY_COLUMNS, CORRECTION_COLUMN)]
    width = len(cells) - (len(QUALITY_COLUMNS) if not has_heading and _ends_in_quality(cells) else 0)
    return (False if width < len(cells) else has_heading), list(range(width))


def _ends_in_quality(cells: Sequence[str]) -> bool:
    """Return True if a row ends with the quality columns of an annotated table without a heading."""
    count = len(QUALITY_COLUMNS)
    if len(cells) < count + 2 or not QUALITY.fullmatch(cells[-count]):
        return False
    return len(cells) == count + 2 or all(NUMBER.fullmatch(cell) for cell in cells[1 - count : -2])


def _check_distinct(names: Sequence[str], name: str, line: int) -> None:
    """Check that no name occurs twice; spreadsheets write columns without names, which do not count."""
    duplicate = next((column for column, count in Counter(names).items() if column and count > 1), None)
    if duplicate is not None:
        first, second = [k + 1 for k, column in enumerate(names) if column == duplicate][:2]
        detail = f"columns {first} and {second} are both called {shown_names([duplicate])}; rename one"
        raise InputError("invalid-table", f"line {line} of {name} names a column twice: {detail}", (name, line))


def _check_one_each(roles: Sequence[str | None], cells: Sequence[str], name: str, line: int) -> None:
    """Check that at most one column has a name of each role; else InputError (`invalid-table`)."""
    for role in PAIR:
        first, *rivals = [_numbered_name(k, cells) for k, column_role in enumerate(roles) if column_role == role]
        if rivals:
            detail = (
                f"line {line} of {name}: column {first} and column {rivals[0]} could each be the {role}; rename the one that is not"
            )
            if role == TRANSLATION:
                detail += f". {RANKING_REMEDY}"
            raise InputError("invalid-table", detail, (name, line))


def _naming_remedy(roles: Sequence[str | None], cells: Sequence[str]) -> str:
    """Advice for a table with unclear columns; the heading may name one of source and translation."""
    position = next((k for k, role in enumerate(roles) if role in PAIR), None)
    if position is None:
        return "name two of them source and translation"
    missing = TRANSLATION if roles[position] == SOURCE else SOURCE
    return f"column {_numbered_name(position, cells)} is the {roles[position]}, so name the {missing} too"


def _numbered_name(k: int, cells: Sequence[str]) -> str:
    return f"{k + 1} ({cells[k].strip()[:LONGEST_NAME_SHOWN]})"
