"""The side information of n segments: a column of each kind that all of them have."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Final, TypeVar

import numpy as np

from app.arrays import Int64s
from app.text.side_information.kind import GivenPart, Kind
from app.text.side_information.kinds import KINDS

__all__ = ["NO_SIDE_INFORMATION", "SideInformation", "kinds_in"]

Column = TypeVar("Column")
BY_NAME: Final[Mapping[str, Kind[Any]]] = {kind.name: kind for kind in KINDS}


class SideInformation:
    """Optional evidence for n segments, each kind for all of them or for none. Immutable."""

    __slots__ = ("_columns",)

    def __init__(self, **columns: Any) -> None:
        """Take columns of n values by the names of kinds; None leaves a kind out, an unknown name is a TypeError."""
        if unknown := set(columns) - set(BY_NAME):
            raise TypeError(f"no kind of side information is called {min(unknown)}")
        present_columns = {name: values for name, values in columns.items() if values is not None}
        self._columns: Mapping[Kind[Any], Any] = {
            kind: kind.column(present_columns[kind.name]) for kind in KINDS if kind.name in present_columns
        }

    def get(self, kind: Kind[Column]) -> Column | None:
        """Column of a kind, or None."""
        column: Column | None = self._columns.get(kind)
        return column

    def __bool__(self) -> bool:
        return bool(self._columns)

    @property
    def kinds(self) -> frozenset[Kind[Any]]:
        """Kinds with a column."""
        return frozenset(self._columns)

    @property
    def evidence(self) -> frozenset[Kind[Any] | GivenPart]:
        """Kinds with a column, and the parts of their values that every segment has."""
        return self.kinds.union(GivenPart(kind.name, part) for kind, column in self._columns.items() for part in kind.parts(column))

    @property
    def names(self) -> tuple[str, ...]:
        """Names of the kinds with a column, in the order of `KINDS`."""
        return tuple(kind.name for kind in self._columns)

    def columns(self) -> dict[str, Any]:
        """Columns by name."""
        return {kind.name: column for kind, column in self._columns.items()}

    def items(self) -> Iterable[tuple[Kind[Any], Any]]:
        """Kinds with their columns."""
        return self._columns.items()

    def rows(self, rows: slice | Int64s | Sequence[int]) -> "SideInformation":
        """Side information of these segments, in their order."""
        if not self._columns:
            return self
        size = len(next(iter(self._columns.values())))
        indices = np.arange(*rows.indices(size)) if isinstance(rows, slice) else np.asarray(rows, np.int64)
        return SideInformation(**{kind.name: kind.select(column, indices) for kind, column in self._columns.items()})

    @classmethod
    def joined(cls, parts: Sequence["SideInformation"]) -> "SideInformation":
        """Join batches that have the kinds of the first; further kinds are dropped."""
        kinds = parts[0]._columns if parts else {}
        return cls(**{kind.name: kind.join([part._columns[kind] for part in parts]) for kind in kinds})

    def with_kinds(self, **columns: Any) -> "SideInformation":
        """Copy with more kinds; None leaves a kind unchanged."""
        return SideInformation(**{**self.columns(), **{name: values for name, values in columns.items() if values is not None}})

    def as_json(self) -> dict[str, list[Any]]:
        """Columns as lists for JSON, by name."""
        return {kind.name: kind.as_json(column) for kind, column in self._columns.items()}

    @classmethod
    def from_json(cls, columns: Mapping[str, Any]) -> "SideInformation":
        """Read the output of `as_json`; columns of unknown names are ignored."""
        return cls(**{name: columns[name] for name in BY_NAME if columns.get(name) is not None})


def kinds_in(columns: Mapping[str, object]) -> frozenset[Kind[Any]]:
    """Kinds of the columns with these names; unknown names are ignored."""
    return frozenset(kind for name, kind in BY_NAME.items() if columns.get(name) is not None)


NO_SIDE_INFORMATION: Final = SideInformation()
