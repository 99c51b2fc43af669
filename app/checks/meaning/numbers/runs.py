"""Numbers of several words: two thousand five hundred, zweiunddreißig, quatre-vingts."""

import re
from collections.abc import Mapping
from functools import cache, lru_cache
from typing import Final, NamedTuple

from app.checks.cldr import WORDS_AT_HAND, counting_words, language_words, without_accents

__all__ = ["NumberRun", "number_parts", "number_runs"]

WORD: Final = re.compile(r"[^\W\d_]+")
# Signs between the words of a number.
GAP: Final = re.compile(r"[ \u00a0\u202f-]{1,2}")
JOINTS: Final = frozenset({"and", "und", "et", "y", "e", "si", "i", "en", "og", "och", "ja", "и"})
# Languages whose compounds put a unit before its tens: zweiunddreißig.
UNITS_FIRST: Final = frozenset({"cs", "da", "de", "nb", "nl", "sl"})
JOINT_OF_UNITS: Final = ("und", "en", "a", "og", "in", "")
TENS: Final = frozenset(range(20, 100, 10))
# Quatre-vingts, dix-sept.
FRENCH: Final = frozenset({(4, 20), (10, 7), (10, 8), (10, 9)})
HUNDRED: Final = 100
THOUSAND: Final = 1000
SHORTEST_MAGNITUDE: Final = 4
# Words of a number.
LONGEST: Final = 20
# Letters of a word of several numbers.
LONGEST_COMPOUND: Final = 40
SHORTEST_COMPOUND: Final = 6


class NumberRun(NamedTuple):
    """A number in words, its place in the text, and its number of parts."""

    value: int
    text: str
    begin: int
    end: int
    parts: int


def number_runs(text: str, language: str) -> list[NumberRun]:
    """Numbers of neighbouring words, each with its total; none for a language without words. O(length)."""
    vocabulary = _vocabulary(language)
    runs: list[NumberRun] = []
    values: list[int] = []
    # A joint behind `end`, up to `cursor`, belongs to a number only before a smaller number.
    begin = end = cursor = 0
    for match in WORD.finditer(text) if vocabulary else ():
        word = without_accents(match[0])
        parts = number_parts(word, language)
        is_joined = cursor > end
        follows = bool(values) and GAP.fullmatch(text[cursor : match.start()]) is not None
        cursor = match.end()
        if parts and follows and len(values) < LONGEST and _continues(values, parts, is_joined, language):
            values, end = values + parts, cursor
        elif not (follows and word in JOINTS and not is_joined):
            runs += _finished(text, values, begin, end, language)
            values, begin, end = parts, match.start(), cursor
    return runs + _finished(text, values, begin, end, language)


def _finished(text: str, values: list[int], begin: int, end: int, language: str) -> list[NumberRun]:
    return [NumberRun(_total(values, language), text[begin:end], begin, end, len(values))] if values else []


@cache
def _vocabulary(language: str) -> Mapping[str, int]:
    magnitudes = {
        word: 10**power
        for word, power in language_words(language).magnitudes.items()
        if len(word) >= SHORTEST_MAGNITUDE and power > 1
    }
    further = {word: value for word, value in language_words(language).numbers.items() if value >= HUNDRED}
    return {**magnitudes, **further, **counting_words(language)}


def number_parts(word: str, language: str) -> list[int]:
    """Values of the numbers in a word; empty for another word."""
    vocabulary = _vocabulary(language)
    if word in vocabulary:
        return [vocabulary[word]]
    if language == "fr" and word.endswith("s") and word[:-1] in vocabulary:
        # Quatre-vingts, deux cents.
        return [vocabulary[word[:-1]]]
    return list(_compound(word, language)) if SHORTEST_COMPOUND <= len(word) <= LONGEST_COMPOUND else []


@cache
def _pieces(language: str) -> Mapping[str, int]:
    return {word: value for word, value in _vocabulary(language).items() if value}


@cache
def _heads(language: str) -> frozenset[str]:
    """The first letters of all pieces."""
    return frozenset(piece[:2] for piece in _pieces(language))


@lru_cache(maxsize=WORDS_AT_HAND)
def _compound(word: str, language: str) -> tuple[int, ...]:
    """Values of a word that consists of numbers and joints alone, the longest pieces first."""
    if _heads(language).isdisjoint((word[:1], word[:2])):
        return ()
    pieces, values, place = _pieces(language), list[int](), 0
    while place < len(word):
        joints = JOINT_OF_UNITS if language in UNITS_FIRST and values else ("",)
        piece = next(
            (
                (joint, word[place + len(joint) : k])
                for joint in joints
                if word.startswith(joint, place)
                for k in range(len(word), place + len(joint), -1)
                if word[place + len(joint) : k] in pieces
            ),
            None,
        )
        if piece is None:
            return ()
        values.append(pieces[piece[1]])
        place += len(piece[0]) + len(piece[1])
    return tuple(values) if len(values) > 1 else ()


def _continues(values: list[int], parts: list[int], is_joined: bool, language: str) -> bool:
    """Return True if a word continues a number: 100 after 2, 5 after 20, but no 4 after 3."""
    last, value = values[-1], parts[0]
    if value >= HUNDRED:
        return not is_joined and (value > last or last >= THOUSAND)
    if language == "fr" and (last, value) in FRENCH:
        return True
    if language in UNITS_FIRST and value in TENS and last < 10:
        return True
    return value < last and (last >= HUNDRED or last in TENS) and (last >= HUNDRED or value < 20) and value > 0


def _total(values: list[int], language: str) -> int:
    """Value of a number: 2500 for 2, 1000, 5, 100."""
    total = section = 0
    for value in values:
        if value >= THOUSAND:
            total, section = total + max(section, 1) * value, 0
        elif value == HUNDRED:
            section = max(section, 1) * HUNDRED
        elif language == "fr" and value == 20 and section % HUNDRED == 4:
            section += 76
        else:
            section += value
    return total + section
