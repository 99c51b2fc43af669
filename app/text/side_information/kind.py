"""What a kind of side information is: declared once, with what requests, tables, features and feedback ask of it."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Generic, Protocol, TypeVar

from app.arrays import Int64s

__all__ = ["Cut", "Kind", "Place", "Read", "frozen", "join_rows", "select_rows", "thawed"]

Column = TypeVar("Column")
Place = tuple[str | int, ...]
Read = Callable[[str, Place], Any]


def frozen(value: Any) -> Any:
    """Lists as tuples, at every depth."""
    return tuple(map(frozen, value)) if isinstance(value, (list, tuple)) else value


def thawed(column: Any) -> list[Any]:
    """Tuples as lists, at every depth."""
    return [thawed(value) if isinstance(value, tuple) else value for value in column]


def select_rows(column: Any, rows: Int64s) -> Any:
    """Some segments' values."""
    return tuple(column[row] for row in rows.tolist())


def join_rows(columns: Sequence[Any]) -> Any:
    """The values of several batches, one after the other."""
    return tuple(value for column in columns for value in column)


class Cut(Protocol):
    """What makes texts as long as features look at them."""

    @property
    def shortest(self) -> int:
        """Texts of up to so many characters stay as they are."""

    def text(self, row: int, text: str) -> str:
        """As much of a text of a row as features look at."""


@dataclass(frozen=True, eq=False)
class Kind(Generic[Column]):
    """One kind: a column with a value for every segment.

    `name` is the column's; `need` says in words what features need. `annotation` is the pydantic type of one segment's value and
    `field` that field's name where it differs. ``check(column, longest, first)`` raises what is wrong with a value, texts and
    rows of numbers being no longer than `longest`, and counts rows from `first`. `example` is a value of a short segment, with
    which features are computed once before anybody waits for them. `code` is the code for a value that lacks, `absent` the text
    where a feature set has nothing (a general one where empty). ``read(cell, place)`` makes a value of a table's cell or a line;
    a file of such lines that lies beside the texts is called `file`. What feedback keeps for training is `with_feedback`. The
    rest says how a column is made of values, selected from, joined and written. Where a value holds texts, ``cut(column, by)``
    makes them as long as features look at them; they are of the translation's language unless `in_source_language`.
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
    cut: Callable[[Column, Cut], Column] | None = None
    in_source_language: bool = False

    def __str__(self) -> str:
        return self.need

    @property
    def request_field(self) -> str:
        """The field of a request's segment."""
        return self.field or self.name
