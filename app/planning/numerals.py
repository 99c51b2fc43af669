"""Numbers and names as people type them: decimal points or commas, percentages, and names that are one plain line."""

import math
import unicodedata
from typing import Final

__all__ = ["decimal_of", "is_plain", "number_of"]

LONGEST: Final = 40
# Joiners are part of words in some scripts; every other character of these classes hides, moves or breaks text.
JOINERS: Final = frozenset("\u200c\u200d")
UNPLAIN: Final = frozenset({"Cc", "Cf", "Cs", "Cn", "Co", "Zl", "Zp"})


def number_of(text: str) -> float | None:
    """``0.8``, ``0,8`` or ``80%`` as 0.8; None for what is no number, or could be two.

    A percentage is the same number everywhere: n % is n / 100.
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
    # Divided, not multiplied by 0.01: 7 % is the number that 0.07 is.
    return (number / 100 if percent else number) if math.isfinite(number) else None


def decimal_of(text: str) -> float | None:
    """The same where a percentage could be two numbers, as of a score from 0 to 100 or a price."""
    return None if "%" in text else number_of(text)


def is_plain(text: str) -> bool:
    """Whether a name is one visible line: no control, no line break or tab, nothing that turns the direction of what follows."""
    return bool(text.strip()) and all(character in JOINERS or unicodedata.category(character) not in UNPLAIN for character in text)
