"""Numbering the blank-separated words of many texts, on their UTF-8 bytes."""

import numpy as np
from numba import njit

from app.arrays import Int64s, UInt8s, UInt64s

__all__ = ["NO_BLANK_AFTER", "NO_BLANK_BEFORE", "blank_width", "number_words"]

NO_BLANK_BEFORE, NO_BLANK_AFTER = 1, 2
MULTIPLIER = 0x9E3779B97F4A7C15


@njit(cache=True, inline="always")
def blank_width(data: UInt8s, at: int, end: int) -> int:
    """How many bytes the blank at `at` takes, 0 where there is none: what str.split() splits at."""
    byte = data[at]
    if 32 < byte < 0xC2:
        return 0
    if byte == 32 or 9 <= byte <= 13 or 28 <= byte <= 31:
        return 1
    if byte < 0xC2 or byte > 0xE3:
        return 0
    if byte == 0xC2:
        return 2 if at + 1 < end and (data[at + 1] == 0x85 or data[at + 1] == 0xA0) else 0
    if at + 2 >= end:
        return 0
    second, third = data[at + 1], data[at + 2]
    if byte == 0xE1:
        return 3 if second == 0x9A and third == 0x80 else 0
    if byte == 0xE2:
        if second == 0x80 and (third <= 0x8A or third == 0xA8 or third == 0xA9 or third == 0xAF):
            return 3
        return 3 if second == 0x81 and third == 0x9F else 0
    return 3 if byte == 0xE3 and second == 0x80 and third == 0x80 else 0


@njit(cache=True, nogil=True)
def number_words(
    data: UInt8s, ends: Int64s, edges: bool, keys: UInt64s, numbers: Int64s, vocabulary_size: int
) -> tuple[Int64s, Int64s, Int64s, UInt64s, Int64s]:
    """Word numbers of all texts, where each text's words end, the words not seen before, and the grown table.

    Text k is ``data[ends[k - 1]:ends[k]]``. `keys` (0: free) and `numbers` are an open-addressed table of the
    `vocabulary_size` words so far; a new word gets the next number. New words are rows of begin, end and, with `edges`,
    flags that tell whether a blank is missing before or after: such words are numbered apart.
    """
    words = np.empty(len(data) // 2 + len(ends) + 1, np.int64)
    word_ends = np.empty(len(ends), np.int64)
    new = np.empty((16, 3), np.int64)
    count = fresh = 0
    begin = 0
    for text in range(len(ends)):
        end = ends[text]
        at = begin
        while at < end:
            width = blank_width(data, at, end)
            if width:
                at += width
                continue
            start = at
            key = np.uint64(0)
            while at < end and not blank_width(data, at, end):
                key = (key ^ np.uint64(data[at])) * np.uint64(MULTIPLIER)
                key ^= key >> np.uint64(32)
                at += 1
            flags = 0
            if edges:
                flags = (NO_BLANK_BEFORE if start == begin else 0) | (NO_BLANK_AFTER if at == end else 0)
                key = (key ^ np.uint64(flags << 8)) * np.uint64(MULTIPLIER)
                key ^= key >> np.uint64(32)
            key |= np.uint64(1)
            mask = np.uint64(len(keys) - 1)
            place = (key >> np.uint64(1)) & mask
            while keys[place] != key and keys[place] != np.uint64(0):
                place = (place + np.uint64(1)) & mask
            if keys[place] == np.uint64(0):
                keys[place] = key
                numbers[place] = vocabulary_size + fresh
                if fresh == len(new):
                    larger = np.empty((2 * fresh, 3), np.int64)
                    larger[:fresh] = new
                    new = larger
                new[fresh, 0], new[fresh, 1], new[fresh, 2] = start, at, flags
                fresh += 1
            words[count] = numbers[place]
            count += 1
            if 2 * (vocabulary_size + fresh) >= len(keys):
                keys, numbers = _grown(keys, numbers)
        begin = end
        word_ends[text] = count
    return words[:count].copy(), word_ends, new[:fresh], keys, numbers


@njit(cache=True, nogil=True)
def _grown(keys: UInt64s, numbers: Int64s) -> tuple[UInt64s, Int64s]:
    """The same table with four times the room."""
    new_keys = np.zeros(4 * len(keys), np.uint64)
    new_numbers = np.zeros(4 * len(keys), np.int64)
    mask = np.uint64(len(new_keys) - 1)
    for k in range(len(keys)):
        if keys[k] != np.uint64(0):
            place = (keys[k] >> np.uint64(1)) & mask
            while new_keys[place] != np.uint64(0):
                place = (place + np.uint64(1)) & mask
            new_keys[place] = keys[k]
            new_numbers[place] = numbers[k]
    return new_keys, new_numbers
