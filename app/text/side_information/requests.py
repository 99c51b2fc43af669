"""Side information as it comes: fields of a request's segments, columns of a table, lines of a file."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from app.errors import InputError
from app.text.side_information.columns import NO_SIDE_INFORMATION, SideInformation
from app.text.side_information.kind import Kind
from app.text.side_information.kinds import KINDS

__all__ = ["check_side_information", "kinds_beside", "read_side_information", "segment_fields"]


def segment_fields(kinds: Iterable[Kind[Any]] = KINDS) -> dict[str, tuple[Any, Any]]:
    """Type and default of the fields that a request's segment has for these kinds, as pydantic's ``create_model`` takes them."""
    return {kind.request_field: (kind.annotation | None, None) for kind in kinds}


def check_side_information(segments: Sequence[object], longest: int) -> SideInformation:
    """Everything optional that the segments (with `segment_fields` as attributes) have.

    InputError where only some have a kind, or where a value cannot be.
    """
    columns = {kind: _values(kind, [getattr(segment, kind.request_field, None) for segment in segments]) for kind in KINDS}
    given = {kind.name: values for kind, values in columns.items() if values is not None}
    return _checked(SideInformation(**given), longest) if given else NO_SIDE_INFORMATION


def _values(kind: Kind[Any], values: list[Any]) -> list[Any] | None:
    if all(value is None for value in values):
        return None
    for row, value in enumerate(values):
        if value is None:
            verb = "are" if kind.request_field.endswith("s") else "is"
            detail = f"{kind.request_field} {verb} given for some segments but not for this one"
            raise InputError(kind.code, detail, ("segments", row, kind.request_field))
    return values


def _checked(side_information: SideInformation, longest: int, first: int = 0) -> SideInformation:
    for kind in KINDS:
        column = side_information.get(kind)
        if column is not None:
            kind.check(column, longest, first)
    return side_information


def read_side_information(columns: Mapping[str, Sequence[str]], longest: int, first: int = 0) -> SideInformation:
    """The kinds that a table's cells, or lines, can hold, of the columns called as they are; rows count from `first` in errors."""
    values = {
        kind.name: [kind.read(cell, ("segments", row, kind.request_field)) for row, cell in enumerate(columns[kind.name], first)]
        for kind in KINDS
        if kind.read is not None and kind.name in columns
    }
    return _checked(SideInformation(**values), longest, first)


def kinds_beside() -> dict[str, Kind[Any]]:
    """The kinds that may lie in a file of their own beside the texts, by the file's name."""
    return {kind.file: kind for kind in KINDS if kind.file}
