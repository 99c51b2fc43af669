"""Interpretation of a table: its heading, and the columns of source, translation and labels."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Final, Literal

from typing_extensions import TypedDict

from app.text.reading.column_names import LABEL, SOURCE, TRANSLATION, role_of
from app.text.reading.headings import looks_like_heading, may_be_heading, text_columns

__all__ = ["Basis", "ColumnAnswer", "Order", "ReadingAnswer", "TableReading", "columns_of", "heading_roles"]

# Evidence of the interpretation: names of columns, their languages, the cells below, the caller, or positions alone.
Basis = Literal["names", "languages", "content", "stated", "places"]
# True if the first of two columns of text is the source, by their words; None if the words are inconclusive.
Order = Callable[[Sequence[str], Sequence[str]], bool | None]
LONGEST_SHOWN: Final = 60


class ColumnAnswer(TypedDict):
    """Number of a column, from 1, and its heading or null."""

    column: int
    name: str | None


class ReadingAnswer(TypedDict):
    """Interpretation of a table. `heading` is the line of the heading, null if every row is a segment."""

    heading: int | None
    basis: Basis
    source: ColumnAnswer
    translation: ColumnAnswer
    labels: list[ColumnAnswer]
    unclear: bool
    sentence: str


@dataclass(frozen=True)
class TableReading:
    """Positions of columns, from 0; `headings` are the cells of line `line` if that is a heading, else None.

    `unclear`: the first row is read as a segment and might be a heading, or only positions distinguish the columns.
    `by_words`: the words of the columns distinguish them.
    """

    source: int
    translation: int
    basis: Basis
    line: int = 1
    headings: tuple[str, ...] | None = None
    languages: tuple[str | None, str | None] = (None, None)
    unclear: bool = False
    by_words: bool = False

    def answer(self) -> ReadingAnswer:
        """Interpretation as JSON."""
        labels = [k for k, cell in enumerate(self.headings or ()) if role_of(cell)[0] == LABEL]
        return {
            "heading": None if self.headings is None else self.line,
            "basis": self.basis,
            "source": self._column(self.source),
            "translation": self._column(self.translation),
            "labels": [self._column(k) for k in labels],
            "unclear": self.unclear,
            "sentence": self.sentence,
        }

    @property
    def sentence(self) -> str:
        """Interpretation for people, in one line."""
        columns = f"{self._called(self.source)} is the source, {self._called(self.translation)} the translation"
        if self.headings is not None:
            remark = POSITION_REMARK if self.unclear else ", by their words" if self.by_words else ""
            return f"line {self.line} is a heading ({BASIS_NAMES[self.basis]}); {columns}{remark}"
        if self.unclear:
            return f"line {self.line} is read as a segment; say so if it is a heading; {columns}"
        return f"the table has no heading; {columns}"

    def _column(self, k: int) -> ColumnAnswer:
        return {"column": k + 1, "name": None if self.headings is None else self.headings[k].strip()[:LONGEST_SHOWN] or None}

    def _called(self, k: int) -> str:
        name = self._column(k)["name"]
        return f"column {k + 1}" + (f" ({' '.join(name.split())})" if name else "")


POSITION_REMARK: Final = ", by their positions; if they are swapped, name them source and translation"
BASIS_NAMES: Final = {
    "names": "by its names",
    "languages": "by its languages",
    "content": "by the cells below it",
    "stated": "as the request says",
    "places": "by its position",
}


def heading_roles(cells: Sequence[str]) -> tuple[list[str | None], list[str | None], Basis | None]:
    """Role and language of each cell of a heading, and the basis of source and translation; None if they are not both clear.

    A language beside a named source marks the translation, and vice versa. Of two languages the first is the source.
    """
    cell_roles = [role_of(cell) for cell in cells]
    roles = [role for role, _ in cell_roles]
    languages = [language for _, language in cell_roles]
    if SOURCE in roles and TRANSLATION in roles:
        return roles, languages, "names"
    language_columns = [k for k, (role, language) in enumerate(cell_roles) if role is None and language is not None]
    missing = [role for role in (SOURCE, TRANSLATION) if role not in roles]
    if len(language_columns) != len(missing) or len({languages[k] for k in language_columns}) != len(language_columns):
        return roles, languages, None
    for k, role in zip(language_columns, missing, strict=True):
        roles[k] = role
    return roles, languages, "languages"


def columns_of(
    cells: Sequence[str],
    line: int,
    below: Sequence[Sequence[str]],
    has_heading: bool | None,
    positions: Sequence[int],
    order: Order | None = None,
) -> TableReading | None:
    """Interpret a table whose first row does not name both source and translation; None if its columns are unclear.

    `has_heading` is the word of the caller, if any. `positions` are the columns that Assay did not write. Two such columns are
    source and translation; of more, the two with text. If a heading names neither, the words of the columns decide.
    """
    headings = [cells[k] for k in positions]
    rows = [[row[k] for k in positions if k < len(row)] for row in below]
    roles: list[str | None] = [None] * len(headings)
    if has_heading is not False:
        roles = [role if role != LABEL else None for role, _ in map(role_of, headings)]
    is_hinted = (SOURCE in roles) != (TRANSLATION in roles)
    names_source = roles.count(SOURCE) == 1
    is_heading = looks_like_heading(headings, rows, is_hinted, names_source) if has_heading is None else has_heading
    texts = [0, 1] if len(headings) == 2 else text_columns(rows if is_heading else [headings, *rows], len(headings))
    if len(texts) != 2 or (len(headings) > 2 and not is_heading and has_heading is None):
        return None
    if is_heading:
        names_side = roles[texts[0]] != roles[texts[1]]
        words = None if names_side or order is None else order(*([row[k] for row in rows if k < len(row)] for k in texts))
        if words is False or (names_side and (roles[texts[0]] == TRANSLATION or roles[texts[1]] == SOURCE)):
            texts.reverse()
        source, translation = (positions[k] for k in texts)
        basis: Basis = "content" if has_heading is None else "stated"
        unclear = not names_side and words is None
        return TableReading(source, translation, basis, line, tuple(cells), unclear=unclear, by_words=words is not None)
    source, translation = (positions[k] for k in texts)
    unclear = has_heading is None and may_be_heading(headings, rows)
    return TableReading(source, translation, "places" if has_heading is None else "stated", line, unclear=unclear)
