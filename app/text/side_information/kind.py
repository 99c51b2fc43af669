"""Declaration of a kind of side information, for requests, tables, features and feedback."""

from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass
from typing import Any, Generic, Protocol, TypeVar

from app.arrays import Int64s

__all__ = ["Cut", "GivenPart", "Kind", "Location", "Read", "frozen", "join_rows", "select_rows", "thawed"]

Column = TypeVar("Column")
Location = tuple[str | int, ...]
Read = Callable[[str, Location], Any]


def frozen(value: Any) -> Any:
    """Convert lists to tuples, at every depth."""
    return tuple(map(frozen, value)) if isinstance(value, (list, tuple)) else value


def thawed(column: Any) -> list[Any]:
    """Convert tuples to lists, at every depth."""
    return [thawed(value) if isinstance(value, tuple) else value for value in column]


def select_rows(column: Any, rows: Int64s) -> Any:
    """Values of these segments, in their order."""
    return tuple(column[row] for row in rows.tolist())


def join_rows(columns: Sequence[Any]) -> Any:
    """Values of several batches, in their order."""
    return tuple(value for column in columns for value in column)


class Cut(Protocol):
    """A rule that shortens texts to the length that features read."""

    @property
    def shortest(self) -> int:
        """Texts of up to this many characters stay unchanged."""

    def text(self, row: int, text: str) -> str:
        """Part of a row's text that features read."""


@dataclass(frozen=True)
class GivenPart:
    """A part of side information that every segment has: the name of its kind, and its own."""

    kind: str
    part: str


@dataclass(frozen=True, eq=False)
class Kind(Generic[Column]):
    """One kind of side information: a column with a value for every segment.

    - `name` names the column, `need` describes the kind in messages about features.
    - `annotation` is the pydantic type of one segment's value. `field` is the name of that field, `name` if empty.
    - ``check(column, longest, first)`` raises InputError for a bad value. Texts and rows of numbers have at most `longest` items.
      Rows count from `first`.
    - `example` is a value of a short segment, with which a server computes features once before the first request.
    - `code` is the error code for a missing value. `absent` is the message if a feature set lacks the kind (empty: a general one).
    - ``read(cell, location)`` parses a cell of a table or a line. `file` names a file of such lines beside the texts.
    - `with_feedback`: feedback stores the values for training.
    - `column`, `select`, `join` and `as_json` build, select, join and write a column.
    - ``parts(column)`` names the parts of values that every segment has. Features that need a part are missing without it.
    - ``cut(column, rule)`` shortens texts in values to the length that features read. The texts are in the language of the
      translation unless `in_source_language`.
    """

    name: str
    need: str
    annotation: Any
    check: Callable[[Column, int, int], None]
    example: Any
    field: str = ""
    code: str = "missing-evidence"
    absent: str = ""
    read: Read | None = None
    file: str = ""
    with_feedback: bool = False
    column: Callable[[Sequence[Any]], Column] = frozen
    select: Callable[[Column, Int64s], Column] = select_rows
    join: Callable[[Sequence[Column]], Column] = join_rows
    as_json: Callable[[Column], list[Any]] = thawed
    parts: Callable[[Column], Collection[str]] = lambda _: ()
    cut: Callable[[Column, Cut], Column] | None = None
    in_source_language: bool = False

    def __str__(self) -> str:
        return self.need

    @property
    def request_field(self) -> str:
        """Name of the field of a request's segment."""
        return self.field or self.name
