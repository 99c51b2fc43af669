"""Numbers as values, whatever script and separators they are written in."""

import re
import unicodedata
from collections import Counter
from collections.abc import Sequence
from typing import Final

__all__ = ["number_values", "unmatched_numbers"]

# Groups are set off by . , ' or a blank; 万 and 亿 multiply.
NUMBER: Final = re.compile(r"(?:\d{1,3}(?: \d{3})+(?!\d)|\d+)(?:[.,'’٫٬\u00a0\u202f]\d+)*[万萬亿億]?")
TIMES: Final = {"万": 10_000, "萬": 10_000, "亿": 100_000_000, "億": 100_000_000}
# What follows an hour of half a day, also behind its minutes.
HALF_DAY: Final = re.compile(r"(?::\d\d)?[ \u00a0\u202f]?([ap])\.? ?m\b", re.IGNORECASE)
HOURS: Final = 12
# A date and a time as one number, which other languages write with other signs between: 03.04.2021, 2021.04.03, 15.30.
DAY: Final = re.compile(r"(?:\d\d?\.\d\d?\.(?:\d{4}|\d\d)|\d{4}\.\d\d?\.\d\d?)")
TIME: Final = re.compile(r"(?:[01]?\d|2[0-4])\.[0-5]\d")
Number = tuple[str, frozenset[str]]
SEPARATORS: Final = " .,'’٫٬\u00a0\u202f"


def number_values(text: str) -> list[Number]:
    """Every number of a text as it stands there, with the values it may have: 1.500 is 1500 or 1.5, and 3 of 3 pm is 3 or 15."""
    return [
        (match[0], _values(match[0]) | _of_whole_day(match[0], HALF_DAY.match(text, match.end())))
        for match in NUMBER.finditer(text)
    ]


def _of_whole_day(written: str, half: re.Match[str] | None) -> frozenset[str]:
    """What the hours of half a day are on a clock of 24."""
    hour = re.match(r"\d\d?(?!\d)", written)
    if half is None or hour is None or not 1 <= int(hour[0]) <= HOURS:
        return frozenset()
    since = int(hour[0]) % HOURS + (HOURS if half[1] in "pP" else 0)
    return _values(f"{since}{written[hour.end() :]}")


def _values(written: str) -> frozenset[str]:
    digits = "".join(str(unicodedata.digit(c)) if c.isdigit() else c for c in written)
    times = TIMES.get(digits[-1], 1)
    digits = digits.rstrip("".join(TIMES))
    used = [c for c in digits if c in SEPARATORS]
    whole = "".join(c for c in digits if c not in SEPARATORS)
    readings = []
    if used:
        head, _, tail = digits.rpartition(used[-1])
        decimal = "".join(c for c in head if c not in SEPARATORS) + "." + tail
        last_differs = len(set(used)) > 1
        if last_differs or (len(used) == 1 and len(tail) != 3):
            readings.append(decimal)
        elif len(used) == 1:
            readings += [whole, decimal]
        else:
            readings.append(whole)
    else:
        readings.append(whole)
    return frozenset(_canonical(reading, times) for reading in readings)


def _canonical(number: str, times: int) -> str:
    whole, _, fraction = number.partition(".")
    if times > 1:
        width = len(str(times)) - 1
        whole, fraction = whole + fraction[:width].ljust(width, "0"), fraction[width:]
    fraction = fraction.rstrip("0")
    return (whole.lstrip("0") or "0") + (f".{fraction}" if fraction else "")


def unmatched_numbers(source: str, translation: str) -> tuple[list[str], list[str]]:
    """Numbers of the source that the translation lacks, and numbers of the translation that the source lacks."""
    missing, there = number_values(source), number_values(translation)
    places: dict[str, list[int]] = {}
    for k in range(len(there) - 1, -1, -1):
        for value in there[k][1]:
            places.setdefault(value, []).append(k)
    taken: set[int] = set()
    lost: list[Number] = []
    for written, values in missing:
        match = None
        for value in values:
            of_value = places.get(value, [])
            while of_value and of_value[-1] in taken:
                of_value.pop()
            match = of_value[-1] if of_value and match is None else match
        if match is None:
            lost.append((written, values))
        else:
            taken.add(match)
    extra = [number for k, number in enumerate(there) if k not in taken]
    lost, extra = _without_dates(lost, extra)
    extra, lost = _without_dates(extra, lost)
    return [written for written, _ in lost], [written for written, _ in extra]


def _without_dates(ones: Sequence[Number], others: Sequence[Number]) -> tuple[list[Number], list[Number]]:
    """What is left of the numbers of both sides where a date or a time of the first stands in parts on the second."""
    parts = Counter(value for _, values in others for value in values)
    left: list[Number] = []
    taken: Counter[str] = Counter()
    for written, values in ones:
        wanted = Counter(_canonical(part, 1) for part in written.split(".")) if _is_moment(written) else Counter[str]()
        if wanted and all(parts[value] >= times for value, times in wanted.items()):
            parts.subtract(wanted)
            taken.update(wanted)
        else:
            left.append((written, values))
    return left, _without(others, taken)


def _is_moment(written: str) -> bool:
    return written.isascii() and (DAY.fullmatch(written) or TIME.fullmatch(written)) is not None


def _without(numbers: Sequence[Number], values: Counter[str]) -> list[Number]:
    """The numbers without one of each of these values."""
    wanted, left = values.copy(), []
    for number in numbers:
        value = next((value for value in number[1] if wanted[value] > 0), None)
        if value is None:
            left.append(number)
        else:
            wanted[value] -= 1
    return left
