"""Hours of one half of the day that the other side puts into the other half: 3:30 p.m. and 3:30 Uhr."""

import re
from collections.abc import Iterator
from itertools import islice
from typing import Final, Literal

from app.checks.cldr import language_words, without_accents
from app.checks.meaning.numbers.side import Side
from app.checks.meaning.numbers.written import AFTERNOON, HALF_DAY, HOURS, NUMBER, Number

__all__ = ["changed_halves", "other_halves"]

Half = Literal["a", "p", ""]
HOUR: Final = re.compile(r"0?[1-9]|1[0-9]|2[0-3]", re.ASCII)
MINUTES: Final = re.compile(r"[.:h]\d\d", re.ASCII)
# Minutes after an hour and its separator.
MINUTES_OF: Final = re.compile(r"\d ?[:hH時点點] ?\Z")
# Signs of a time of the day behind an hour and before it.
CLOCK: Final = re.compile(r"[ \u00a0\u202f]?(?:Uhr|h\b|heures?|[点點時时:]|часов)")
CLOCK_BEFORE: Final = re.compile(r"(?:las|ora|kell) \Z")
MORNING: Final = re.compile(r"(?:上午|早上|凌晨|清晨|午前|朝) ?の?\Z")
# Minutes and up to four words behind an hour: 8 Uhr abends, 7:30 de la tarde.
WORDS_BEHIND: Final = re.compile(r"(?:[:.h]\d\d)?(?: ?[^\W\d_’'-]{1,20}(?:[’'-][^\W\d_]{1,20})?){1,4}")
# Nights are mornings before this hour.
MORNING_HOURS: Final = 6
# Half a day before an hour has this many characters.
MARK: Final = 4
SHORTEST_STEM: Final = 4
# Texts with more hours are tables, of which the first ones are compared.
LIMIT: Final = 20


def changed_halves(source: Side, translation: Side) -> tuple[list[str], list[str]]:
    """Hours of the source and of the translation in different halves of the day; both empty unless both exist."""
    if not (source.has_digits and translation.has_digits):
        return [], []
    sides = (source, translation)
    hours = [list(islice(_hours(side), LIMIT)) for side in sides]
    missing: list[str] = []
    replacements: list[str] = []
    for first, second, words, further in ((0, 1, missing, replacements), (1, 0, replacements, missing)):
        for hour, half, word in hours[first]:
            if half != "p" or hour > HOURS - 1 or any(rival == hour + HOURS for rival, _, _ in hours[second]):
                continue
            equal = [(mark, text) for rival, mark, text in hours[second] if rival == hour]
            is_unmarked = not any(mark for mark, _ in equal) and not _names_afternoon(sides[second])
            if equal and (is_unmarked or all(mark == "a" for mark, _ in equal)):
                words.append(word)
                further.append(equal[0][1])
    return missing, replacements


def other_halves(
    missing: list[Number], extra: list[Number], source: Side, translation: Side
) -> tuple[list[Number], list[Number], bool]:
    """Numbers of both sides without hours that name an afternoon otherwise, and True if hours alone remain.

    7 in the evening is 19 Uhr. At 7 may be 19 Uhr.
    """
    if _have_afternoon_hours(missing, source) and not _have_afternoon_hours(extra, translation):
        extra, missing, are_hours = other_halves(extra, missing, translation, source)
        return missing, extra, are_hours
    marks = {hour: half for hour, half, _ in islice(_hours(source), LIMIT)}
    pairs = []
    for number in missing[:LIMIT]:
        hour = int(number.text) if HOUR.fullmatch(number.text) else 0
        rival = next((rival for rival in extra if 0 < hour < HOURS and _clock_hour(rival, translation) == hour + HOURS), None)
        if rival is not None and marks.get(hour) != "a":
            pairs.append((number, rival))
    if not pairs or not _names_afternoon(source):
        return missing, extra, bool(pairs) and len(pairs) == len(missing) == len(extra)
    missing = [number for number in missing if all(number is not pair[0] for pair in pairs)]
    return missing, [number for number in extra if all(number is not pair[1] for pair in pairs)], False


def _have_afternoon_hours(numbers: list[Number], side: Side) -> bool:
    return any(_clock_hour(number, side) > HOURS for number in numbers)


def _clock_hour(number: Number, side: Side) -> int:
    """Hour of a number that is a time of the day; 0 for another number."""
    if not HOUR.fullmatch(number.text):
        return 0
    is_clock = CLOCK.match(side.text, number.end) or CLOCK_BEFORE.search(side.text, max(0, number.start - MARK - 1), number.start)
    return int(number.text) if is_clock else 0


def _words_behind(text: str, end: int) -> str:
    """Words behind an hour up to the next number or sign; nothing for minutes."""
    match = WORDS_BEHIND.match(text, end)
    return "" if match is None else match[0]


def _hours(side: Side) -> Iterator[tuple[int, Half, str]]:
    """Numbers of a text that may be hours, with their half of the day and their words."""
    text = side.text
    for match in NUMBER.finditer(text):
        begin, end = match.span()
        digits = MINUTES.sub("", match[0]) if MINUTES.search(match[0]) else match[0]
        if not HOUR.fullmatch(digits) or MINUTES_OF.search(text, max(0, begin - 3), begin):
            continue
        behind = HALF_DAY.match(text, end)
        half: Half = "" if behind is None else "p" if behind[1] in "pP" else "a"
        if AFTERNOON.search(text, max(0, begin - MARK), begin):
            half = "p"
        elif MORNING.search(text, max(0, begin - MARK), begin):
            half = "a"
        elif not half and MORNING_HOURS <= int(digits) < HOURS and _has_afternoon(_words_behind(text, end), side.language):
            half = "p"
        yield int(digits), half, match[0] if behind is None else text[begin : behind.end()]


def _names_afternoon(side: Side) -> bool:
    """Return True if a side names an afternoon, an evening or a night, or its language has no such names."""
    return not language_words(side.language).afternoons or _has_afternoon(side.text, side.language)


def _has_afternoon(text: str, language: str) -> bool:
    """Return True if a text has a name of an afternoon, an evening or a night."""
    plain = without_accents(text)
    return any((word[:-1] if len(word) > SHORTEST_STEM else word) in plain for word in language_words(language).afternoons)
