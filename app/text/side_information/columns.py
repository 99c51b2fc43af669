"""The side information of n segments: a column of each kind that all of them have."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Final, TypeVar

import numpy as np

from app.arrays import Int64s
from app.text.side_information.kind import Kind
from app.text.side_information.kinds import KINDS

__all__ = ["NO_SIDE_INFORMATION", "SideInformation", "kinds_in"]

Column = TypeVar("Column")
BY_NAME: Final[Mapping[str, Kind[Any]]] = {kind.name: kind for kind in KINDS}


class SideInformation:
    """Everything optional, each kind for all n segments or not at all; never changed."""

    __slots__ = ("_columns",)

    def __init__(self, **columns: Any) -> None:
        """Values of n segments by the kind's name; None is nothing, another name a TypeError."""
        if unknown := set(columns) - set(BY_NAME):
            raise TypeError(f"no kind of side information is called {min(unknown)}")
        given = {name: values for name, values in columns.items() if values is not None}
        self._columns: Mapping[Kind[Any], Any] = {kind: kind.column(given[kind.name]) for kind in KINDS if kind.name in given}

    def get(self, kind: Kind[Column]) -> Column | None:
        """The column of a kind, or None."""
        column: Column | None = self._columns.get(kind)
        return column

    def __bool__(self) -> bool:
        return bool(self._columns)

    @property
    def kinds(self) -> frozenset[Kind[Any]]:
        """What there is."""
        return frozenset(self._columns)

    @property
    def names(self) -> tuple[str, ...]:
        """The names of what there is, in the order of `KINDS`."""
        return tuple(kind.name for kind in self._columns)

    def columns(self) -> dict[str, Any]:
        """What there is, by name."""
        return {kind.name: column for kind, column in self._columns.items()}

    def items(self) -> Iterable[tuple[Kind[Any], Any]]:
        """What there is, each kind with its column."""
        return self._columns.items()

    def rows(self, rows: slice | Int64s | Sequence[int]) -> "SideInformation":
        """That of some segments."""
        if not self._columns:
            return self
        size = len(next(iter(self._columns.values())))
        places = np.arange(*rows.indices(size)) if isinstance(rows, slice) else np.asarray(rows, np.int64)
        return SideInformation(**{kind.name: kind.select(column, places) for kind, column in self._columns.items()})

    @classmethod
    def joined(cls, parts: Sequence["SideInformation"]) -> "SideInformation":
        """That of several batches, one after the other: the kinds that the first has, which all must have."""
        kinds = parts[0]._columns if parts else {}
        return cls(**{kind.name: kind.join([part._columns[kind] for part in parts]) for kind in kinds})

    def extended(self, **columns: Any) -> "SideInformation":
        """The same with more kinds."""
        return SideInformation(**{**self.columns(), **{name: values for name, values in columns.items() if values is not None}})

    def as_json(self) -> dict[str, list[Any]]:
        """The columns as lists that JSON can hold, by name."""
        return {kind.name: kind.as_json(column) for kind, column in self._columns.items()}

    @classmethod
    def from_json(cls, columns: Mapping[str, Any]) -> "SideInformation":
        """What `as_json` wrote; other columns are ignored."""
        return cls(**{name: columns[name] for name in BY_NAME if columns.get(name) is not None})


def kinds_in(columns: Mapping[str, object]) -> frozenset[Kind[Any]]:
    """The kinds among columns by name; others are ignored."""
    return frozenset(kind for name, kind in BY_NAME.items() if columns.get(name) is not None)


NO_SIDE_INFORMATION: Final = SideInformation()
