"""Words of numbers, dates and units by language, from Unicode's CLDR (`python -m scripts.cldr`)."""

import json
import tomllib
import unicodedata
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache, lru_cache
from pathlib import Path
from typing import Any, Final

from app.resources.word_table import WordTable
from app.text.languages import nearest_language

__all__ = [
    "LONGEST_AT_HAND",
    "WORDS_AT_HAND",
    "LanguageWords",
    "counting_words",
    "decimal_signs",
    "language_words",
    "without_accents",
]

# Words whose readings are held, and their letters: texts repeat their words, and no number or month is longer.
WORDS_AT_HAND: Final = 1 << 14
LONGEST_AT_HAND: Final = 40
FILE: Final = Path(__file__).with_name("cldr.json")


@dataclass(frozen=True)
class LanguageWords:
    """Words of a language in lower case without accents: numbers, months, weekdays (1 for Monday) and magnitudes with their values,
    names of months and weekdays with their abbreviations, units.
    """

    numbers: Mapping[str, int]
    months: Mapping[str, int]
    weekdays: Mapping[str, int]
    calendar: frozenset[str]
    magnitudes: Mapping[str, int]
    units: Mapping[str, str]
    afternoons: frozenset[str]


@cache
def language_words(language: str) -> LanguageWords:
    """The words of a language; none for a language without data."""
    code = {"no": "nb"}.get(language, language)
    words, further = _languages().get(code, {}), _further_words().get(language, {})
    months, weekdays = _joined(words, further, "months"), _joined(words, further, "weekdays")
    return LanguageWords(
        _joined(words, further, "numbers"),
        months,
        weekdays,
        frozenset([*months, *weekdays, *map(without_accents, words.get("short_weekdays", ()))]),
        _joined(words, further, "magnitudes"),
        _joined(words, further, "units"),
        frozenset(map(without_accents, [*words.get("afternoons", ()), *further.get("afternoons", ())])),
    )


@cache
def counting_words(language: str) -> Mapping[str, int]:
    """Words of CLDR's numbers alone, without collective and inflected forms."""
    words = _languages().get({"no": "nb"}.get(language, language), {})
    return {without_accents(word): value for word, value in words.get("numbers", {}).items()}


@lru_cache(maxsize=256)
def decimal_signs(tag: str) -> str:
    """The decimal sign and the sign of groups in a language or its region: ",." for German; empty if unknown or divided."""
    signs: Mapping[str, str] = _content()["signs"]
    nearest = nearest_language(tag, signs)
    return "" if nearest is None else signs[nearest]


def _languages() -> dict[str, dict[str, Any]]:
    languages: dict[str, dict[str, Any]] = _content()["languages"]
    return languages


@cache
def _content() -> dict[str, Any]:
    content: dict[str, Any] = json.loads(FILE.read_text("utf-8"))
    return content


@cache
def _further_words() -> dict[str, dict[str, Any]]:
    return tomllib.loads(FILE.with_name("further_words.toml").read_text("utf-8"))


def _joined(words: Mapping[str, Any], further: Mapping[str, Any], kind: str) -> dict[str, Any]:
    return {without_accents(word): value for part in (words, further) for word, value in part.get(kind, {}).items()}


def without_accents(word: str) -> str:
    """Lower-case letters without accents.

    Letters are decomposed one by one: ordering many accents, which are dropped anyhow, would take quadratic time.
    """
    return word.lower() if word.isascii() else PLAIN_WORDS[word]


def _plain(text: str) -> str:
    return text.lower().translate(PLAIN_LETTERS)


class _PlainLetters(dict[int, str]):
    """A table for `str.translate` that decomposes letters and drops their accents."""

    def __missing__(self, code: int) -> str:
        letter = "".join(part for part in unicodedata.normalize("NFD", chr(code)) if not unicodedata.combining(part))
        self[code] = letter
        return letter


PLAIN_LETTERS: Final = _PlainLetters()
PLAIN_WORDS: Final = WordTable(_plain)
