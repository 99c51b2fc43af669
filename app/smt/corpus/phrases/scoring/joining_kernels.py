"""Joining of lines of `extract` and `extract.o`, so that one sort orders both."""

import numpy as np
from numba import njit

from app.arrays import Int64s, UInt8s

__all__ = ["NO_FAULT", "NO_ORIENTATION", "NO_PAIR", "UNEQUAL_PHRASES", "join_orientations", "next_bars", "second_bars"]

NEWLINE, BLANK, BAR, TAB = 10, 32, 124, 9
NO_FAULT, NO_PAIR, UNEQUAL_PHRASES, NO_ORIENTATION = 0, 1, 2, 3


@njit(cache=True, nogil=True)
def next_bars(text: UInt8s, at: int, end: int) -> int:
    """Position of the next word ``|||``, between blanks or at the end of the line; `end` if the line has none."""
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
    """Position of the bars before the third column; `end` if a column is missing or empty."""
    first = next_bars(text, begin + 1, end)
    if first < begin + 2 or first == end:
        return end
    second = next_bars(text, first + 3, end)
    return end if second < first + 5 else second


@njit(cache=True, inline="always")
def _code(text: UInt8s, begin: int, end: int) -> int:
    """Letter of an orientation: m(ono), s(wap), (d)l(eft), (d)r(ight), o(ther) or nomono; 0 for an unknown name."""
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
    text: UInt8s,
    begins: Int64s,
    ends: Int64s,
    orientations: UInt8s,
    orientation_begins: Int64s,
    orientation_ends: Int64s,
    slots: Int64s,
    models: int,
) -> tuple[UInt8s, int, int]:
    """Lines of `extract` with a tab and letters of orientations, two for each model; the first fault and its line, from 0.

    `orientations` is the text of `extract.o`; `slots` is the model of each of its columns, -1 for none.
    """
    out = np.empty(len(text) + len(begins) * (2 * models + 1), np.uint8)
    at = 0
    for line in range(len(begins)):
        begin, end, orientation_end = begins[line], ends[line], orientation_ends[line]
        bars = second_bars(text, begin, end)
        if bars == end:
            return out, NO_PAIR, line
        size = bars + 3 - begin
        if orientation_end - orientation_begins[line] < size:
            return out, UNEQUAL_PHRASES, line
        for place in range(size):
            if text[begin + place] != orientations[orientation_begins[line] + place]:
                return out, UNEQUAL_PHRASES, line
        for place in range(begin, end):
            out[at] = text[place]
            at += 1
        out[at] = TAB
        at += 1
        column = letter_count = 0
        place = orientation_begins[line] + size
        while place < orientation_end:
            if orientations[place] <= BLANK:
                place += 1
                continue
            word = place
            while place < orientation_end and orientations[place] > BLANK:
                place += 1
            if orientations[word] == BAR and place == word + 3:
                # The weight of the sentence pair, a repetition of `extract`.
                break
            if orientations[word] == BAR:
                column += 1
                continue
            code = _code(orientations, word, place)
            if (
                not code
                or column >= len(slots)
                or slots[column] < 0
                or letter_count >= 2 * slots[column] + 2
                or letter_count < 2 * slots[column]
            ):
                return out, NO_ORIENTATION, line
            out[at] = code
            at += 1
            letter_count += 1
        if letter_count != 2 * models:
            return out, NO_ORIENTATION, line
        out[at] = NEWLINE
        at += 1
    return out[:at], NO_FAULT, 0
