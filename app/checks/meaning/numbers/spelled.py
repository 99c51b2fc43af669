"""Numbers written as words without an equal number on the other side: drei and six."""

import re
from collections.abc import Iterator, Mapping
from typing import Final

from app.checks.cldr import without_accents
from app.checks.meaning.numbers.conversions import FACTORS
from app.checks.meaning.numbers.quantities import unit_behind
from app.checks.meaning.numbers.side import Side
from app.checks.meaning.numbers.spoken import CHINESE_LANGUAGES, ROMAN, chinese_value, roman_value, spoken_values, values_of_signs

__all__ = ["unmatched_words"]

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
# Halves and quarters of hours name the next hour in some languages; a round of 16 has eighths in others.
HALVES: Final = frozenset({
    "half", "halb", "halv", "halben", "pool", "пол", "polovina", "wpol", "quarter", "viertel", "veerand", "kolmveerand",
    "четверть", "quart", "demi", "demie", "media", "medio", "cuarto", "sfert", "jumatate", "quarto", "mezzo", "mezza",
    "meia", "meio", "anderthalb", "eineinhalb", "poolteist", "round",
})  # fmt: skip
# Words of frequencies with their values.
FREQUENCIES: Final[Mapping[str, int]] = {
    "twice": 2, "thrice": 3, "zweimal": 2, "dreimal": 3, "viermal": 4, "funfmal": 5, "дважды": 2, "трижды": 3, "kahesti": 2,
    "dvakrat": 2, "trikrat": 3, "tweemaal": 2, "driemaal": 3,
}  # fmt: skip
# Huit jours are a week, and quinze jours two.
DAYS: Final = frozenset({"jours", "dias"})
CHINESE_FREQUENCY: Final = re.compile(r"(?<![〇零一二三四五六七八九十百千万萬亿億第])([两兩二三四五六七八九])(?=[次回遍])")
CHINESE_COUNT: Final = re.compile(
    r"(?<![〇零一二三四五六七八九十百千万萬亿億第])([两兩二三四五六七八九十]{1,3})(?=[个個只隻匹条條名位人年天月岁歳周週小时時間件台本冊枚頭头回階点點种種日])"
)


def unmatched_words(source: Side, translation: Side) -> tuple[list[str], list[str]]:
    """Number words of each side without an equal number on the other side. O(length)."""
    sides = (source, translation)
    if any(word in HALVES for side in sides for word in map(without_accents, WORD.findall(side.text))):
        return [], []
    return _only_words(source, translation), _only_words(translation, source)


def _only_words(side: Side, opposite: Side) -> list[str]:
    possible = _possible(opposite)
    return [word for value, word in _clear_numbers(side) if str(value) not in possible]


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
    for match in WORD.finditer(text):
        word = without_accents(match[0])
        if word in FREQUENCIES:
            yield FREQUENCIES[word], match[0]
    for run in side.runs:
        following = WORD.match(text, run.end + 1)
        next_word = "" if following is None else without_accents(following[0])
        is_clear = run.value in CLEAR or run.parts > 1
        is_ambiguous = without_accents(run.text) in AMBIGUOUS.get(language, frozenset()) or next_word in DAYS
        if is_clear and not is_ambiguous and unit_behind(side, run.end) not in FACTORS:
            yield run.value, run.text
