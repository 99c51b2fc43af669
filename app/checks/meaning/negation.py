"""Segments with a negation on one side only."""

import re
import tomllib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache, cached_property, reduce
from itertools import accumulate
from operator import or_
from pathlib import Path
from typing import Final, NamedTuple

from app.resources.word_table import WordTable

__all__ = ["LANGUAGES", "Negation", "one_sided_negation"]

TABLES: Final = tomllib.loads(Path(__file__).with_name("negation.toml").read_text("utf-8"))
LANGUAGES: Final = tuple(TABLES)
# Letters with the vowel signs of Indic scripts, without the Indic full stop.
LETTERS: Final = r"(?:[^\W\d_]|[\u0300-\u036f\u0900-\u0963\u0966-\u0dff\u200c\u200d])+"
WORD: Final = re.compile(f"{LETTERS}(?:['-]{LETTERS}){{0,4}}'?")
# The first word of a sentence.
SENTENCE: Final = re.compile(r"(?:\A|[.!?:;]) {0,2}[\"„“«'-]{0,2} ?([^\W\d_]+)")
# Names of programs: NO_BORDER negates nothing.
IDENTIFIER: Final = re.compile(r"(?<![A-Za-z0-9_])[A-Za-z0-9]*+_[A-Za-z0-9_]*+")
BLANKS: Final = re.compile(r"[^\S\n]+")
# A blank and the end of a line, in words of languages without blanks.
PLACES: Final = str.maketrans({"_": " ", "$": "\n"})
# Points of Arabic, which texts have or leave out.
POINT: Final = re.compile("[\u064b-\u0652]")
APOSTROPHES: Final = ("\u2019", "\u02bc", "`")
# Translators turn longer affirmative sentences into negations of their opposites.
SHORT_SOURCE: Final = 10
# Signs that join the pieces of a word, and pieces of a word that `WORD` matches as one.
JOINT: Final = re.compile("['-]")
PIECE_LIMIT: Final = 5
# Flags of words: those that negate, those that may, and those for *without*.
CLEAR, WEAK, WITHOUT = 1, 2, 4


class Negation(NamedTuple):
    """Negating words of a source and a translation, one of which has none."""

    source: tuple[str, ...]
    translation: tuple[str, ...]


@dataclass(frozen=True, eq=False)
class _Words:
    """Words, beginnings and endings of words."""

    words: frozenset[str]
    beginnings: frozenset[str]
    endings: frozenset[str]

    @classmethod
    def of(cls, text: str) -> "_Words":
        words = [word.translate(PLACES) for word in text.split()]
        return cls(
            frozenset(word for word in words if "*" not in word),
            frozenset(word[:-1] for word in words if word.endswith("*")),
            frozenset(word[1:] for word in words if word.startswith("*")),
        )

    def have(self, word: str) -> bool:
        """Return True for a word that is among these, or begins or ends so."""
        # Most words begin and end otherwise.
        heads, tails = self._letters
        if word[:1] not in heads and word[-1:] not in tails:
            return False
        beginnings, endings = self._lengths
        return (
            word in self.words
            or any(word[:length] in self.beginnings for length in beginnings)
            or any(word[-length:] in self.endings for length in endings if length < len(word))
        )

    @cached_property
    def _letters(self) -> tuple[frozenset[str], frozenset[str]]:
        """First letters of words and of beginnings, and last letters of endings."""
        heads = frozenset(piece[:1] for piece in (*self.words, *self.beginnings))
        return heads, frozenset(piece[-1:] for piece in self.endings)

    @cached_property
    def _lengths(self) -> tuple[list[int], list[int]]:
        """Distinct lengths of beginnings and of endings."""
        beginnings, endings = (set(map(len, pieces)) for pieces in (self.beginnings, self.endings))
        return sorted(beginnings), sorted(endings)


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

    def clear_words(self, plain: str) -> list[str]:
        """Words that negate a plain text for certain."""
        if not self.is_unspaced and not self._may_have(plain, CLEAR):
            return []
        plain = self.phrases.sub(" ", plain)
        if self.is_unspaced:
            return [word for word in sorted(self.clear.words) if word in plain]
        words = WORD.findall(plain)
        if self.needs is not None and not any(map(self.needs.have, words)):
            return []
        return self._initial_words(plain) + [word for word in words if self._kinds_of_words[word] & CLEAR]

    def has_clear_word(self, text: str) -> bool:
        """Return True if a text has a negating word, in a phrase or not."""
        plain = _with_plain_apostrophes(text.lower())
        return self._may_have(plain, CLEAR) and self._have(WORD.findall(plain), CLEAR)

    def has_without(self, text: str) -> bool:
        """True if a text has the language's word for *without*."""
        words = WORD.findall(text.lower())
        return any(self.without.have(word) or self.lacking.have(word) for word in words)

    def may_negate(self, plain: str, without: bool = True) -> bool:
        """True if a plain text has words or parts that may express a negation; *without* counts if `without` is true."""
        kinds = CLEAR | WEAK | WITHOUT * without
        if not self.is_unspaced and not self._may_have(plain, kinds):
            return False
        plain = self.phrases.sub(" ", plain)
        if self.is_unspaced:
            without_words, plain = self.without.words if without else frozenset(), f" {BLANKS.sub(' ', plain)}\n"
            return any(word in plain for word in self.clear.words | self.weak.words | without_words)
        return bool(self._initial_words(plain)) or self._have(WORD.findall(plain), kinds)

    def _have(self, words: Sequence[str], kinds: int) -> bool:
        """Return True if words have one of these kinds."""
        return any(map(kinds.__and__, map(self._kinds_of_words.__getitem__, words)))

    def _may_have(self, plain: str, kinds: int) -> bool:
        """Return True if a plain text may have words of these kinds, with its phrases or without them. No word has a blank."""
        is_likely = any(map(kinds.__and__, map(self._kinds_of_pieces.__getitem__, plain.split())))
        return is_likely or any(word in plain for word in self.initial)

    @cached_property
    def _kinds_of_words(self) -> WordTable[int]:
        def kinds_of(word: str) -> int:
            is_weak = self.weak.have(word) and not self.other.have(word)
            return CLEAR * self.clear.have(word) + WEAK * is_weak + WITHOUT * self.without.have(word)

        return WordTable(kinds_of)

    @cached_property
    def _kinds_of_pieces(self) -> WordTable[int]:
        """Kinds of the words in a piece between two blanks.

        A removed phrase leaves the rest of a joined word, as *s-a* in *s-a not*.
        """

        def kinds_of(piece: str) -> int:
            words: list[str] = WORD.findall(piece)
            for word in words[:] if JOINT.search(piece) else ():
                pieces = JOINT.split(word)
                if len(pieces) > PIECE_LIMIT:
                    return CLEAR | WEAK | WITHOUT
                words += _parts(word, pieces) if len(pieces) > 1 else ()
            return reduce(or_, map(self._kinds_of_words.__getitem__, words), 0)

        return WordTable(kinds_of)

    def _initial_words(self, plain: str) -> list[str]:
        if not self.initial:
            return []
        return [match[1] for match in SENTENCE.finditer(plain) if match[1] in self.initial]


def _lower(text: str) -> str:
    """The text in lower case with plain apostrophes, without names of programs."""
    plain = _with_plain_apostrophes((IDENTIFIER.sub(" ", text) if "_" in text else text).lower())
    plain = plain if plain.isascii() else POINT.sub("", plain)
    return plain.replace("&apos;", "'").replace(" n't", "n't").replace(" 't", "'t")


def _with_plain_apostrophes(text: str) -> str:
    # A table of `str.translate` takes a hundred times as long.
    for apostrophe in APOSTROPHES:
        text = text.replace(apostrophe, "'")
    return text


def _parts(word: str, pieces: Sequence[str]) -> Iterator[str]:
    """Neighbouring pieces of a joined word, with the joints between them and without or with one behind them."""
    begins = list(accumulate((len(piece) + 1 for piece in pieces), initial=0))
    for first in range(len(pieces)):
        for last in range(first, len(pieces)):
            part = word[begins[first] : begins[last] + len(pieces[last])]
            yield from (part, f"{part}'")


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
    # Vowel signs of Indic scripts are parts of words.
    return re.compile(alternatives if is_unspaced else rf"(?<![\w\u0900-\u0dff])(?:{alternatives})(?![\w\u0900-\u0963])")


def one_sided_negation(languages: tuple[str, str], source: str, translation: str) -> Negation | None:
    """The negation that only the source has, or only the translation of a short source; None otherwise.

    A lost negation is clear in the source, and nothing in the translation may express it. None for languages without data, and
    for a source in Chinese or Japanese, whose negating characters have other meanings.
    """
    first, second = (_languages().get(language) for language in languages)
    if first is None or second is None or first.is_unspaced:
        return None
    plain_source, plain_translation = _lower(source), _lower(translation)
    source_words = first.clear_words(plain_source)
    if source_words:
        # Programs have words such as none, which translations repeat.
        repeated_words = set(source_words).intersection(WORD.findall(plain_translation))
        source_words = [word for word in source_words if word not in repeated_words]
        if not source_words:
            return None
        is_lost = not second.negates_by_endings and not second.may_negate(plain_translation, without=not first.has_without(source))
        return Negation(tuple(source_words), ()) if is_lost else None
    if len(source.split()) > SHORT_SOURCE or second.is_unspaced or first.negates_by_endings or first.may_negate(plain_source):
        return None
    if first.has_clear_word(source):
        # Phrases such as "why not" negate nothing, and their translations have a negating word too.
        return None
    target_words = second.clear_words(plain_translation)
    return Negation((), tuple(target_words)) if target_words else None
