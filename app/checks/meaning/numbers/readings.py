"""Kinds of words in texts: most texts have no number and no month in words, which one look at each word tells."""

import re
from collections.abc import Mapping
from functools import lru_cache, reduce
from operator import or_
from typing import Final

from app.checks.cldr import LONGEST_AT_HAND, language_words, without_accents
from app.checks.meaning.numbers.month_names import month_named
from app.checks.meaning.numbers.runs import number_parts
from app.resources.word_table import WordTable

__all__ = ["FREQUENCIES", "FREQUENCY", "HALF", "HALVES", "MONTH", "NUMBER", "kinds_of"]

WORD: Final = re.compile(r"[^\W\d_]+")
# Flags of words: numbers, months, words of frequencies, and halves, which are no clear numbers.
NUMBER, MONTH, FREQUENCY, HALF = 1, 2, 4, 8
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
    words = (*names.numbers, *names.magnitudes, *names.months, *FREQUENCIES, *HALVES)
    beginnings = frozenset(name[:2] for name in words)

    def kinds_of_word(word: str) -> int:
        plain = without_accents(word)
        # Most words begin otherwise; a numeral of Chinese is one letter.
        if plain[:2] not in beginnings and plain[:1] not in beginnings:
            return 0
        month = month_named(word, language) if len(word) <= LONGEST_AT_HAND else None
        flags = NUMBER * bool(number_parts(plain, language)) + MONTH * (month is not None)
        return flags + FREQUENCY * (plain in FREQUENCIES) + HALF * (plain in HALVES)

    kinds_of_words = WordTable(kinds_of_word)
    return WordTable(lambda piece: reduce(or_, map(kinds_of_words.__getitem__, WORD.findall(piece)), 0))
