"""Weekdays of one side that another weekday replaces."""

import re
from collections.abc import Iterator, Mapping
from typing import Final

from app.checks.meaning.numbers.dates.names import weekdays
from app.checks.meaning.numbers.readings import WEEKDAY
from app.checks.meaning.numbers.side import Side

__all__ = ["changed_weekdays"]

# Weekdays of scripts without blanks, and of Korean, whose words have endings; 一周一次 is a frequency.
CHARACTERS: Final[Mapping[str, re.Pattern[str]]] = {
    "ja": re.compile("([月火水木金土日])曜"),
    "ko": re.compile("([월화수목금토일])요일"),
    "zh": re.compile("(?:星期|禮拜|礼拜|(?<![一二三四五六七八九十两兩几幾半数數])[周週])([一二三四五六日天])(?![次个個天])"),
    "th": re.compile("วัน(จันทร์|อังคาร|พุธ|พฤหัส|ศุกร์|เสาร์|อาทิตย์)"),
}
DAYS: Final = {
    name: day
    for names in ("月火水木金土日", "월화수목금토일", "一二三四五六日", ("จันทร์", "อังคาร", "พุธ", "พฤหัส", "ศุกร์", "เสาร์", "อาทิตย์"))
    for day, name in enumerate(names, 1)
} | {"天": 7}


def changed_weekdays(source: Side, translation: Side) -> tuple[list[str], list[str]]:
    """Weekdays of the source that the translation lacks and their replacements; both empty unless both exist. O(length)."""
    if not (_may_name_weekdays(source) and _may_name_weekdays(translation)):
        return [], []
    names, replacements = dict(_weekdays(source)), dict(_weekdays(translation))
    missing, extra = names.keys() - replacements.keys(), replacements.keys() - names.keys()
    if not (missing and extra):
        return [], []
    return [names[day] for day in sorted(missing)], [replacements[day] for day in sorted(extra)]


def _may_name_weekdays(side: Side) -> bool:
    """Return True if a side has a name of a weekday."""
    pattern = CHARACTERS.get(side.language)
    return bool(side.kinds & WEEKDAY) if pattern is None else pattern.search(side.text) is not None


def _weekdays(side: Side) -> Iterator[tuple[int, str]]:
    """Weekdays of a text with their words."""
    pattern = CHARACTERS.get(side.language)
    if pattern is None:
        return ((day, side.text[begin:end]) for day, begin, end in weekdays(side.language).names_in(side.text))
    return ((DAYS[match[1]], match[0]) for match in pattern.finditer(side.text))
