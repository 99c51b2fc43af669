"""Months of one side that another month replaces."""

import re
from collections.abc import Iterator
from typing import Final

from app.checks.cldr import without_accents
from app.checks.meaning.numbers.dates.names import AMBIGUOUS, SHORTEST_NAME, months
from app.checks.meaning.numbers.readings import MONTH, kinds_of
from app.checks.meaning.numbers.side import Side

__all__ = ["changed_months", "months_of"]

# A month of Chinese, Japanese and Korean: 5月, 五月, 5월; 三个月 and 5月間 are durations.
NUMERIC_MONTH: Final = re.compile(r"(?<!\d)(1[0-2]|[1-9]|十[一二]?|[一二三四五六七八九]) ?(?:月(?![間间])|월)")
MONTH_SIGNS: Final = ("月", "월")
NUMERALS: Final = {c: value for value, c in enumerate("一二三四五六七八九十", 1)} | {"十一": 11, "十二": 12}
# Parts of a date in digits, one of which is the month.
DATE: Final = re.compile(r"(?<!\d)(\d{1,4})[./-](\d{1,2})(?!\d)(?:[./-](\d{1,4})(?!\d))?")
DAY_BEFORE: Final = re.compile(r"\d(?:st|nd|rd|th|er|\.|º)?,? ?(?:of|de|d['’]|ta)? ?\Z")
ENGLISH_BEFORE: Final = re.compile(r"\b(?:in|since|until|last|next|early|late|mid|this|of|from|by|to|through) ?-?\Z", re.IGNORECASE)
DAY_BEHIND: Final = re.compile(r"\.?,? ?(?:de|of|del|of the|the)? ?\d")
# Full names of three letters.
CLEAR: Final = frozenset({"mai", "mei", "maj", "май", "мая", "мај", "јун", "јул", "जून", "मई"})
MONTHS: Final = 12


def changed_months(source: Side, translation: Side) -> tuple[list[str], list[str]]:
    """Months of the source that the translation lacks and their replacements; both empty unless both exist. O(length)."""
    if not (_may_name_months(source) and _may_name_months(translation)):
        return [], []
    missing, replacements = _only_months(source, translation), _only_months(translation, source)
    return (missing, replacements) if missing and replacements else ([], [])


def _may_name_months(side: Side) -> bool:
    """Return True if a side has a name of a month, or a sign that follows numbers of months."""
    return bool(side.kinds & MONTH) or any(sign in side.text for sign in MONTH_SIGNS)


def _only_months(side: Side, opposite: Side) -> list[str]:
    """Words of certain months of a side that the opposite side neither names nor writes in a date."""
    possible = months_of(opposite.text, opposite.language) | _months_of_dates(opposite.text)
    return [word for month, word, is_certain in _months(side.text, side.language) if is_certain and month not in possible]


def months_of(text: str, language: str) -> frozenset[int]:
    """Numbers of the months that a text names."""
    return frozenset(month for month, _, _ in _months(text, language))


def _months(text: str, language: str) -> list[tuple[int, str, bool]]:
    """Months of a text with their words; the last is true for a month that has no further meaning."""
    return [*_numeric(text), *_named(text, language)]


def _numeric(text: str) -> Iterator[tuple[int, str, bool]]:
    for match in NUMERIC_MONTH.finditer(text):
        yield NUMERALS.get(match[1]) or int(match[1]), match[0], True


def _named(text: str, language: str) -> Iterator[tuple[int, str, bool]]:
    ambiguous = AMBIGUOUS.get(language, frozenset())
    if not kinds_of(text, language) & MONTH:
        return
    for month, begin, end in months(language).names_in(text):
        name = text[begin:end]
        word = without_accents(name)
        is_clear = (len(word) >= SHORTEST_NAME or word in CLEAR) and word not in ambiguous
        is_dated = bool(DAY_BEFORE.search(text, max(0, begin - 8), begin) or DAY_BEHIND.match(text, end))
        if language == "en":
            # May and March are names and verbs elsewhere.
            is_dated = name[0].isupper() and (is_dated or bool(ENGLISH_BEFORE.search(text, max(0, begin - 7), begin)))
        yield month, name, is_clear or is_dated


def _months_of_dates(text: str) -> set[int]:
    parts = (int(part) for match in DATE.finditer(text) for part in match.groups() if part is not None)
    return {part for part in parts if 1 <= part <= MONTHS}
