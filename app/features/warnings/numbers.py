"""Numbers as values, in any script and with any separators."""

import re
import unicodedata
from collections import Counter
from collections.abc import Sequence
from typing import Final

__all__ = ["number_values", "unmatched_numbers"]

# Groups are set off by . , ' or a blank; 万 and 亿 multiply.
NUMBER: Final = re.compile(r"(?:\d{1,3}(?: \d{3})+(?!\d)|\d+)(?:[.,'’٫٬\u00a0\u202f]\d+)*[万萬亿億]?")
TIMES: Final = {"万": 10_000, "萬": 10_000, "亿": 100_000_000, "億": 100_000_000}
# Marks of half a day behind an hour or its minutes.
HALF_DAY: Final = re.compile(r"(?::\d\d)?[ \u00a0\u202f]?([ap])\.? ?m\b", re.IGNORECASE)
HOURS: Final = 12
# Dates and times as one number, which other languages write with other separators: 03.04.2021, 2021.04.03, 15.30.
DAY: Final = re.compile(r"(?:\d\d?\.\d\d?\.(?:\d{4}|\d\d)|\d{4}\.\d\d?\.\d\d?)")
TIME: Final = re.compile(r"(?:[01]?\d|2[0-4])\.[0-5]\d")
Number = tuple[str, frozenset[str]]
SEPARATORS: Final = " .,'’٫٬\u00a0\u202f"


def number_values(text: str) -> list[Number]:
    """Every number of a text, with its possible values: 1.500 is 1500 or 1.5, and 3 of 3 pm is 3 or 15."""
    return [
        (match[0], _values(match[0]) | _of_whole_day(match[0], HALF_DAY.match(text, match.end())))
        for match in NUMBER.finditer(text)
    ]


def _of_whole_day(text: str, half: re.Match[str] | None) -> frozenset[str]:
    """Value of an hour of half a day on a 24-hour clock."""
    hour = re.match(r"\d\d?(?!\d)", text)
    if half is None or hour is None or not 1 <= int(hour[0]) <= HOURS:
        return frozenset()
    since = int(hour[0]) % HOURS + (HOURS if half[1] in "pP" else 0)
    return _values(f"{since}{text[hour.end() :]}")


def _values(text: str) -> frozenset[str]:
    digits = "".join(str(unicodedata.digit(c)) if c.isdigit() else c for c in text)
    times = TIMES.get(digits[-1], 1)
    digits = digits.rstrip("".join(TIMES))
    separators = [c for c in digits if c in SEPARATORS]
    integer = "".join(c for c in digits if c not in SEPARATORS)
    readings = []
    if separators:
        head, _, tail = digits.rpartition(separators[-1])
        decimal = "".join(c for c in head if c not in SEPARATORS) + "." + tail
        last_differs = len(set(separators)) > 1
        if last_differs or (len(separators) == 1 and len(tail) != 3):
            readings.append(decimal)
        elif len(separators) == 1:
            readings += [integer, decimal]
        else:
            readings.append(integer)
    else:
        readings.append(integer)
    return frozenset(_canonical(reading, times) for reading in readings)


def _canonical(number: str, times: int) -> str:
    integer, _, fraction = number.partition(".")
    if times > 1:
        width = len(str(times)) - 1
        integer, fraction = integer + fraction[:width].ljust(width, "0"), fraction[width:]
    fraction = fraction.rstrip("0")
    return (integer.lstrip("0") or "0") + (f".{fraction}" if fraction else "")


def unmatched_numbers(source: str, translation: str) -> tuple[list[str], list[str]]:
    """Numbers of the source that the translation lacks, and numbers of the translation that the source lacks."""
    missing, numbers = number_values(source), number_values(translation)
    places: dict[str, list[int]] = {}
    for k in range(len(numbers) - 1, -1, -1):
        for value in numbers[k][1]:
            places.setdefault(value, []).append(k)
    matched_places: set[int] = set()
    missing_numbers: list[Number] = []
    for text, values in missing:
        match = None
        for value in values:
            of_value = places.get(value, [])
            while of_value and of_value[-1] in matched_places:
                of_value.pop()
            match = of_value[-1] if of_value and match is None else match
        if match is None:
            missing_numbers.append((text, values))
        else:
            matched_places.add(match)
    extra = [number for k, number in enumerate(numbers) if k not in matched_places]
    missing_numbers, extra = _without_dates(missing_numbers, extra)
    extra, missing_numbers = _without_dates(extra, missing_numbers)
    return [text for text, _ in missing_numbers], [text for text, _ in extra]


def _without_dates(first: Sequence[Number], second: Sequence[Number]) -> tuple[list[Number], list[Number]]:
    """Remove dates and times of the first numbers whose parts are among the second; return the remaining numbers of both."""
    parts = Counter(value for _, values in second for value in values)
    remaining: list[Number] = []
    date_parts: Counter[str] = Counter()
    for text, values in first:
        counts = Counter(_canonical(part, 1) for part in text.split(".")) if _is_moment(text) else Counter[str]()
        if counts and all(parts[value] >= times for value, times in counts.items()):
            parts.subtract(counts)
            date_parts.update(counts)
        else:
            remaining.append((text, values))
    return remaining, _without(second, date_parts)


def _is_moment(text: str) -> bool:
    return text.isascii() and (DAY.fullmatch(text) or TIME.fullmatch(text)) is not None


def _without(numbers: Sequence[Number], values: Counter[str]) -> list[Number]:
    """The numbers without one number per value."""
    counts, remaining = values.copy(), []
    for number in numbers:
        value = next((value for value in number[1] if counts[value] > 0), None)
        if value is None:
            remaining.append(number)
        else:
            counts[value] -= 1
    return remaining
