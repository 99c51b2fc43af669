"""Strings that cannot be judged: long ones, and those with forbidden characters."""

from dataclasses import replace
from typing import Final

from app.errors import InputError
from app.operations.review.reviewed import Fault, FileStrings
from app.text.reading.checking import check_segments

__all__ = ["FAULT_CODE", "without_faults"]

FAULT_CODE: Final = "unjudged"


def without_faults(file: FileStrings, longest: int) -> FileStrings:
    """The file with its changed strings of more than `longest` or forbidden characters apart, and without such earlier texts."""
    strings, faults = [], []
    for string in file.strings:
        reason = _reason((string.source, string.translation), longest) if string.is_changed else None
        if reason is not None:
            faults.append(Fault(string, FAULT_CODE, f"the string cannot be judged: {reason}", "error"))
            continue
        has_bad_past = string.earlier is not None and _reason(string.earlier, longest) is not None
        strings.append(replace(string, earlier=None) if has_bad_past else string)
    return replace(file, strings=tuple(strings), faults=(*file.faults, *faults))


def _reason(texts: tuple[str, str], longest: int) -> str | None:
    try:
        check_segments(texts, longest, ())
    except InputError as error:
        return error.detail
    return None
