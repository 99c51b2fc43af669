"""Words of letters alone, in any script, for checks that must not depend on a tokeniser."""

import re
import unicodedata
from typing import Final

from app.resources.identification import spoken_words

__all__ = ["LETTER", "is_translatable", "is_unspaced", "plain_words"]

# Pattern of a letter, or of a sign of a vowel of an Indic script or of Thai, which Python counts as no letter.
LETTER: Final = r"(?:[^\W\d_]|(?=[\u0900-\u0eff\u200c\u200d])[^\w\u0964\u0965])"
# Scripts without blanks between words.
UNSPACED_SCRIPTS: Final = (
    ("\u3040", "\u9fff"),
    ("\uf900", "\ufaff"),
    ("\u0e00", "\u0eff"),
    ("\u1780", "\u17ff"),
    ("\U00020000", "\U0003ffff"),
)
UNSPACED_LETTER: Final = re.compile("[" + "".join(f"{low}-{high}" for low, high in UNSPACED_SCRIPTS) + "]")


def plain_words(text: str) -> list[str]:
    """Words of letters in order; a letter of a script without blanks is a word. O(length)."""
    words = spoken_words(text)
    if text.isascii() or UNSPACED_LETTER.search(text) is None:
        return words
    return [part for word in words for part in (_parts(word) if UNSPACED_LETTER.search(word) is not None else (word,))]


def _parts(word: str) -> list[str]:
    """Single unspaced letters with their marks, and the text between them."""
    parts: list[str] = []
    is_single = True
    for c in word:
        is_unspaced_letter = is_unspaced(c)
        if parts and ((not is_single and not is_unspaced_letter) or unicodedata.category(c)[0] == "M"):
            parts[-1] += c
        else:
            parts.append(c)
            is_single = is_unspaced_letter
    return parts


def is_unspaced(character: str) -> bool:
    """True for a letter of a script without blanks between words."""
    return any(low <= character <= high for low, high in UNSPACED_SCRIPTS)


def is_translatable(word: str) -> float:
    """Weight of a translatable word: 0 for a name (capitals) or a sign (one letter), a fraction for a Chinese character."""
    if word.upper() == word.lower():
        return 0.75 if len(word) == 1 else 1.0
    return float(len(word) > 1 and word.islower())
