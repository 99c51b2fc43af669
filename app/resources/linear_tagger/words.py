"""Hashed parts of the words of token columns."""

import unicodedata
from functools import cache
from typing import Final

import numpy as np

from app.arrays import UInt8s, UInt32s, UInt64s
from app.resources.linear_tagger.word_kernels import LAST_CODE, LETTER, word_parts
from app.text.batch import TokenColumn

__all__ = ["packed_words"]

KINDS: Final = {
    "Ll": 1, "Lu": 2, "Lt": 2, "Lo": LETTER, "Lm": LETTER, "Nd": 4, "Pd": 5, "Po": 6, "Ps": 7, "Pe": 7, "Pi": 7, "Pf": 7,
    "Sm": 8, "Sc": 8, "Sk": 8, "So": 8,
}  # fmt: skip
OTHER_KIND: Final = 0


@cache
def character_tables() -> tuple[UInt32s, UInt8s]:
    """Lower-case code point and kind of each code point below `LAST_CODE`; shape (LAST_CODE,) each."""
    characters = list(map(chr, range(LAST_CODE)))
    kinds = [KINDS.get(category, OTHER_KIND) for category in map(unicodedata.category, characters)]
    lower_case = np.arange(LAST_CODE, dtype=np.uint32)
    for code, (character, lower_letter) in enumerate(zip(characters, map(str.lower, characters), strict=True)):
        if character != lower_letter and len(lower_letter) == 1:
            lower_case[code] = ord(lower_letter)
    return lower_case, np.array(kinds, np.uint8)


def packed_words(column: TokenColumn) -> UInt64s:
    """Hashed parts of a column's vocabulary; shape (words, PARTS)."""
    parts: UInt64s = word_parts(*column.encoded_vocabulary, *character_tables())
    return parts
