"""Rounding of numbers in answers."""

from typing import Final

__all__ = ["DIGITS", "rounded"]

# More digits than any prediction deserves, few enough to read.
DIGITS: Final = 6


def rounded(value: float) -> float:
    """Round a number to the digits of answers."""
    return round(float(value), DIGITS)
