"""Names of months, perhaps with endings."""

from collections.abc import Mapping
from functools import cache, lru_cache
from typing import Final

from app.checks.cldr import WORDS_AT_HAND, language_words, without_accents

__all__ = ["AMBIGUOUS", "SHORTEST_NAME", "month_named"]

# Words with a further meaning are months beside a day or a year.
AMBIGUOUS: Final[Mapping[str, frozenset[str]]] = {
    "en": frozenset({"march", "may", "august"}),
    "fr": frozenset({"mars"}),
    "ro": frozenset({"mai"}),
    "it": frozenset({"marzo"}),
    "pl": frozenset({"maja"}),
}
SHORTEST_NAME: Final = 4
SHORTEST_STEM: Final = 6
# Letters of an ending: jaanuarikuus.
LONGEST_ENDING: Final = 5


@lru_cache(maxsize=WORDS_AT_HAND)
def month_named(word: str, language: str) -> int | None:
    """The month that a word names, perhaps with an ending."""
    plain, stems = without_accents(word), _stems(language)
    if plain[:2] not in _heads(language):
        return None
    lengths = range(len(plain) - 1, max(SHORTEST_NAME, len(plain) - LONGEST_ENDING) - 1, -1)
    return language_words(language).months.get(plain) or next((stems[plain[:k]] for k in lengths if plain[:k] in stems), None)


@cache
def _heads(language: str) -> frozenset[str]:
    """The first two letters of all names."""
    return frozenset(name[:2] for name in (*language_words(language).months, *_stems(language)))


@cache
def _stems(language: str) -> Mapping[str, int]:
    """Beginnings of long names, which inflection keeps."""
    months = language_words(language).months
    names = {
        word: month for word, month in months.items() if len(word) >= SHORTEST_NAME and word not in AMBIGUOUS.get(language, ())
    }
    return {word[:-1]: month for word, month in names.items() if len(word) >= SHORTEST_STEM} | names
