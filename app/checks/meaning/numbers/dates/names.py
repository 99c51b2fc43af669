"""Names of months and weekdays, perhaps with prefixes and endings."""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from functools import cache, cached_property
from typing import Final

from app.checks.cldr import LONGEST_AT_HAND, language_words, without_accents
from app.checks.words import LETTER
from app.resources.word_table import WordTable

__all__ = ["AMBIGUOUS", "INDIC", "INDIC_WORD", "PREFIXES", "SHORTEST_NAME", "WORD", "Calendar", "months", "weekdays"]

# Words with a further meaning are months beside a day or a year.
AMBIGUOUS: Final[Mapping[str, frozenset[str]]] = {
    "en": frozenset({"march", "may", "august"}),
    "fr": frozenset({"mars"}),
    "ro": frozenset({"mai"}),
    "it": frozenset({"marzo"}),
    "pl": frozenset({"maja"}),
    # Christmas and All Saints; Tuesday and Mars, autumn, and the verb of reaping.
    "ga": frozenset({"nollaig", "nollag", "samhain", "samhna"}),
    "cy": frozenset({"mawrth", "fawrth", "hydref", "medi", "fedi"}),
}
SHORTEST_NAME: Final = 4
SHORTEST_STEM: Final = 6
# Letters of an ending: jaanuarikuus.
LONGEST_ENDING: Final = 5
# Letters before a name: ביולי. Words of Hebrew have no endings of cases.
PREFIXES: Final[Mapping[str, str]] = {"he": "בלמהוכש", "ar": "وبلف"}
WITHOUT_ENDINGS: Final = frozenset({"he"})
WORD: Final = re.compile(r"[^\W\d_]+")
# Vowel signs, which Python counts as no letters, belong to words of these languages.
INDIC_WORD: Final = re.compile(f"{LETTER}+")
INDIC: Final = frozenset({"bn", "hi", "mr", "ne", "si", "ta"})
# Signs between the words of a name: segunda-feira.
JOINTS: Final = str.maketrans(dict.fromkeys("-\u200c\u00a0\u202f", " "))
LONGEST_NAME: Final = 24


@dataclass(frozen=True, eq=False)
class Calendar:
    """Names of months or weekdays in a language with their numbers, in lower case without accents.

    `stems` are beginnings, which inflection keeps; `phrases` are names of several words by their first word.
    """

    words: Mapping[str, int]
    stems: Mapping[str, int]
    phrases: Mapping[str, Mapping[str, int]]
    heads: frozenset[str]
    prefixes: str
    pattern: re.Pattern[str]

    @classmethod
    def of(cls, names: Mapping[str, int], language: str, ambiguous: frozenset[str] = frozenset()) -> "Calendar":
        """The calendar of names, without endings for ambiguous ones."""
        plain_names = {name.translate(JOINTS): number for name, number in names.items()}
        words = {name: number for name, number in plain_names.items() if " " not in name}
        long = {name: number for name, number in words.items() if len(name) >= SHORTEST_NAME and name not in ambiguous}
        # The last vowel of an Indic name is no ending.
        shortest = LONGEST_NAME if language in INDIC else SHORTEST_STEM
        stems = {name[:-1]: number for name, number in long.items() if len(name) >= shortest} | long
        phrases: dict[str, dict[str, int]] = {}
        for name, number in plain_names.items():
            if " " in name and not any(map(str.isdigit, name)):
                phrases.setdefault(name.split()[0], {})[name] = number
        return cls(
            words,
            {} if language in WITHOUT_ENDINGS else stems,
            phrases,
            frozenset(name[:2] for name in (*words, *stems)),
            PREFIXES.get(language, ""),
            INDIC_WORD if language in INDIC else WORD,
        )

    def number_of(self, plain: str) -> int | None:
        """Number of a word; None for another word."""
        number = self._inflected(plain)
        return self._inflected(plain[1:]) if number is None and plain[:1] in self.prefixes else number

    @cached_property
    def _numbers(self) -> WordTable[int | None]:
        return WordTable(lambda word: self.number_of(without_accents(word)))

    def _inflected(self, plain: str) -> int | None:
        if plain[:2] not in self.heads:
            return None
        lengths = range(len(plain) - 1, max(SHORTEST_NAME, len(plain) - LONGEST_ENDING) - 1, -1)
        return self.words.get(plain) or next((self.stems[plain[:k]] for k in lengths if plain[:k] in self.stems), None)

    def may_begin(self, plain: str) -> bool:
        """Return True if a word is a name, or begins one."""
        return self.number_of(plain) is not None or bool(self.phrases_of(plain))

    def phrases_of(self, plain: str) -> Mapping[str, int]:
        """Names of several words that a word begins."""
        return self.phrases.get(plain) or (self.phrases.get(plain[1:], {}) if plain[:1] in self.prefixes else {})

    def names_in(self, text: str) -> Iterator[tuple[int, int, int]]:
        """Numbers of the names in a text, with their places. O(length)."""
        end = 0
        for match in self.pattern.finditer(text):
            if match.start() < end or len(match[0]) > LONGEST_AT_HAND:
                continue
            number, end = self._phrase(text, match.start(), without_accents(match[0])) if self.phrases else (None, 0)
            if number is None:
                number, end = self._numbers[match[0]], match.end()
            if number is not None:
                yield number, match.start(), end

    def _phrase(self, text: str, begin: int, plain: str) -> tuple[int | None, int]:
        """Number and end of the name of several words at a place."""
        phrases = self.phrases_of(plain)
        if phrases:
            start = begin + (plain not in self.phrases)
            stretch = without_accents(text[start : start + LONGEST_NAME]).translate(JOINTS)
            name = max(filter(stretch.startswith, phrases), key=len, default="")
            if name and not stretch[len(name) : len(name) + 1].isalpha():
                return phrases[name], start + len(name)
        return None, 0


@cache
def months(language: str) -> Calendar:
    """Months of a language, from 1."""
    return Calendar.of(language_words(language).months, language, AMBIGUOUS.get(language, frozenset()))


@cache
def weekdays(language: str) -> Calendar:
    """Weekdays of a language, from 1 for Monday. Forms of months, such as Romanian *martie* beside *marți*, are no weekdays."""
    calendar, names = Calendar.of(language_words(language).weekdays, language), language_words(language).months
    stems = {stem: day for stem, day in calendar.stems.items() if not any(name.startswith(stem) for name in names)}
    return replace(calendar, stems=stems)
