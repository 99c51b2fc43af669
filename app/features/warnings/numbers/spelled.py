"""Numbers written as words without an equal number on the other side: drei and six."""

import re
from collections.abc import Iterator, Mapping
from typing import Final

from app.features.warnings.cldr import counting_words, without_accents
from app.features.warnings.numbers.spoken import CHINESE_LANGUAGES, chinese_value, spoken_values
from app.features.warnings.numbers.written import Number

__all__ = ["unmatched_words"]

WORD: Final = re.compile(r"[^\W\d_]+")
# 1, 2 and 100 stand for articles, pairs and percent; a number above 20 may be one of several words.
CLEAR: Final = frozenset({*range(3, 20), *range(20, 91, 10)})
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
# Halves of hours name the next hour in some languages.
HALVES: Final = frozenset({"half", "halb", "halv", "pool", "пол", "polovina", "wpol", "quarter", "viertel"})
CHINESE_COUNT: Final = re.compile(
    r"(?<![〇零一二三四五六七八九十百千万萬亿億第])([二三四五六七八九十]{1,3})(?=[个個只隻匹条條名位人年天月岁歳周週小时時間件台本冊枚頭头回階点點种種日])"
)


def unmatched_words(
    texts: tuple[str, str], numbers: tuple[list[Number], list[Number]], languages: tuple[str, str]
) -> tuple[list[str], list[str]]:
    """Number words of each side without an equal number on the other side. O(length)."""
    possible = [
        set(map(str, spoken_values(text, language))) | {value for number in side for value in number.values}
        for text, language, side in zip(texts, languages, numbers, strict=True)
    ]
    if any(word in HALVES for text in texts for word in map(without_accents, WORD.findall(text))):
        return [], []
    missing, extra = (
        [word for value, word in _clear_numbers(texts[k], languages[k]) if str(value) not in possible[1 - k]] for k in (0, 1)
    )
    return missing, extra


def _clear_numbers(text: str, language: str) -> Iterator[tuple[int, str]]:
    """Single words of a text that are numbers for certain."""
    if language in CHINESE_LANGUAGES:
        yield from ((chinese_value(match[1]), match[1]) for match in CHINESE_COUNT.finditer(text))
        return
    values, ambiguous = counting_words(language), AMBIGUOUS.get(language, frozenset())
    words = WORD.findall(text)
    plain = [without_accents(word) for word in words]
    for k, word in enumerate(plain):
        value = values.get(word)
        neighbours = plain[max(0, k - 1) : k] + plain[k + 1 : k + 2]
        if (
            value is not None
            and value in CLEAR
            and word not in ambiguous
            and not any(neighbour in values for neighbour in neighbours)
        ):
            yield value, words[k]
