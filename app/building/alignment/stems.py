"""First letters of words, which words of one meaning often share, by how much of a word a character of their script is."""

import re
from typing import Final

__all__ = ["stem_of"]

# An ideograph is a morpheme; a syllable, as of Hangul or kana, is about two letters.
STEM: Final = re.compile(
    "[\u3005-\u3007\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U0003ffff]|[\u3040-\u30ff\uac00-\ud7a3].?|.{1,4}", re.DOTALL
)


def stem_of(word: str) -> str:
    """The first ideograph of a word, its first two characters where it begins with a syllable, or its first four letters."""
    stem = STEM.match(word)
    return stem[0] if stem else word
