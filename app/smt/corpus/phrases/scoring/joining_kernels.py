"""The lines of `extract` and of `extract.o` side by side as one text, whose lines can be sorted together."""

import numpy as np
from numba import njit

from app.arrays import Int64s, UInt8s

__all__ = ["JOINED", "NOT_THE_SAME", "NO_ORIENTATION", "NO_PAIR", "join_orientations", "next_bars", "second_bars"]

NEWLINE, BLANK, BAR, TAB = 10, 32, 124, 9
JOINED, NO_PAIR, NOT_THE_SAME, NO_ORIENTATION = 0, 1, 2, 3


@njit(cache=True, nogil=True)
def next_bars(text: UInt8s, at: int, end: int) -> int:
    """Where the next word ``|||`` begins, with blanks about it or the end of the line; `end` where there is none."""
    while at + 3 <= end:
        if (
            text[at] == BAR
            and text[at + 1] == BAR
            and text[at + 2] == BAR
            and (at + 3 == end or text[at + 3] <= BLANK)
            and at > 0
            and text[at - 1] <= BLANK
        ):
            return at
        at += 1
    return end


@njit(cache=True, nogil=True)
def second_bars(text: UInt8s, begin: int, end: int) -> int:
    """Where the third column of a line has its bars before it; `end` where a column is missing or empty."""
    first = next_bars(text, begin + 1, end)
    if first < begin + 2 or first == end:
        return end
    second = next_bars(text, first + 3, end)
    return end if second < first + 5 else second


@njit(cache=True, inline="always")
def _code(text: UInt8s, begin: int, end: int) -> int:
    """The letter of an orientation: m(ono), s(wap), (d)l(eft), (d)r(ight), o(ther), which nomono is too; 0 for no name."""
    size = end - begin
    first = text[begin]
    if size == 4 and first == 109:
        return 109
    if size == 4 and first == 115:
        return 115
    if size == 5 and first == 100 and text[begin + 1] == 108:
        return 108
    if size == 6 and first == 100 and text[begin + 1] == 114:
        return 114
    if (size == 5 and first == 111) or (size == 6 and first == 110):
        return 111
    return 0


@njit(cache=True, nogil=True)
def join_orientations(
    text: UInt8s, begins: Int64s, ends: Int64s, other: UInt8s, other_begins: Int64s, other_ends: Int64s, slots: Int64s, models: int
) -> tuple[UInt8s, int, int]:
    """Each line of `extract`, a tab, and the letters of its orientations, two for each model; and the first fault with its line.

    `slots` says which model each column of `extract.o` is, -1 for none.
    """
    out = np.empty(len(text) + len(begins) * (2 * models + 1), np.uint8)
    at = 0
    for line in range(len(begins)):
        begin, end, other_end = begins[line], ends[line], other_ends[line]
        bars = second_bars(text, begin, end)
        if bars == end:
            return out, NO_PAIR, line
        size = bars + 3 - begin
        if other_end - other_begins[line] < size:
            return out, NOT_THE_SAME, line
        for place in range(size):
            if text[begin + place] != other[other_begins[line] + place]:
                return out, NOT_THE_SAME, line
        for place in range(begin, end):
            out[at] = text[place]
            at += 1
        out[at] = TAB
        at += 1
        column = read = 0
        place = other_begins[line] + size
        while place < other_end:
            if other[place] <= BLANK:
                place += 1
                continue
            word = place
            while place < other_end and other[place] > BLANK:
                place += 1
            if other[word] == BAR and place == word + 3:
                # The weight of the sentence pair, which stands in `extract` too.
                break
            if other[word] == BAR:
                column += 1
                continue
            code = _code(other, word, place)
            if not code or column >= len(slots) or slots[column] < 0 or read >= 2 * slots[column] + 2 or read < 2 * slots[column]:
                return out, NO_ORIENTATION, line
            out[at] = code
            at += 1
            read += 1
        if read != 2 * models:
            return out, NO_ORIENTATION, line
        out[at] = NEWLINE
        at += 1
    return out[:at], JOINED, 0
