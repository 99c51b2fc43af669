"""Numbers written as words, as Roman numerals or as Chinese numerals."""

import re
from collections.abc import Iterable, Iterator, Mapping
from functools import cache, lru_cache
from typing import Final

from app.checks.cldr import LONGEST_AT_HAND, WORDS_AT_HAND, language_words, without_accents
from app.checks.meaning.numbers.runs import number_runs
from app.checks.meaning.numbers.written import TENTHS

__all__ = ["CHINESE_LANGUAGES", "ROMAN", "chinese_value", "implied_values", "roman_value", "spoken_values", "values_of_signs"]

WORD: Final = re.compile(r"[^\W\d_]+")
# A longer word may begin with a number: zweihundert, deuxième, двухметровый.
SHORTEST_BEGINNING: Final = 4
LONGEST_BEGINNING: Final = 14
# Letters of a word of several numbers, and of its first number with a joint.
COMPOUND: Final = 10
SHORTEST_UNIT: Final = 3
LONGEST_UNIT: Final = 9
TENS: Final = range(20, 100, 10)
ROMAN: Final = re.compile(r"(?<![^\W_])(?:[IVX][IVXLC]{1,7}|[VX])(?=(?:er?|[eè]me|th|st|nd|rd)?(?![^\W_]))")
ROMAN_VALUES: Final = {"I": 1, "V": 5, "X": 10, "L": 50, "C": 100}
CHINESE: Final = re.compile(r"[〇零一二三四五六七八九十百千万亿億两兩]{1,30}")
CHINESE_DIGITS: Final = {c: value for value, c in enumerate("〇一二三四五六七八九")} | {"零": 0, "两": 2, "兩": 2}
CHINESE_UNITS: Final = {"十": 10, "百": 100, "千": 1000}
CHINESE_MYRIADS: Final = {"万": 10_000, "亿": 100_000_000, "億": 100_000_000}
CHINESE_LANGUAGES: Final = frozenset({"zh", "ja"})
YEARS: Final = range(1100, 2101)


def spoken_values(text: str, language: str) -> frozenset[int]:
    """Values of the numbers that a text writes without digits: words, Roman and Chinese numerals. O(length)."""
    values = values_of_signs(text, language)
    return values if language in CHINESE_LANGUAGES else values.union(run.value for run in number_runs(text, language))


def values_of_signs(text: str, language: str) -> frozenset[int]:
    """Values of Roman and Chinese numerals, and of words one by one, without the totals of runs. O(length)."""
    numerals = frozenset(roman_value(match[0]) for match in ROMAN.finditer(text))
    return numerals.union(_chinese(text) if language in CHINESE_LANGUAGES else _words(text, language))


def _words(text: str, language: str) -> Iterator[int]:
    """Values of words; neighbours add up (twenty-one) or multiply (two hundred)."""
    total = 0
    for match in WORD.finditer(text):
        value, ten = _reading(match[0][:LONGEST_AT_HAND], language)
        # dvaačtyřicetiletý begins with 2 and goes on with 40.
        yield from () if ten is None else (ten + digit for digit in range(1, 10))
        if value is None:
            total = 0
            continue
        total = total * value if 0 < total < value else total + value
        yield value
        yield total


@lru_cache(maxsize=WORDS_AT_HAND)
def _reading(word: str, language: str) -> tuple[int | None, int | None]:
    """Value of the number that a word is or begins with, and the tens inside a long word."""
    plain, beginnings = without_accents(word), _beginnings(language)
    value = language_words(language).numbers.get(plain) or _beginning(plain, beginnings)
    if len(plain) < COMPOUND:
        return value, None
    tens = (_beginning(plain[k : k + LONGEST_BEGINNING], beginnings) for k in range(SHORTEST_UNIT, LONGEST_UNIT))
    return value, next((number for number in tens if number in TENS), None)


def _beginning(word: str, beginnings: Mapping[str, int]) -> int | None:
    """Value of the longest number that a word begins with."""
    lengths = range(min(len(word), LONGEST_BEGINNING), SHORTEST_BEGINNING - 1, -1)
    return next((beginnings[word[:length]] for length in lengths if word[:length] in beginnings), None)


@cache
def _beginnings(language: str) -> Mapping[str, int]:
    """Numbers of a language without the last letter of longer ones, which inflection changes."""
    numbers = language_words(language).numbers
    stems = {word[:-1]: value for word, value in numbers.items() if len(word) > SHORTEST_BEGINNING}
    return stems | {word: value for word, value in numbers.items() if len(word) >= SHORTEST_BEGINNING}


def roman_value(text: str) -> int:
    """Value of a Roman numeral: 14 for XIV."""
    values = [ROMAN_VALUES[letter] for letter in text]
    following = [*values[1:], 0]
    return sum(-value if value < after else value for value, after in zip(values, following, strict=True))


def _chinese(text: str) -> Iterator[int]:
    for match in CHINESE.finditer(text):
        numeral = match[0]
        value = chinese_value(numeral)
        yield value
        if text[match.end() : match.end() + 1] in TENTHS:
            yield value * 10
        if len(numeral) > 1:
            yield from (CHINESE_DIGITS[c] for c in numeral if c in CHINESE_DIGITS)
            yield from (unit for c, unit in CHINESE_UNITS.items() if c in numeral)


def chinese_value(numeral: str) -> int:
    """Value of a Chinese numeral: 12 for 十二."""
    if all(c in CHINESE_DIGITS for c in numeral):
        return int("".join(str(CHINESE_DIGITS[c]) for c in numeral))
    total = section = digit = 0
    for c in numeral:
        if c in CHINESE_DIGITS:
            digit = CHINESE_DIGITS[c]
        elif c in CHINESE_UNITS:
            section, digit = section + (digit or 1) * CHINESE_UNITS[c], 0
        else:
            total, section, digit = total + (section + digit or 1) * CHINESE_MYRIADS[c], 0, 0
    return total + section + digit


def implied_values(values: Iterable[int]) -> frozenset[int]:
    """Further values that years stand for: their last two digits, and the century (1930: 30 and 20)."""
    years = [value for value in values if value in YEARS]
    return frozenset([value % 100 for value in years] + [value // 100 + 1 for value in years])
