"""What was taken for what in a table: its heading, and which columns are source, translation and labels."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Final, Literal

from typing_extensions import TypedDict

from app.text.reading.column_names import LABEL, SOURCE, TRANSLATION, role_of
from app.text.reading.headings import looks_like_heading, may_be_heading, text_columns

__all__ = ["Basis", "ColumnAnswer", "Order", "Reading", "ReadingAnswer", "columns_of", "heading_roles"]

# What tells it: names of columns, their languages, what stands below, the caller, or their places alone.
Basis = Literal["names", "languages", "content", "stated", "places"]
# Whether of two columns of text the first is the source, by their words; None where these do not tell.
Order = Callable[[Sequence[str], Sequence[str]], bool | None]
LONGEST_SHOWN: Final = 60


class ColumnAnswer(TypedDict):
    """A column by its number, from 1, and its heading where it has one."""

    column: int
    name: str | None


class ReadingAnswer(TypedDict):
    """What was taken for what in a table. `heading` is the line of the heading, null where every row is a segment."""

    heading: int | None
    basis: Basis
    source: ColumnAnswer
    translation: ColumnAnswer
    labels: list[ColumnAnswer]
    unclear: bool
    sentence: str


@dataclass(frozen=True)
class Reading:
    """Places of columns, from 0; `headings` are the cells of the first row where it is a heading, on the line `line`.

    `unclear` where that row was taken for a segment and might be a heading, or where nothing but their places tells its columns
    apart; `by_words` where their words do.
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
        """It as JSON."""
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
        """It for people, in one line."""
        columns = f"{self._called(self.source)} is the source, {self._called(self.translation)} the translation"
        if self.headings is not None:
            how = OTHERWISE if self.unclear else ", by their words" if self.by_words else ""
            return f"line {self.line} is a heading ({TOLD[self.basis]}); {columns}{how}"
        if self.unclear:
            return f"line {self.line} was taken for a segment; say so if it is a heading; {columns}"
        return f"there is no heading; {columns}"

    def _column(self, k: int) -> ColumnAnswer:
        return {"column": k + 1, "name": None if self.headings is None else self.headings[k].strip()[:LONGEST_SHOWN] or None}

    def _called(self, k: int) -> str:
        name = self._column(k)["name"]
        return f"column {k + 1}" + (f" ({' '.join(name.split())})" if name else "")


OTHERWISE: Final = ", by their places; call them source and translation if it is the other way round"
TOLD: Final = {
    "names": "by its names",
    "languages": "by its languages",
    "content": "by what stands below it",
    "stated": "as was said",
    "places": "by its place",
}


def heading_roles(cells: Sequence[str]) -> tuple[list[str | None], list[str | None], Basis | None]:
    """For each cell of a heading its role and its language, and by what source and translation are told; None where they are not.

    A language beside a named source is the translation's, and the other way round; of two languages alone the first is the source.
    """
    told = [role_of(cell) for cell in cells]
    roles, languages = [role for role, _ in told], [language for _, language in told]
    if SOURCE in roles and TRANSLATION in roles:
        return roles, languages, "names"
    alone = [k for k, (role, language) in enumerate(told) if role is None and language is not None]
    missing = [role for role in (SOURCE, TRANSLATION) if role not in roles]
    if len(alone) != len(missing) or len({languages[k] for k in alone}) != len(alone):
        return roles, languages, None
    for k, role in zip(alone, missing, strict=True):
        roles[k] = role
    return roles, languages, "languages"


def columns_of(
    cells: Sequence[str],
    line: int,
    below: Sequence[Sequence[str]],
    stated: bool | None,
    places: Sequence[int],
    order: Order | None = None,
) -> Reading | None:
    """What the columns are of a table whose first row does not name both source and translation; None where nobody can tell.

    `stated` is what the caller says of a heading, `places` are the columns that are not ours. Two of them are source and
    translation; of more, those two that hold text. Under a heading that names neither, their words may tell which is which.
    """
    own, rows = [cells[k] for k in places], [[row[k] for k in places if k < len(row)] for row in below]
    roles = [role if role != LABEL else None for role, _ in map(role_of, own)] if stated is not False else [None] * len(own)
    hinted = (SOURCE in roles) != (TRANSLATION in roles)
    is_heading = looks_like_heading(own, rows, hinted) if stated is None else stated
    texts = [0, 1] if len(own) == 2 else text_columns(rows if is_heading else [own, *rows], len(own))
    if len(texts) != 2 or (len(own) > 2 and not is_heading and stated is None):
        return None
    if is_heading:
        named = roles[texts[0]] != roles[texts[1]]
        words = None if named or order is None else order(*([row[k] for row in rows if k < len(row)] for k in texts))
        if words is False or (named and (roles[texts[0]] == TRANSLATION or roles[texts[1]] == SOURCE)):
            texts.reverse()
        source, translation = (places[k] for k in texts)
        basis: Basis = "content" if stated is None else "stated"
        unclear = not named and words is None
        return Reading(source, translation, basis, line, tuple(cells), unclear=unclear, by_words=words is not None)
    source, translation = (places[k] for k in texts)
    unclear = stated is None and may_be_heading(own, rows)
    return Reading(source, translation, "places" if stated is None else "stated", line, unclear=unclear)
