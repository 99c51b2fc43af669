"""Comparison of the numbers of a source and its translation: digits, signs, dates, units, currencies, magnitudes, hours, words."""

import re
from typing import Final

from app.checks.meaning.numbers.clocks import changed_halves
from app.checks.meaning.numbers.currencies import changed_currencies
from app.checks.meaning.numbers.dates.months import changed_months
from app.checks.meaning.numbers.dates.weekdays import changed_weekdays
from app.checks.meaning.numbers.digits import UnmatchedNumbers, unmatched_digits
from app.checks.meaning.numbers.quantities import changed_quantities
from app.checks.meaning.numbers.side import Side
from app.checks.meaning.numbers.signs import changed_signs
from app.checks.meaning.numbers.spelled import may_name_numbers, unmatched_words

__all__ = ["unmatched_numbers"]

WIDE_SIGN: Final = re.compile("[，-：]")
DATES: Final = (changed_months, changed_weekdays)
FULLWIDTH: Final = re.compile(r"[０-９]|(?<=[0-9０-９])[，．：](?=[0-9０-９])")


def unmatched_numbers(source: str, translation: str, languages: tuple[str, str] = ("", "")) -> UnmatchedNumbers:
    """Numbers that only one side has, and months, weekdays, units, currencies, magnitudes, hours and number words that others
    replace.

    A number has its counterpart where the other side writes it as a word, converts its unit or names its decade or century.
    """
    sides = Side(_halfwidth(source), languages[0]), Side(_halfwidth(translation), languages[1])
    if not (sides[0].has_digits or sides[1].has_digits or all(map(may_name_numbers, sides))):
        # Words of numbers matter only beside others on the other side.
        changes = [change(*sides) for change in DATES]
        missing, extra = ([word for change in changes for word in change[side]] for side in (0, 1))
        return UnmatchedNumbers(missing, extra, bool(missing or extra))
    digits = unmatched_digits(*sides)
    changes = [
        changed_quantities(*sides),
        changed_currencies(*sides),
        *(change(*sides) for change in DATES),
        changed_halves(*sides),
        _changed_words(digits, unmatched_words(*sides)),
    ]
    signs = changed_signs(*sides)
    misleads = digits.misleads or signs.misleads or any(words or replacements for words, replacements in changes)
    changes.append((signs.missing, signs.extra))
    missing = [word for words, _ in changes for word in words if word not in digits.missing]
    extra = [word for _, words in changes for word in words if word not in digits.extra]
    return UnmatchedNumbers(digits.missing + missing, digits.extra + extra, misleads)


def _halfwidth(text: str) -> str:
    """Text with plain signs inside numbers: 1,500 for １，５００. Places stay."""
    if WIDE_SIGN.search(text) is None:
        return text
    return FULLWIDTH.sub(lambda match: chr(ord(match[0]) - 0xFEE0), text)


def _changed_words(digits: UnmatchedNumbers, words: tuple[list[str], list[str]]) -> tuple[list[str], list[str]]:
    """Number words that other words or digits replace, or that replace digits."""
    missing, extra = words
    is_changed = bool((missing and (extra or digits.extra)) or (extra and digits.missing))
    return words if is_changed and not digits.misleads else ([], [])
