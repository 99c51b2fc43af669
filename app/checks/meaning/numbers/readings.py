"""Kinds of words in texts: most texts have no number, month or weekday in words, which one look at each word tells."""

import re
from collections.abc import Mapping
from functools import lru_cache, reduce
from operator import or_
from typing import Final

from app.checks.cldr import LONGEST_AT_HAND, language_words, without_accents
from app.checks.meaning.numbers.dates.names import INDIC, INDIC_WORD, PREFIXES, months, weekdays
from app.checks.meaning.numbers.runs import number_parts
from app.resources.word_table import WordTable

__all__ = ["FREQUENCIES", "FREQUENCY", "HALF", "HALVES", "MONTH", "NUMBER", "WEEKDAY", "kinds_of"]

WORD: Final = re.compile(r"[^\W\d_]+")
# Flags of words: numbers, months, words of frequencies, halves, which are no clear numbers, and weekdays.
NUMBER, MONTH, FREQUENCY, HALF, WEEKDAY = 1, 2, 4, 8, 16
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


def kinds_of(text: str, language: str) -> int:
    """Flags of the words of a text. No word goes beyond a blank."""
    return reduce(or_, map(_kinds(language).__getitem__, text.split()), 0)


@lru_cache(maxsize=256)
def _kinds(language: str) -> WordTable[int]:
    names = language_words(language)
    words = (*names.numbers, *names.magnitudes, *names.months, *names.weekdays, *FREQUENCIES, *HALVES)
    dates = (*names.months, *names.weekdays)
    beginnings = frozenset([name[:2] for name in words] + [c + name[0] for c in PREFIXES.get(language, "") for name in dates])

    def kinds_of_word(word: str) -> int:
        plain = without_accents(word)
        # Most words begin otherwise; a numeral of Chinese is one letter.
        if plain[:2] not in beginnings and plain[:1] not in beginnings:
            return 0
        is_short = len(word) <= LONGEST_AT_HAND
        flags = MONTH * (is_short and months(language).may_begin(plain)) + WEEKDAY * (
            is_short and weekdays(language).may_begin(plain)
        )
        flags += NUMBER * bool(number_parts(plain, language))
        return flags + FREQUENCY * (plain in FREQUENCIES) + HALF * (plain in HALVES)

    kinds_of_words = WordTable(kinds_of_word)
    # Names of Indic languages have vowel signs, which are no letters.
    patterns = (WORD, INDIC_WORD) if language in INDIC else (WORD,)
    return WordTable(
        lambda piece: reduce(or_, (kinds_of_words[word] for pattern in patterns for word in pattern.findall(piece)), 0)
    )
