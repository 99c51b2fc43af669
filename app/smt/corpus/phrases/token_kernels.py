"""Where the words of lines are, and the links beside them, read from their bytes."""

import numpy as np
from numba import njit

from app.arrays import Int32s, Int64s, UInt8s

__all__ = ["BAD_LINK", "LINK_OUTSIDE", "NO_FAULT", "find_words", "parse_links"]

NEWLINE = 10
HYPHEN = 45
NO_FAULT, BAD_LINK, LINK_OUTSIDE = 0, 1, 2
# Longer numbers name no word of any line.
LARGEST_PLACE = 1 << 30


@njit(cache=True, nogil=True)
def find_words(text: UInt8s, lines: int) -> tuple[Int64s, Int64s, Int64s]:
    """Begin and end of every word of `lines` lines, and where each line's words begin among them; shape (lines + 1,).

    Every line ends by a newline. Words are divided by blanks and by control characters.
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
    """Source and target places of the links ``i-j`` of each line, the lines' offsets, and the first fault with its line from 0.

    A link that a line repeats counts once. The links of a line keep their order.
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
        first, after = _number(text, at)
        if after == at or text[after] != HYPHEN:
            return source, target, offsets, BAD_LINK, line
        second, end = _number(text, after + 1)
        if end == after + 1 or text[end] > 32:
            return source, target, offsets, BAD_LINK, line
        if first >= source_offsets[line + 1] - source_offsets[line] or second >= target_offsets[line + 1] - target_offsets[line]:
            return source, target, offsets, LINK_OUTSIDE, line
        again = False
        for earlier in range(offsets[line], count):
            again |= source[earlier] == first and target[earlier] == second
        if not again:
            source[count], target[count] = first, second
            count += 1
        at = end
    return source[:count], target[:count], offsets, NO_FAULT, 0


@njit(cache=True, inline="always")
def _number(text: UInt8s, at: int) -> tuple[int, int]:
    """The number that begins here and where it ends, which is where it begins if there is none."""
    value = 0
    while 48 <= text[at] <= 57:
        value = min(value * 10 + text[at] - 48, LARGEST_PLACE)
        at += 1
    return value, at
