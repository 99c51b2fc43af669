"""Numbers as values, in any script and with any separators."""

import re
import unicodedata
from typing import Final, NamedTuple

from app.features.warnings.cldr import language_words, without_accents

__all__ = ["Number", "canonical", "number_values"]

# Groups are set off by . , ' or a blank; 万 and 亿 multiply.
NUMBER: Final = re.compile(r"(?:\d{1,3}(?: \d{3})+(?!\d)|\d+)(?:[.,'’٫٬\u00a0\u202f]\d+)*[万萬亿億]?")
TIMES: Final = {"万": 10_000, "萬": 10_000, "亿": 100_000_000, "億": 100_000_000}
# Marks of half a day behind an hour or its minutes.
HALF_DAY: Final = re.compile(r"(?::\d\d)?[ \u00a0\u202f]?([ap])\.? ?m\b", re.IGNORECASE)
HOURS: Final = 12
# Minutes behind an hour, half a day in Chinese and Japanese, magnitudes.
FULL_HOUR: Final = re.compile(r"\d ?[:hH.] ?\Z")
AFTERNOON: Final = re.compile(r"(?:下午|晚上|傍晚|午後|夜) ?\Z")
CHINESE_MAGNITUDE: Final = re.compile(r" ?([十百千万萬亿億兆]{1,3})")
CHINESE_POWERS: Final = {"十": 1, "百": 2, "千": 3, "万": 4, "萬": 4, "亿": 8, "億": 8, "兆": 12}
NEXT_WORD: Final = re.compile(r"[ \u00a0\u202f-]?([^\W\d_]{1,20})")
HOUR: Final = re.compile(r"[1-9]|1[01]", re.ASCII)


class Number(NamedTuple):
    """A number of a text, its possible values and its place."""

    text: str
    values: frozenset[str]
    start: int
    end: int


SEPARATORS: Final = " .,'’٫٬\u00a0\u202f"


def number_values(text: str, language: str = "") -> list[Number]:
    """Every number of a text, with its possible values.

    1.500 is 1500 or 1.5, 3 of 3 pm is 3 or 15, and 2 of 2 million is 2 or 2000000. Minutes of a full hour (7:00) are no number.
    """
    return [
        Number(match[0], _with_context(text, match, language), match.start(), match.end())
        for match in NUMBER.finditer(text)
        if not (match[0] == "00" and FULL_HOUR.search(text, max(0, match.start() - 4), match.start()))
    ]


def _with_context(text: str, match: re.Match[str], language: str) -> frozenset[str]:
    """Values of a number, with those that the words around it give."""
    values = _values(match[0])
    half = _of_whole_day(match[0], HALF_DAY.match(text, match.end()))
    if AFTERNOON.search(text, max(0, match.start() - 3), match.start()) and HOUR.fullmatch(match[0]):
        half |= {str(int(match[0]) + HOURS)}
    return values | half | {_scaled(value, power) for value in values for power in _powers(text, match.end(), language)}


def _powers(text: str, end: int, language: str) -> list[int]:
    """Powers of ten of the word behind a number: 6 for million."""
    chinese = CHINESE_MAGNITUDE.match(text, end)
    if chinese is not None:
        return [sum(CHINESE_POWERS[c] for c in chinese[1])]
    word = NEXT_WORD.match(text, end)
    power = None if word is None else language_words(language).magnitudes.get(without_accents(word[1]))
    return [] if power is None else [power]


def _scaled(value: str, power: int) -> str:
    integer, _, fraction = value.partition(".")
    return canonical(integer + fraction[:power].ljust(power, "0") + "." + fraction[power:], 1)


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
    return frozenset(canonical(reading, times) for reading in readings)


def canonical(number: str, times: int) -> str:
    """A number times a power of ten, without zeros at its ends."""
    integer, _, fraction = number.partition(".")
    if times > 1:
        width = len(str(times)) - 1
        integer, fraction = integer + fraction[:width].ljust(width, "0"), fraction[width:]
    fraction = fraction.rstrip("0")
    return (integer.lstrip("0") or "0") + (f".{fraction}" if fraction else "")
