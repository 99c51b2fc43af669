"""Segments with a negation on one side only."""

import re
import tomllib
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Final, NamedTuple

__all__ = ["LANGUAGES", "Negation", "one_sided_negation"]

TABLES: Final = tomllib.loads(Path(__file__).with_name("negation.toml").read_text("utf-8"))
LANGUAGES: Final = tuple(TABLES)
# Letters with the vowel signs of Indic scripts.
LETTERS: Final = r"(?:[^\W\d_]|[\u0300-\u036f\u0900-\u0dff\u200c\u200d])+"
WORD: Final = re.compile(f"{LETTERS}(?:['-]{LETTERS}){{0,4}}'?")
# The first word of a sentence.
SENTENCE: Final = re.compile(r"(?:\A|[.!?:;]) {0,2}[\"„“«'-]{0,2} ?([^\W\d_]+)")
# Names of programs: NO_BORDER negates nothing.
IDENTIFIER: Final = re.compile(r"(?<!\w)[^\W_]*+_\w*+")
APOSTROPHES: Final = str.maketrans({"\u2019": "'", "\u02bc": "'", "`": "'"})
LONGEST_PIECE: Final = 12
# Translators turn longer affirmative sentences into negations of their opposites.
SHORT_SOURCE: Final = 10


class Negation(NamedTuple):
    """Negating words of a source and a translation, one of which has none."""

    source: tuple[str, ...]
    translation: tuple[str, ...]


@dataclass(frozen=True)
class _Words:
    """Words, beginnings and endings of words."""

    words: frozenset[str]
    beginnings: frozenset[str]
    endings: frozenset[str]

    @classmethod
    def of(cls, text: str) -> "_Words":
        words = text.split()
        return cls(
            frozenset(word for word in words if "*" not in word),
            frozenset(word[:-1] for word in words if word.endswith("*")),
            frozenset(word[1:] for word in words if word.startswith("*")),
        )

    def have(self, word: str) -> bool:
        return (
            word in self.words
            or any(word[:length] in self.beginnings for length in range(1, min(len(word), LONGEST_PIECE) + 1))
            or any(word[-length:] in self.endings for length in range(1, min(len(word) - 1, LONGEST_PIECE) + 1))
        )


@dataclass(frozen=True)
class _Language:
    """Negation in a language.

    `initial` words negate at the beginning of a sentence (Estonian *Ära*). `needs` is a second word without which no clear word
    negates (French *ne*).
    """

    clear: _Words
    weak: _Words
    without: _Words
    lacking: _Words
    other: _Words
    initial: frozenset[str]
    needs: _Words | None
    phrases: re.Pattern[str]
    is_unspaced: bool
    negates_by_endings: bool

    def clear_words(self, text: str) -> list[str]:
        """Words that negate the text for certain."""
        plain = self._without_phrases(text)
        if self.is_unspaced:
            return [word for word in sorted(self.clear.words) if word in plain]
        words = WORD.findall(plain)
        if self.needs is not None and not any(map(self.needs.have, words)):
            return []
        return self._initial_words(plain) + [word for word in words if self.clear.have(word)]

    def has_clear_word(self, text: str) -> bool:
        """Return True if a text has a negating word, in a phrase or not."""
        return any(map(self.clear.have, WORD.findall(text.lower().translate(APOSTROPHES))))

    def has_without(self, text: str) -> bool:
        """True if a text has the language's word for *without*."""
        words = WORD.findall(text.lower())
        return any(self.without.have(word) or self.lacking.have(word) for word in words)

    def may_negate(self, text: str, without: bool = True) -> bool:
        """True if a text has words or parts of words that may express a negation; *without* counts if `without` is true."""
        plain = self._without_phrases(text)
        if self.is_unspaced:
            without_words = self.without.words if without else frozenset()
            return any(word in plain for word in self.clear.words | self.weak.words | without_words)
        words = WORD.findall(plain)
        return bool(self._initial_words(plain)) or any(
            self.clear.have(word) or (without and self.without.have(word)) or (self.weak.have(word) and not self.other.have(word))
            for word in words
        )

    def _initial_words(self, plain: str) -> list[str]:
        if not self.initial:
            return []
        return [match[1] for match in SENTENCE.finditer(plain) if match[1] in self.initial]

    def _without_phrases(self, text: str) -> str:
        plain = (
            IDENTIFIER.sub(" ", text)
            .lower()
            .translate(APOSTROPHES)
            .replace("&apos;", "'")
            .replace(" n't", "n't")
            .replace(" 't", "'t")
        )
        return self.phrases.sub(" ", plain)


@cache
def _languages() -> dict[str, _Language]:
    return {
        name: _Language(
            _Words.of(table["clear"]),
            _Words.of(table["weak"]),
            _Words.of(table["without"]),
            _Words.of(table.get("lacking", "")),
            _Words.of(table.get("other", "")),
            frozenset(table.get("initial", "").split()),
            _Words.of(table["needs"]) if "needs" in table else None,
            _pattern(
                [phrase for line in table["phrases"].split("\n") for phrase in line.split("|") if phrase],
                table.get("is_unspaced", False),
            ),
            table.get("is_unspaced", False),
            table.get("negates_by_endings", False),
        )
        for name, table in TABLES.items()
    }


def _pattern(phrases: Sequence[str], is_unspaced: bool) -> re.Pattern[str]:
    """Pattern of phrases, longest first: of complete words in languages with blanks, with `*` for letters and `#` for a digit."""
    pieces = [re.escape(phrase).replace(r"\*", r"\w*").replace(r"\#", r"\d") for phrase in sorted(phrases, key=len, reverse=True)]
    if not pieces:
        return re.compile(r"(?!)")
    alternatives = "|".join(pieces)
    return re.compile(alternatives if is_unspaced else rf"(?<!\w)(?:{alternatives})(?!\w)")


def one_sided_negation(languages: tuple[str, str], source: str, translation: str) -> Negation | None:
    """The negation that only the source has, or only the translation of a short source; None otherwise.

    A lost negation is clear in the source, and nothing in the translation may express it. None for languages without data, and
    for a source in Chinese or Japanese, whose negating characters have other meanings.
    """
    first, second = (_languages().get(language) for language in languages)
    if first is None or second is None or first.is_unspaced:
        return None
    source_words = first.clear_words(source)
    if source_words:
        is_lost = not second.negates_by_endings and not second.may_negate(translation, without=not first.has_without(source))
        return Negation(tuple(source_words), ()) if is_lost else None
    if len(source.split()) > SHORT_SOURCE or second.is_unspaced or first.negates_by_endings or first.may_negate(source):
        return None
    if first.has_clear_word(source):
        # Phrases such as "why not" negate nothing, and their translations have a negating word too.
        return None
    target_words = second.clear_words(translation)
    return Negation((), tuple(target_words)) if target_words else None
