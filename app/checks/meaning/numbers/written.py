"""Numbers as values, in any script and with any separators."""

import re
import unicodedata
from typing import Final, NamedTuple

from app.checks.meaning.numbers.magnitudes import power_behind, scaled

__all__ = ["AFTERNOON", "HALF_DAY", "HOURS", "NUMBER", "TENTHS", "Number", "digit_values", "number_values"]

# Groups are set off by . , ' or a blank; 万 and 亿 multiply, and parts add up: 1億2,500万, 1万2千, 1만 5천. 5千米 are 5 km.
# The last part of a Korean number: 1만2000, 1만 2,400. A year behind a blank is a number of its own.
KOREAN_REST: Final = r"(?:(?:\d{1,4}|\d,\d{3})(?![\d만억조천]|[.,]\d)| (?:\d{3,4}|\d,\d{3})(?![\d년만억조천]|[.,]\d))"
NUMBER: Final = re.compile(
    r"(?:\d{1,3}(?: \d{3})+(?!\d)|\d+)(?:[.,'’٫٬\u00a0\u202f]\d+)*"
    rf"(?:만 ?\d{{1,4}}천|만{KOREAN_REST}|조 ?\d{{1,4}}천?억|억 ?\d{{1,4}}천?만{KOREAN_REST}?|"
    r"(?:[万萬亿億](?:\d[\d,]{0,7}(?:千(?![米克瓦卡]))?(?![\d.]))?){0,3})"
)
PART: Final = re.compile(r"(\d[\d,]*)([千万萬亿億천만억조]{0,2})")
PARTS: Final = re.compile(r"\d[\d,]*[万萬亿億만억조](?:\d[\d,]*[千万萬亿億천만억]{1,2})*(?:\d[\d,]*)?")
# A number up to its first multiplier.
FIRST_PART: Final = re.compile(r"[^万萬亿億만억조]+[万萬亿億만억조]")
# Signs of a number of several parts; Python reads no integers of thousands of digits.
LONGEST_SUM: Final = 40
POWERS: Final = {"千": 3, "천": 3, "万": 4, "萬": 4, "만": 4, "亿": 8, "億": 8, "억": 8, "조": 12}
# Years of the Buddha in Thai, and of the eras of Japan and Taiwan, by the year before the first one.
BUDDHIST: Final = 543
BUDDHIST_YEARS: Final = range(2400, 2601)
ERA: Final = re.compile(r"(令和|平成|昭和|民國|民国) ?\Z")
ERAS: Final = {"令和": 2018, "平成": 1988, "昭和": 1925, "民國": 1911, "民国": 1911}
LONGEST_ERA: Final = 120
# Marks of half a day behind an hour or its minutes.
HALF_DAY: Final = re.compile(r"(?::\d\d)?[ \u00a0\u202f]?([ap])\.? ?m\b", re.IGNORECASE)
HOURS: Final = 12
# A fraction without its zero: .291.
FRACTION: Final = re.compile(r"(?:\A|(?<=[ (/]))[.]\Z")
# Minutes behind an hour, half a day in Chinese and Japanese.
FULL_HOUR: Final = re.compile(r"\d ?[:hH.] ?\Z")
# Tenths, which are tens of percents: 3割 is 30%.
TENTHS: Final = ("割", "成")
AFTERNOON: Final = re.compile(r"(?:下午|晚上|傍晚|午後|夜) ?\Z")
HOUR: Final = re.compile(r"[1-9]|1[01]", re.ASCII)


class Number(NamedTuple):
    """A number of a text, its possible values and its place."""

    text: str
    values: frozenset[str]
    start: int
    end: int


# Digits of a group, and signs that begin fractions.
GROUP: Final = 3
FRACTION_SIGNS: Final = ".,٫"
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
    values = digit_values(match[0])
    half = _of_whole_day(match[0], HALF_DAY.match(text, match.end()))
    if AFTERNOON.search(text, max(0, match.start() - 3), match.start()) and HOUR.fullmatch(match[0]):
        half |= {str(int(match[0]) + HOURS)}
    if text[match.end() : match.end() + 1] in TENTHS:
        half |= {scaled(value, 1) for value in values}
    half |= _common_years(text, match, language)
    if FRACTION.search(text, max(0, match.start() - 2), match.start()) and match[0].isdecimal():
        half |= digit_values(f"0.{match[0]}")
    power, _ = power_behind(text, match.end(), language)
    return values | half | ({scaled(value, power) for value in values} if power else set())


def _common_years(text: str, match: re.Match[str], language: str) -> frozenset[str]:
    """The year of the common era for a year of another one: 2025 for พ.ศ. 2568 and for 令和7年."""
    number = int(match[0]) if match[0].isdecimal() and len(match[0]) <= len("2568") else 0
    if language == "th" and number in BUDDHIST_YEARS:
        return frozenset({str(number - BUDDHIST)})
    era = ERA.search(text, max(0, match.start() - 3), match.start()) if 0 < number < LONGEST_ERA else None
    return frozenset() if era is None else frozenset({str(ERAS[era[1]] + number)})


def _of_whole_day(text: str, half: re.Match[str] | None) -> frozenset[str]:
    """Value of an hour of half a day on a 24-hour clock."""
    hour = re.match(r"\d\d?(?!\d)", text)
    if half is None or hour is None or not 1 <= int(hour[0]) <= HOURS:
        return frozenset()
    since = int(hour[0]) % HOURS + (HOURS if half[1] in "pP" else 0)
    return digit_values(f"{since}{text[hour.end() :]}")


def digit_values(text: str) -> frozenset[str]:
    """Possible values of the digits of a number, without the words around it."""
    digits = "".join(str(unicodedata.digit(c)) if c.isdigit() else c for c in text)
    digits = digits.replace("만 ", "만").replace("억 ", "억").replace("조 ", "조")
    first = FIRST_PART.match(digits)
    if first is not None and first.end() < len(digits):
        if len(digits) <= LONGEST_SUM and PARTS.fullmatch(digits):
            parts = PART.findall(digits)
            return frozenset(
                {str(sum(int(part.replace(",", "")) * 10 ** sum(map(POWERS.__getitem__, signs)) for part, signs in parts))}
            )
        digits = first[0]
    power = POWERS.get(digits[-1], 0)
    digits = digits.rstrip("".join(POWERS))
    separators = [c for c in digits if c in SEPARATORS]
    integer = "".join(c for c in digits if c not in SEPARATORS)
    readings = []
    if separators:
        head, _, tail = digits.rpartition(separators[-1])
        decimal = "".join(c for c in head if c not in SEPARATORS) + "." + tail
        last_differs = len(set(separators)) > 1
        if last_differs or (len(separators) == 1 and len(tail) != 3):
            readings.append(decimal)
        elif len(separators) == 1 and separators[0] in FRACTION_SIGNS:
            # 1,500 is 1500 or 1.5; 0.500 and 1234.500 are no groups.
            is_group = len(head) <= GROUP and not head.startswith("0")
            readings += [integer, decimal] if is_group else [decimal]
        else:
            readings.append(integer)
    else:
        readings.append(integer)
    return frozenset(scaled(reading, power) for reading in readings)
