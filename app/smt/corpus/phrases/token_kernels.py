"""Parsing of bytes: spans of words of lines, and links of words."""

import numpy as np
from numba import njit

from app.arrays import Int32s, Int64s, UInt8s

__all__ = ["BAD_LINK", "LINK_OUTSIDE", "NO_FAULT", "find_words", "parse_links"]

NEWLINE = 10
HYPHEN = 45
NO_FAULT, BAD_LINK, LINK_OUTSIDE = 0, 1, 2
# No line has a word of a higher number.
LARGEST_PLACE = 1 << 30


@njit(cache=True, nogil=True)
def find_words(text: UInt8s, lines: int) -> tuple[Int64s, Int64s, Int64s]:
    """Begin and end of each word, shape (words,), and offsets of `lines` lines among the words, shape (lines + 1,).

    Each line ends with a newline. Blanks and control characters divide words.
    """
    begins = np.empty(len(text) // 2 + 1, np.int64)
    ends = np.empty(len(text) // 2 + 1, np.int64)
    offsets = np.zeros(lines + 1, np.int64)
    count = line = 0
    inside = False
    for at in range(len(text)):
        if text[at] > 32:
            if not inside:
                begins[count] = at
                inside = True
        else:
            if inside:
                ends[count] = at
                count += 1
                inside = False
            if text[at] == NEWLINE:
                line += 1
                offsets[line] = count
    return begins[:count], ends[:count], offsets


@njit(cache=True, nogil=True)
def parse_links(text: UInt8s, source_offsets: Int64s, target_offsets: Int64s) -> tuple[Int32s, Int32s, Int64s, int, int]:
    """Source and target positions of links ``i-j``, offsets of lines, the first fault, and its line from 0.

    A repeated link of a line counts once. Links stay in their order.
    """
    source = np.empty(len(text) // 4 + 1, np.int32)
    target = np.empty(len(text) // 4 + 1, np.int32)
    lines = len(source_offsets) - 1
    offsets = np.zeros(lines + 1, np.int64)
    count = line = 0
    at = 0
    while line < lines:
        byte = text[at]
        if byte == NEWLINE:
            line += 1
            offsets[line] = count
            at += 1
            continue
        if byte <= 32:
            at += 1
            continue
        first, hyphen = _number(text, at)
        if hyphen == at or text[hyphen] != HYPHEN:
            return source, target, offsets, BAD_LINK, line
        second, end = _number(text, hyphen + 1)
        if end == hyphen + 1 or text[end] > 32:
            return source, target, offsets, BAD_LINK, line
        if first >= source_offsets[line + 1] - source_offsets[line] or second >= target_offsets[line + 1] - target_offsets[line]:
            return source, target, offsets, LINK_OUTSIDE, line
        repeated = False
        for earlier in range(offsets[line], count):
            repeated |= source[earlier] == first and target[earlier] == second
        if not repeated:
            source[count], target[count] = first, second
            count += 1
        at = end
    return source[:count], target[:count], offsets, NO_FAULT, 0


@njit(cache=True, inline="always")
def _number(text: UInt8s, at: int) -> tuple[int, int]:
    """Number at this byte, and its end; without digits, the end is the begin."""
    value = 0
    while 48 <= text[at] <= 57:
        value = min(value * 10 + text[at] - 48, LARGEST_PLACE)
        at += 1
    return value, at
