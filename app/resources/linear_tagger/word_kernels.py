"""Hashed parts of distinct words: the lower-cased word, its endings, beginnings and shape."""

import numpy as np
from numba import njit

from app.arrays import Int64s, UInt8s, UInt32s, UInt64s
from app.resources.linear_tagger.learning_kernels import mix

__all__ = ["FORM", "LAST_CODE", "LETTER", "MARKS", "PARTS", "PREFIX", "SHAPE", "SUFFIX", "word_parts"]

# Columns: the word, five endings, four beginnings, the sequence of kinds of characters without repetitions, and the set of
# kinds with the first kind and the length.
FORM, SUFFIX, PREFIX, SHAPE, MARKS, PARTS = 0, 1, 6, 10, 11, 12
SUFFIXES, PREFIXES = 5, 4
# Code points beyond the tables are letters without case.
LAST_CODE = 0x20000
LETTER = 3
# Characters of a word that count; longer words are addresses.
CHARACTER_LIMIT = 64
LONG = 8


@njit(cache=True, nogil=True)
def word_parts(data: UInt8s, begins: Int64s, ends: Int64s, lower_case: UInt32s, kinds: UInt8s) -> UInt64s:
    """Hash of each part of each word ``data[begins[i]:ends[i]]`` (UTF-8), 0 for a missing part; shape (words, PARTS).

    `lower_case` and `kinds` are the lower-case letter and the kind of each code point below `LAST_CODE`.
    """
    out = np.zeros((len(begins), PARTS), np.uint64)
    codes = np.empty(CHARACTER_LIMIT, np.uint64)
    classes = np.empty(CHARACTER_LIMIT, np.uint64)
    for i in range(len(begins)):
        position, length = begins[i], 0
        while position < ends[i] and length < CHARACTER_LIMIT:
            code = np.int64(data[position])
            width = 1 if code < 0x80 else 2 if code < 0xE0 else 3 if code < 0xF0 else 4
            if width > 1:
                code &= 0xFF >> (width + 1)
            for k in range(1, width):
                code = (code << 6) | (np.int64(data[min(position + k, ends[i] - 1)]) & 0x3F)
            position += width
            codes[length] = lower_case[code] if code < LAST_CODE else code
            classes[length] = kinds[code] if code < LAST_CODE else LETTER
            length += 1
        key = np.uint64(1)
        for k in range(length):
            key = mix(key, codes[k])
        out[i, FORM] = key
        key = np.uint64(2)
        for k in range(min(SUFFIXES, length)):
            key = mix(key, codes[length - 1 - k])
            out[i, SUFFIX + k] = key
        key = np.uint64(3)
        for k in range(min(PREFIXES, length)):
            key = mix(key, codes[k])
            out[i, PREFIX + k] = key
        key, kinds_in_word = np.uint64(4), np.uint64(0)
        for k in range(length):
            kinds_in_word |= np.uint64(1) << classes[k]
            if k == 0 or classes[k] != classes[k - 1]:
                key = mix(key, classes[k])
        out[i, SHAPE] = key
        key = mix(np.uint64(5), kinds_in_word)
        key = mix(key, classes[0] if length else np.uint64(0))
        out[i, MARKS] = mix(key, np.uint64(min(length, LONG)))
    return out
