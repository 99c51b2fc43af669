"""Numbers in texts of any length."""

from math import isfinite
from typing import Final

__all__ = ["finite_number", "whole_number"]

# More may not fit in 64 bits, and Python raises an unspecific error for thousands of digits.
MOST_DIGITS: Final = 18


def whole_number(text: str) -> int | None:
    """Number of at most 18 ASCII digits; None if the text is none."""
    return int(text) if len(text) <= MOST_DIGITS and text.isascii() and text.isdigit() else None


def finite_number(text: str) -> float | None:
    """Number that Python's `float` reads; None for another text, infinity and NaN."""
    try:
        number = float(text)
    except ValueError:
        return None
    return number if isfinite(number) else None
