"""Plural rules in headers of gettext: the number of forms, and the form of each number.

Source: GNU gettext manual, "Additional functions for plural forms".
"""

import gettext
import re
from dataclasses import dataclass
from typing import Final

__all__ = ["PluralRule", "plural_rule"]

RULE: Final = re.compile(r"nplurals\s*+=\s*+(\d{1,3})\s*+;\s*+plural\s*+=\s*+([^;\n]{1,1000})")
# Numbers that gettext tries, and as many of them make a form frequent.
NUMBERS: Final = range(1001)
FREQUENT: Final = 5


@dataclass(frozen=True)
class PluralRule:
    """The number of forms, the highest form of the expression, and forms of so many numbers that they show them."""

    count: int
    highest: int
    frequent_forms: frozenset[int]


def plural_rule(header: str) -> PluralRule | None:
    """The rule of a header's line `Plural-Forms`; None without one, or for one that cannot be computed."""
    match = RULE.search(header)
    if match is None:
        return None
    try:
        rule = gettext.c2py(match[2].strip())
        forms = [rule(number) for number in NUMBERS]
    except (ValueError, ArithmeticError, RecursionError):
        return None
    return PluralRule(int(match[1]), max(forms), frozenset(form for form in set(forms) if forms.count(form) >= FREQUENT))
