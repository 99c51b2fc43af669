"""Numbers written as words without an equal number on the other side: drei and six."""

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Final

from app.checks.cldr import without_accents
from app.checks.meaning.numbers.conversions import FACTORS
from app.checks.meaning.numbers.dates.names import weekdays
from app.checks.meaning.numbers.quantities import unit_behind
from app.checks.meaning.numbers.readings import FREQUENCIES, FREQUENCY, HALF, NUMBER, WEEKDAY
from app.checks.meaning.numbers.side import Side
from app.checks.meaning.numbers.spoken import CHINESE_LANGUAGES, ROMAN, chinese_value, roman_value, spoken_values, values_of_signs

__all__ = ["may_name_numbers", "unmatched_words"]

WORD: Final = re.compile(r"[^\W\d_]+")
# 1 and 100 stand for articles and percent; a number above 20 may be one of several words.
CLEAR: Final = frozenset({*range(2, 20), *range(20, 91, 10)})
# Words with a further meaning: new (neuf, nouă), are (sei), month (kuus), attention (Acht), this (ten), is (छ), Friday (sexta).
AMBIGUOUS: Final[Mapping[str, frozenset[str]]] = {
    "de": frozenset({"acht"}),
    "et": frozenset({"kuus", "viis"}),
    "fr": frozenset({"neuf", "neuve"}),
    "it": frozenset({"sei"}),
    "nl": frozenset({"acht"}),
    "pl": frozenset({"ten"}),
    "ne": frozenset({"छ"}),
    "pt": frozenset({"terca", "quarta", "quinta", "sexta"}),
    "ro": frozenset({"noua"}),
}
# Huit jours are a week, and quinze jours two.
DAYS: Final = frozenset({"jours", "dias"})
CHINESE_FREQUENCY: Final = re.compile(r"(?<![〇零一二三四五六七八九十百千万萬亿億第])([两兩二三四五六七八九])(?=[次回遍])")
CHINESE_COUNT: Final = re.compile(
    r"(?<![〇零一二三四五六七八九十百千万萬亿億第])([两兩二三四五六七八九十]{1,3})(?=[个個只隻匹条條名位人年天月岁歳周週小时時間件台本冊枚頭头回階点點种種日])"
)


def unmatched_words(source: Side, translation: Side) -> tuple[list[str], list[str]]:
    """Number words of each side without an equal number on the other side. O(length)."""
    numbers = [list(_clear_numbers(side)) for side in (source, translation)]
    if not any(numbers) or (source.kinds | translation.kinds) & HALF:
        return [], []
    return _only_words(numbers[0], translation), _only_words(numbers[1], source)


def may_name_numbers(side: Side) -> bool:
    """Return True if a side may have a number that is spelled."""
    is_named = side.kinds & (NUMBER | FREQUENCY) or side.language in CHINESE_LANGUAGES
    return bool(is_named) or ROMAN.search(side.text) is not None


def _only_words(numbers: Sequence[tuple[int, str]], opposite: Side) -> list[str]:
    """Words of numbers (value, word) that the opposite side may not name."""
    possible = _possible(opposite) if numbers else set()
    return [word for value, word in numbers if str(value) not in possible]


def _possible(side: Side) -> set[str]:
    """Values that a text may name; of a number in several words its total alone."""
    text, runs = side.text, side.runs
    compounds = [run for run in runs if run.parts > 1]
    digits = {value for number in side.numbers for value in number.values}
    if compounds:
        begins, ends = [0, *(run.end for run in compounds)], [*(run.begin for run in compounds), len(text)]
        plain = " ".join(text[begin:end] for begin, end in zip(begins, ends, strict=True))
        values = spoken_values(plain, side.language)
    else:
        values = values_of_signs(text, side.language)
    return digits | {str(run.value) for run in runs} | set(map(str, values))


def _clear_numbers(side: Side) -> Iterator[tuple[int, str]]:
    """Numbers of a text that are spelled and have no further meaning."""
    text, language = side.text, side.language
    yield from ((roman_value(match[0]), match[0]) for match in ROMAN.finditer(text) if len(match[0]) > 1)
    if language in CHINESE_LANGUAGES:
        for pattern in (CHINESE_COUNT, CHINESE_FREQUENCY):
            yield from ((chinese_value(match[1]), match[1]) for match in pattern.finditer(text))
        return
    if side.kinds & FREQUENCY:
        for match in WORD.finditer(text):
            word = without_accents(match[0])
            if word in FREQUENCIES:
                yield FREQUENCIES[word], match[0]
    # Friday is the sixth day in Hebrew.
    days = [(begin, end) for _, begin, end in weekdays(language).names_in(text)] if side.kinds & WEEKDAY and side.runs else []
    for run in side.runs:
        if any(begin <= run.begin < end for begin, end in days):
            continue
        following = WORD.match(text, run.end + 1)
        next_word = "" if following is None else without_accents(following[0])
        is_clear = run.value in CLEAR or run.parts > 1
        is_ambiguous = without_accents(run.text) in AMBIGUOUS.get(language, frozenset()) or next_word in DAYS
        if is_clear and not is_ambiguous and unit_behind(side, run.end) not in FACTORS:
            yield run.value, run.text
