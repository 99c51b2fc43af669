"""Columns of tokens as the kernels look at them."""

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
OTHER: Final = 0


@cache
def character_tables() -> tuple[UInt32s, UInt8s]:
    """Of each code point below `LAST_CODE`: that of its small letter, and its kind."""
    small = np.arange(LAST_CODE, dtype=np.uint32)
    kinds = np.zeros(LAST_CODE, np.uint8)
    for code in range(LAST_CODE):
        character = chr(code)
        kinds[code] = KINDS.get(unicodedata.category(character), OTHER)
        lowered = character.lower()
        if len(lowered) == 1:
            small[code] = ord(lowered)
    return small, kinds


def packed_words(column: TokenColumn) -> UInt64s:
    """`word_parts` of a column's vocabulary."""
    parts: UInt64s = word_parts(*column.encoded_vocabulary, *character_tables())
    return parts
