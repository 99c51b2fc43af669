"""Whole numbers that people write, read so that no text is too long for it."""

from typing import Final

__all__ = ["whole_number"]

# More may not fit in 64 bits; Python itself refuses some thousands, by an error that names nothing.
MOST_DIGITS: Final = 18


def whole_number(text: str) -> int | None:
    """The number of at most 18 ASCII digits, 0 or more; None where it is none."""
    return int(text) if len(text) <= MOST_DIGITS and text.isascii() and text.isdigit() else None
