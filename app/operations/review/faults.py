"""Strings that cannot be judged: long ones, and those with forbidden characters."""

from dataclasses import replace

from app.errors import InputError
from app.operations.review.strings import FileStrings
from app.text.reading.checking import check_segments

__all__ = ["without_faults"]


def without_faults(file: FileStrings, longest: int) -> FileStrings:
    """The file with its changed strings of more than `longest` or forbidden characters apart, and without such earlier texts."""
    strings, faults = [], []
    for string in file.strings:
        error = _fault((string.source, string.translation), longest) if string.is_changed else None
        if error is not None:
            faults.append((string, error))
            continue
        has_bad_past = string.earlier is not None and _fault(string.earlier, longest) is not None
        strings.append(replace(string, earlier=None) if has_bad_past else string)
    return replace(file, strings=tuple(strings), faults=(*file.faults, *faults))


def _fault(texts: tuple[str, str], longest: int) -> InputError | None:
    try:
        check_segments(texts, longest, ())
    except InputError as error:
        return error
    return None
