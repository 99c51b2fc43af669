"""Numbering the blank-separated words of many texts, on their UTF-8 bytes."""

import numpy as np
from numba import njit

from app.arrays import Int64s, UInt8s, UInt64s

__all__ = ["blank_width", "enlarged_table", "number_words"]

MULTIPLIER = 0x9E3779B97F4A7C15


@njit(cache=True, inline="always")
def blank_width(data: UInt8s, at: int, end: int) -> int:
    """Number of bytes of the blank at byte `at`, 0 if that is no blank. Blanks are those of ``str.split()``."""
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
    data: UInt8s, ends: Int64s, keys: UInt64s, numbers: Int64s, vocabulary_size: int
) -> tuple[Int64s, Int64s, Int64s, UInt64s, Int64s]:
    """Word numbers of all texts, the end of each text among them, rows of the new words, and the (grown) hash table.

    Text k is ``data[ends[k - 1]:ends[k]]``. `keys` (0: free) and `numbers` are an open-addressed hash table of
    `vocabulary_size` known words; a new word gets the next number. A row of a new word is its begin and its end.
    """
    words = np.empty(len(data) // 2 + len(ends) + 1, np.int64)
    word_ends = np.empty(len(ends), np.int64)
    new_words = np.empty((16, 2), np.int64)
    count = new_count = 0
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
            key |= np.uint64(1)
            mask = np.uint64(len(keys) - 1)
            slot = (key >> np.uint64(1)) & mask
            while keys[slot] != key and keys[slot] != np.uint64(0):
                slot = (slot + np.uint64(1)) & mask
            if keys[slot] == np.uint64(0):
                keys[slot] = key
                numbers[slot] = vocabulary_size + new_count
                if new_count == len(new_words):
                    larger = np.empty((2 * new_count, 2), np.int64)
                    larger[:new_count] = new_words
                    new_words = larger
                new_words[new_count, 0], new_words[new_count, 1] = start, at
                new_count += 1
            words[count] = numbers[slot]
            count += 1
            if 2 * (vocabulary_size + new_count) >= len(keys):
                keys, numbers = enlarged_table(keys, numbers)
        begin = end
        word_ends[text] = count
    return words[:count].copy(), word_ends, new_words[:new_count], keys, numbers


@njit(cache=True, nogil=True)
def enlarged_table(keys: UInt64s, numbers: Int64s) -> tuple[UInt64s, Int64s]:
    """Copy of a hash table with four times the slots."""
    new_keys = np.zeros(4 * len(keys), np.uint64)
    new_numbers = np.zeros(4 * len(keys), np.int64)
    mask = np.uint64(len(new_keys) - 1)
    for k in range(len(keys)):
        if keys[k] != np.uint64(0):
            slot = (keys[k] >> np.uint64(1)) & mask
            while new_keys[slot] != np.uint64(0):
                slot = (slot + np.uint64(1)) & mask
            new_keys[slot] = keys[k]
            new_numbers[slot] = numbers[k]
    return new_keys, new_numbers
