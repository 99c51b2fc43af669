"""What the first row of a table says of its columns: source and translation by their many names or by their languages."""

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from app.errors import InputError
from app.text.languages import NAMES

__all__ = ["QUALITY_COLUMNS", "Header", "no_column", "pair_columns", "shown_names"]

LONGEST_SHOWN: Final = 500
SOURCE: Final = "source"
TRANSLATION: Final = "translation"
# What an annotated table has at its end.
QUALITY_COLUMNS: Final = ("assay_quality", "assay_score", "assay_low", "assay_high", "assay_band", "assay_warnings")
QUALITY: Final = re.compile(r"(?:[01]\.\d{4})?")
ALIASES: Final = {
    SOURCE: ("source", "src", "original", "source_text", "source text", "source_segment", "sources", "msgid"),
    TRANSLATION: (
        "translation", "mt", "target", "tgt", "hypothesis", "target_text", "target text", "target_segment", "translations", "trg",
        "mt_output", "machine_translation", "msgstr",
    ),
}  # fmt: skip
COLUMN_NAMES: Final = {alias: name for name, aliases in ALIASES.items() for alias in aliases}


def _pair_names(cells: Sequence[str]) -> list[str]:
    """The cells as names in small letters, those of source and translation by their usual one."""
    plain = [cell.strip().lower() for cell in cells]
    if set(plain) & set(COLUMN_NAMES):
        return [COLUMN_NAMES.get(cell, cell) for cell in plain]
    # Columns called by their languages: the first is the source.
    languages = [k for k, cell in enumerate(plain) if cell in NAMES]
    if len(languages) == 2 and plain[languages[0]] != plain[languages[1]]:
        plain[languages[0]], plain[languages[1]] = SOURCE, TRANSLATION
    return plain


def pair_columns(cells: Sequence[str]) -> tuple[int, int] | None:
    """Where cells name a source and a translation, by any of their names; None where they do not, or name one twice."""
    names = _pair_names(cells)
    if names.count(SOURCE) != 1 or names.count(TRANSLATION) != 1:
        return None
    return names.index(SOURCE), names.index(TRANSLATION)


@dataclass(frozen=True)
class Header:
    """Names of a table's columns, whether its first row says them, and the languages that source and translation are named by."""

    names: tuple[str, ...]
    named: bool = True
    languages: tuple[str | None, str | None] = (None, None)

    @classmethod
    def of(cls, cells: Sequence[str], name: str, line: int = 1) -> "Header":
        """Of a table of source and translation by its first row; without a header there are two columns, or an annotated table's.

        InputError (`invalid-table`) where a column is named twice, or where there are more columns without a header.
        """
        names = _pair_names(cells)
        if SOURCE not in names or TRANSLATION not in names:
            return cls(_without_header(cells, name, line), named=False)
        _check_distinct(names, name, line)
        codes = [cells[names.index(column)].strip().lower() for column in (SOURCE, TRANSLATION)]
        languages = (codes[0], codes[1]) if set(codes) <= NAMES.keys() else (None, None)
        return cls(tuple(names), True, languages)

    @classmethod
    def requiring(cls, required: Sequence[str], cells: Sequence[str], name: str, line: int = 1) -> "Header":
        """Of any table by its first row as it stands; InputError (`invalid-table`) where a required column is not there."""
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


def _without_header(cells: Sequence[str], name: str, line: int) -> tuple[str, ...]:
    annotated = (SOURCE, TRANSLATION, *QUALITY_COLUMNS)
    if len(cells) == len(annotated) and QUALITY.fullmatch(cells[2]):
        return annotated
    if len(cells) != 2:
        expected = "a header that names source and translation, or two columns"
        detail = f"line {line} of {name} has {len(cells)} columns, expected {expected}"
        raise InputError("invalid-table", detail, (name, line))
    return SOURCE, TRANSLATION


def _check_distinct(names: Sequence[str], name: str, line: int) -> None:
    """Spreadsheets write columns without a name, and any number of them is no harm."""
    if any(count > 1 for column, count in Counter(names).items() if column):
        raise InputError("invalid-table", f"line {line} of {name} names a column twice", (name, line))
