"""Attention checks: translations with words of another translation, which an attentive annotator marks and scores lower."""

import re
from collections.abc import Sequence, Set
from dataclasses import dataclass
from typing import Final

from numpy.random import Generator

__all__ = ["DamagedTranslation", "damaged_translation", "replaced_words"]

WORD: Final = re.compile(r"\S+")
# Shorter texts are about a name or a number, and foreign words in them may pass.
FEWEST_WORDS: Final = 5
# Without blanks, as in Chinese, characters stand for words.
FEWEST_CHARACTERS: Final = 12
# Attempts to draw words that differ.
ATTEMPTS: Final = 20


@dataclass(frozen=True)
class DamagedTranslation:
    """A damaged text; the damage lies from `start` to before `end`."""

    text: str
    start: int
    end: int


def replaced_words(count: int) -> int:
    """Number of words to replace in a translation of `count` words (Graham et al. 2017, "bad references" of WMT's assessments)."""
    for limit, words in ((1, 1), (5, 2), (8, 3), (15, 4), (20, 5)):
        if count <= limit:
            return words
    return count // 4


def damaged_translation(text: str, donors: Sequence[str], random: Generator) -> DamagedTranslation | None:
    """The translation with a run of its words replaced by as many words of a donor, none of which stood in the replaced run.

    The replaced run includes neither the first nor the last word. None for a short text, and if no donor has such words.
    """
    places = _word_places(text)
    if places is None or not donors:
        return None
    width = replaced_words(len(places))
    begin = int(random.integers(1, max(1, len(places) - 1 - width) + 1))
    start, end = places[begin][0], places[begin + width - 1][1]
    replaced_set = {text[first:last].casefold() for first, last in places[begin : begin + width]}
    for _ in range(ATTEMPTS):
        donor = donors[int(random.integers(len(donors)))]
        run = _run(donor, width, random)
        if run is not None and _is_foreign(run, text, replaced_set):
            return DamagedTranslation(text[:start] + run + text[end:], start, start + len(run))
    return None


def _is_foreign(run: str, text: str, replaced_set: Set[str]) -> bool:
    """Return True if the text does not have the run, and each word has a letter or digit and is none of the replaced words."""
    words = run.casefold().split()
    return run not in text and not replaced_set & set(words) and all(any(map(str.isalnum, word)) for word in words)


def _run(donor: str, width: int, random: Generator) -> str | None:
    """`width` words of a donor in a row, without its first and last word; None for a short donor."""
    places = _word_places(donor)
    if places is None or len(places) < width + 2:
        return None
    begin = int(random.integers(1, len(places) - width))
    return donor[places[begin][0] : places[begin + width - 1][1]]


def _word_places(text: str) -> list[tuple[int, int]] | None:
    """Places of words, or of characters in a text with few blanks; None for a short text."""
    words = [match.span() for match in WORD.finditer(text)]
    if len(words) >= FEWEST_WORDS:
        return words
    characters = [(place, place + 1) for place, character in enumerate(text) if not character.isspace()]
    # A long word of an alphabet is no text.
    is_without_blanks = len(characters) >= FEWEST_CHARACTERS and len(characters) >= 8 * max(1, len(words)) and not text.isascii()
    return characters if is_without_blanks else None
