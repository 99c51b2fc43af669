"""Scripts, of letters and of languages."""

import re
import unicodedata
from functools import cache
from typing import Final

from app.checks.words import plain_words
from app.resources.identification import identifiable
from app.resources.word_table import WordTable

__all__ = ["foreign_words", "scripts_of"]

LATIN: Final = frozenset({"LATIN"})
CYRILLIC: Final = frozenset({"CYRILLIC"})
ARABIC: Final = frozenset({"ARABIC"})
DEVANAGARI: Final = frozenset({"DEVANAGARI"})
JAPANESE: Final = frozenset({"CJK", "HIRAGANA", "KATAKANA"})
# Scripts of languages with another script than Latin, or with several.
SCRIPTS_OF: Final = {
    **dict.fromkeys(("ru", "uk", "be", "bg", "mk", "ba", "ky", "mn", "tg", "tt"), CYRILLIC),
    **dict.fromkeys(("sr", "bs", "kk", "uz", "az", "tk", "crh"), CYRILLIC | LATIN | ARABIC),
    **dict.fromkeys(("ar", "fa", "ps", "ur", "ug"), ARABIC),
    **dict.fromkeys(("ku", "ms"), ARABIC | LATIN),
    **dict.fromkeys(("hi", "ne", "mr", "sa", "gom"), DEVANAGARI),
    **dict.fromkeys(("bn", "as"), frozenset({"BENGALI"})),
    "am": frozenset({"ETHIOPIC"}),
    "dz": frozenset({"TIBETAN"}),
    "el": frozenset({"GREEK"}),
    "gu": frozenset({"GUJARATI"}),
    "he": frozenset({"HEBREW"}),
    "hy": frozenset({"ARMENIAN"}),
    "ja": JAPANESE,
    "ka": frozenset({"GEORGIAN"}),
    "km": frozenset({"KHMER"}),
    "kn": frozenset({"KANNADA"}),
    "ko": frozenset({"HANGUL", "CJK"}),
    "lo": frozenset({"LAO"}),
    "ml": frozenset({"MALAYALAM"}),
    "my": frozenset({"MYANMAR"}),
    "or": frozenset({"ORIYA"}),
    "pa": frozenset({"GURMUKHI", "ARABIC"}),
    "si": frozenset({"SINHALA"}),
    "ta": frozenset({"TAMIL"}),
    "te": frozenset({"TELUGU"}),
    "th": frozenset({"THAI"}),
    "zh": frozenset({"CJK", "BOPOMOFO"}),
}
# Languages without a check: they have too many scripts, or none in use.
UNCHECKED_LANGUAGES: Final = frozenset({"zxx", "hbo", "grc"})
KNOWN_SCRIPTS: Final = LATIN.union(CYRILLIC, *SCRIPTS_OF.values())
FEWEST_LETTERS: Final = 4
WORD: Final = re.compile(r"[^\W\d_]+")
# Names and titles may have Latin letters in any language; this many lower-case words are no name.
FEWEST_SMALL: Final = 3


def scripts_of(language: str) -> frozenset[str]:
    """Scripts of a language, as first words of Unicode's names of letters; empty for an unknown language."""
    if language in SCRIPTS_OF:
        return SCRIPTS_OF[language]
    return LATIN if language not in UNCHECKED_LANGUAGES and identifiable(language) else frozenset()


@cache
def _script(character: str) -> str | None:
    words = unicodedata.name(character, "").split(" ")
    name = words[1] if words[0] in ("FULLWIDTH", "HALFWIDTH") and len(words) > 1 else words[0]
    return name if name in KNOWN_SCRIPTS else None


def foreign_words(text: str, language: str, source: str = "") -> list[str]:
    """Words in scripts foreign to a language, if they have most of a text's letters; empty otherwise.

    Latin words that the source has too, such as options of commands, do not count alone.
    """
    language_scripts = scripts_of(language)
    if not language_scripts or (text.isascii() and "LATIN" in language_scripts):
        return []
    text_words, table = plain_words(text), _foreign_letters(language)
    foreign = sum(map(table.__getitem__, text_words))
    if foreign < FEWEST_LETTERS or 2 * foreign <= sum(map(_letter_count, text_words)):
        return []
    words = [word for word in text_words if table[word]]
    latin = [word for word in words if _script(word[0]) == "LATIN"]
    small = {word for word in latin if word.islower() and len(word) > 1}.difference(WORD.findall(source))
    return words if len(latin) < len(words) or len(small) >= FEWEST_SMALL else []


@cache
def _foreign_letters(language: str) -> WordTable[int]:
    """Numbers of letters of words in known scripts that are foreign to a language."""
    foreign_scripts = KNOWN_SCRIPTS - scripts_of(language)

    def count(word: str) -> int:
        if word.isascii() and "LATIN" not in foreign_scripts:
            return 0
        return sum(_script(c) in foreign_scripts for c in word if c.isalpha())

    return WordTable(count)


def _letter_count(word: str) -> int:
    return len(word) if word.isalpha() else sum(map(str.isalpha, word))
