"""Words of terms and texts with their places."""

import unicodedata
from functools import lru_cache
from typing import Final, NamedTuple

__all__ = ["PlacedWord", "words_of"]

# Letters of scripts without blanks between words, and of Hangul, whose words have particles at their ends: each is a word.
SINGLE: Final = (
    ("\u0e00", "\u0eff"),
    ("\u1000", "\u109f"),
    ("\u1780", "\u17ff"),
    ("\u3040", "\u9fff"),
    ("\uac00", "\ud7a3"),
    ("\uf900", "\ufaff"),
    ("\U00020000", "\U0003ffff"),
)
# Signs at the ends of words: C++, C#.
ENDS: Final = frozenset("+#")
SPACE, LETTER, MARK, UNIT = range(4)


class PlacedWord(NamedTuple):
    """A word as it stands in its text, at `[start, end)` in characters."""

    text: str
    start: int
    end: int


def words_of(text: str) -> list[PlacedWord]:
    """Words of letters and digits in order; a letter of a script without blanks is a word. O(length)."""
    words: list[PlacedWord] = []
    begin, is_single = -1, False
    for at, character in enumerate(f"{text} "):
        kind = _kind(character)
        if begin >= 0 and (kind == MARK or (kind == LETTER and not is_single) or (character in ENDS and not is_single)):
            continue
        if begin >= 0:
            words.append(PlacedWord(text[begin:at], begin, at))
        begin, is_single = (at, kind == UNIT) if kind in (LETTER, UNIT) else (-1, False)
    return words


@lru_cache(10_000)
def _kind(character: str) -> int:
    """Kind of a character: a letter of a word, a mark on one, a letter that is a word, or none of them."""
    category = unicodedata.category(character)
    if category[0] == "M" or character in "\u200c\u200d":
        return MARK
    if not character.isalnum():
        return SPACE
    return UNIT if any(low <= character <= high for low, high in SINGLE) else LETTER
