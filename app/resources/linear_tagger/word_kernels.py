"""What each distinct word is made of, as hashes: the word in small letters, its endings, beginnings and shape."""

import numpy as np
from numba import njit

from app.arrays import Int64s, UInt8s, UInt32s, UInt64s
from app.resources.linear_tagger.learning_kernels import mixed

__all__ = ["FORM", "LAST_CODE", "LETTER", "MARKS", "PARTS", "PREFIX", "SHAPE", "SUFFIX", "word_parts"]

# Columns: the whole word, endings of one to five characters, beginnings of one to four, kinds of characters in their order
# without repetitions, which kinds there are with the first one and the length.
FORM, SUFFIX, PREFIX, SHAPE, MARKS, PARTS = 0, 1, 6, 10, 11, 12
SUFFIXES, PREFIXES = 5, 4
# Code points beyond the tables are letters without case.
LAST_CODE = 0x20000
LETTER = 3
# Characters of a word that count: longer ones are addresses.
MOST_CHARACTERS = 64
LONG = 8


@njit(cache=True, nogil=True)
def word_parts(data: UInt8s, begins: Int64s, ends: Int64s, small: UInt32s, kinds: UInt8s) -> UInt64s:
    """A hash of each part of each word ``data[begins[i]:ends[i]]`` (UTF-8); shape (words, PARTS), 0 where there is no such part.

    `small` and `kinds` tell the small letter and the kind of each code point below `LAST_CODE`.
    """
    out = np.zeros((len(begins), PARTS), np.uint64)
    codes = np.empty(MOST_CHARACTERS, np.uint64)
    classes = np.empty(MOST_CHARACTERS, np.uint64)
    for i in range(len(begins)):
        at, length = begins[i], 0
        while at < ends[i] and length < MOST_CHARACTERS:
            code = np.int64(data[at])
            width = 1 if code < 0x80 else 2 if code < 0xE0 else 3 if code < 0xF0 else 4
            if width > 1:
                code &= 0xFF >> (width + 1)
            for k in range(1, width):
                code = (code << 6) | (np.int64(data[min(at + k, ends[i] - 1)]) & 0x3F)
            at += width
            codes[length] = small[code] if code < LAST_CODE else code
            classes[length] = kinds[code] if code < LAST_CODE else LETTER
            length += 1
        key = np.uint64(1)
        for k in range(length):
            key = mixed(key, codes[k])
        out[i, FORM] = key
        key = np.uint64(2)
        for k in range(min(SUFFIXES, length)):
            key = mixed(key, codes[length - 1 - k])
            out[i, SUFFIX + k] = key
        key = np.uint64(3)
        for k in range(min(PREFIXES, length)):
            key = mixed(key, codes[k])
            out[i, PREFIX + k] = key
        key, kinds_there = np.uint64(4), np.uint64(0)
        for k in range(length):
            kinds_there |= np.uint64(1) << classes[k]
            if k == 0 or classes[k] != classes[k - 1]:
                key = mixed(key, classes[k])
        out[i, SHAPE] = key
        key = mixed(np.uint64(5), kinds_there)
        key = mixed(key, classes[0] if length else np.uint64(0))
        out[i, MARKS] = mixed(key, np.uint64(min(length, LONG)))
    return out
