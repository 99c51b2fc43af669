"""Side information from its sources: fields of a request's segments, columns of a table, lines of a file."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Final

from app.errors import InputError
from app.text.side_information.columns import NO_SIDE_INFORMATION, SideInformation
from app.text.side_information.kind import Kind
from app.text.side_information.kinds import KINDS

__all__ = ["check_side_information", "kinds_of_files", "read_side_information", "segment_fields"]

FIELDS: Final = tuple((kind, kind.request_field) for kind in KINDS)


def segment_fields(kinds: Iterable[Kind[Any]] = KINDS) -> dict[str, tuple[Any, Any]]:
    """Fields of a request's segment for these kinds: types and defaults, for pydantic's ``create_model``."""
    return {kind.request_field: (kind.annotation | None, None) for kind in kinds}


def check_side_information(segments: Sequence[object], longest: int) -> SideInformation:
    """Collect the side information of segments that have `segment_fields` as attributes.

    InputError if only some segments have a kind, or if a value is invalid.
    """
    columns = ((kind, [getattr(segment, field, None) for segment in segments]) for kind, field in FIELDS)
    by_name = {kind.name: values for kind, column in columns if (values := _values(kind, column)) is not None}
    return _checked(SideInformation(**by_name), longest) if by_name else NO_SIDE_INFORMATION


def _values(kind: Kind[Any], values: list[Any]) -> list[Any] | None:
    if values.count(None) == len(values):
        return None
    for row, value in enumerate(values):
        if value is None:
            detail = f"this segment lacks {kind.request_field}; give it for all segments or for none"
            raise InputError(kind.code, detail, ("segments", row, kind.request_field))
    return values


def _checked(side_information: SideInformation, longest: int, first: int = 0) -> SideInformation:
    for kind in KINDS:
        column = side_information.get(kind)
        if column is not None:
            kind.check(column, longest, first)
    return side_information


def read_side_information(columns: Mapping[str, Sequence[str]], longest: int, first: int = 0) -> SideInformation:
    """Parse the kinds among columns of cells or lines, by name; errors count rows from `first`."""
    values = {
        kind.name: [kind.read(cell, ("segments", row, kind.request_field)) for row, cell in enumerate(columns[kind.name], first)]
        for kind in KINDS
        if kind.read is not None and kind.name in columns
    }
    return _checked(SideInformation(**values), longest, first)


def kinds_of_files() -> dict[str, Kind[Any]]:
    """Kinds that have a file of their own beside the texts, by the role of the file."""
    return {kind.file: kind for kind in KINDS if kind.file}
