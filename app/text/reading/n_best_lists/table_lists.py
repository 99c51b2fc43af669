"""Reader of tables: a header, then one hypothesis per row: ``segment`` (from 0), ``text``, optionally ``score``, and features.

Every other column is a component of the feature that the header names; components repeat the name. An empty cell is a missing
feature.
"""

from collections.abc import Iterator
from typing import Final

from app.errors import InputError
from app.text.reading.lines import TextFile, filled_lines
from app.text.reading.moses_n_best import MOST_SEGMENTS, segment_number
from app.text.reading.n_best_lists.gathering import MOST_COLUMNS, ListHypothesis, refused
from app.text.reading.numbers import finite_number

__all__ = ["read_table", "table_columns"]

REQUIRED: Final = ("segment", "text")
SCORE: Final = "score"


def table_columns(line: str) -> list[str] | None:
    """Return the column names of a header; None if the line is not a header."""
    if line.count("\t") > MOST_COLUMNS + len(REQUIRED):
        return None
    names = [cell.strip() for cell in line.split("\t")]
    return names if all(names.count(name) == 1 for name in REQUIRED) and names.count(SCORE) < 2 else None


def read_table(file: TextFile) -> Iterator[ListHypothesis]:
    """Yield the hypotheses of all rows; InputError names the row, and the column of a bad cell."""
    lines = filled_lines(file.lines(), file.name)
    names = table_columns(next(lines, (1, ""))[1])
    if names is None or "" in names:
        raise InputError("invalid-table", f"{file.name}: the header must name segment, text and features", (file.name, 1))
    segment, text, score = (names.index(name) if name in names else -1 for name in (*REQUIRED, SCORE))
    features = [(k, name) for k, name in enumerate(names) if k not in (segment, text, score)]
    for number, line in lines:
        place = (file.name, number)
        width = line.count("\t") + 1
        if width != len(names):
            raise refused(f"{width} columns, expected {len(names)}", place)
        cells = line.split("\t")
        row = [(name, _number(cells[k], name, place)) for k, name in features if cells[k].strip()]
        total = _number(cells[score], SCORE, place) if score >= 0 else 0.0
        yield ListHypothesis(_segment(cells[segment].strip(), place), cells[text].strip(), total, row)


def _segment(cell: str, place: tuple[str, int]) -> int:
    number = segment_number(cell)
    if number is None:
        raise refused(f"segment must be a number from 0 and below {MOST_SEGMENTS}", place)
    return number


def _number(cell: str, name: str, place: tuple[str, int]) -> float:
    value = finite_number(cell)
    if value is None:
        raise refused("this cell must be a finite number", (*place, name))
    return value
