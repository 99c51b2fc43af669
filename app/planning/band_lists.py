"""Lists of bands typed on one line: ``good=0.8:0.3,rest=0:1``, with decimal points or decimal commas."""

from typing import Any, Final

from app.errors import InputError
from app.planning.numerals import number_of

__all__ = ["BANDS", "read_bands", "read_numbers"]

BANDS: Final = "NAME=FROM:RATE with commas or semicolons between, as good=0.8:0.3,rest=0:1"


def read_bands(spec: str, place: tuple[str, ...]) -> list[dict[str, Any]]:
    """Read bands into the form of requests; a band without a rate pays words in full.

    A comma before a NAME= separates bands; any other comma is a decimal comma. InputError for ambiguous lists: a number with
    two commas, or decimal points and decimal commas in one list.
    """
    parts: list[str] = []
    for piece in spec.replace(";", ",").split(","):
        if "=" in piece or not parts:
            parts.append(piece)
        else:
            parts[-1] += f",{piece}"
    numbers = "".join(part.rpartition("=")[2] for part in parts)
    if "," in numbers and "." in numbers:
        raise InputError("invalid-request", "decimal points and decimal commas in one list; use one of the two", place)
    bands: list[dict[str, Any]] = []
    for part in parts:
        name, _, limits = part.rpartition("=")
        lower_limit, *rate = read_numbers(limits, f"bands are {BANDS}", place)
        bands.append({"name": name.strip(), "at_least": lower_limit, **({"rate": rate[0]} if rate else {})})
    return bands


def read_numbers(text: str, syntax: str, place: tuple[str, ...]) -> list[float]:
    """Read one number, or two with a colon between; the InputError shows the accepted form."""
    numbers = [number_of(part) for part in text.split(":", 2)]
    if len(numbers) > 2 or None in numbers:
        raise InputError("invalid-request", syntax, place)
    return [number for number in numbers if number is not None]
