"""Typed numbers and names: decimal points or commas, percentages, and names of one visible line."""

import math
import unicodedata
from typing import Final

__all__ = ["decimal_of", "is_plain", "number_of"]

LONGEST: Final = 40
# Joiners belong to words of some scripts; every other character of these classes hides, moves or breaks text.
JOINERS: Final = frozenset("\u200c\u200d")
UNPLAIN: Final = frozenset({"Cc", "Cf", "Cs", "Cn", "Co", "Zl", "Zp"})


def number_of(text: str) -> float | None:
    """``0.8``, ``0,8`` or ``80%`` as 0.8; None for text that is no number or is ambiguous.

    n % is n / 100 for every field.
    """
    plain = text.strip()
    percent = plain.endswith("%")
    plain = plain.removesuffix("%").rstrip()
    if len(plain) > LONGEST or "_" in plain or plain.count(",") + plain.count(".") > 1:
        return None
    try:
        number = float(plain.replace(",", "."))
    except ValueError:
        return None
    # Division gives the float 0.07 for 7 %; multiplication by 0.01 would not.
    return (number / 100 if percent else number) if math.isfinite(number) else None


def decimal_of(text: str) -> float | None:
    """``0.8`` or ``0,8`` as 0.8, but None for a percentage, which is ambiguous for prices and for scores up to 100."""
    return None if "%" in text else number_of(text)


def is_plain(text: str) -> bool:
    """Return True for a name of one visible line: no control character, line break, tab or direction mark."""
    return bool(text.strip()) and all(character in JOINERS or unicodedata.category(character) not in UNPLAIN for character in text)
