"""Parsing of lines of Moses tables as bytes: spans of columns, scores and links."""

import numpy as np
from numba import njit

from app.arrays import Float64s, Int32s, Int64s, UInt8s

__all__ = ["COLUMNS", "find_columns", "find_phrase_words", "parse_numbers", "parse_places"]

# Columns with a meaning: source, target, scores, links, counts, sparse features.
COLUMNS = 6
NEWLINE, BLANK, HYPHEN, POINT, ZERO, NINE, BAR = 10, 32, 45, 46, 48, 57, 124
LARGEST_PLACE = 1 << 30
# A double cannot hold an integer of more digits exactly.
DIGITS = 17
EXACT_POWERS = 10.0 ** np.arange(23)


@njit(cache=True, inline="always")
def _is_wide_blank(text: UInt8s, at: int) -> bool:
    """Return True if a blank of Unicode beyond ASCII, in UTF-8, begins at this byte."""
    first = text[at]
    if first < 0xC2:
        return False
    if first == 0xC2:
        return text[at + 1] == 0x85 or text[at + 1] == 0xA0
    if first == 0xE1:
        return text[at + 1] == 0x9A and text[at + 2] == 0x80
    if first == 0xE2:
        if text[at + 1] == 0x81:
            return text[at + 2] == 0x9F
        last = text[at + 2]
        return text[at + 1] == 0x80 and (last <= 0x8A or last == 0xA8 or last == 0xA9 or last == 0xAF)
    return first == 0xE3 and text[at + 1] == 0x80 and text[at + 2] == 0x80


@njit(cache=True, nogil=True)
def find_columns(text: UInt8s, lines: int) -> tuple[Int64s, Int64s, bool]:
    """Begin and end of the first columns, shape (lines, COLUMNS, 2); columns of each line, shape (lines,); True for a regular text.

    A regular text has exactly one blank between words and around bars; the kernel stops at other text. Lines end with newlines.
    """
    columns = np.zeros((lines, COLUMNS, 2), np.int64)
    counts = np.zeros(lines, np.int64)
    line = column = begin = at = 0
    while at < len(text):
        byte = text[at]
        if byte == NEWLINE or (byte == BAR and text[at + 1] == BAR and text[at + 2] == BAR):
            first = at == 0 or text[at - 1] == NEWLINE
            if byte == BAR and ((not first and text[at - 1] != BLANK) or (text[at + 3] != BLANK and text[at + 3] != NEWLINE)):
                return columns, counts, False
            if column < COLUMNS:
                columns[line, column, 0] = begin
                # A blank precedes bars.
                columns[line, column, 1] = max(begin, at - (byte == BAR))
            column += 1
            at += 1 if byte == NEWLINE else 3
            if byte == NEWLINE:
                counts[line] = column
                line += 1
                column = 0
                begin = at
            else:
                # A line may end with bars.
                begin = at + (text[at] == BLANK)
            continue
        if byte == BLANK:
            if at == 0 or text[at - 1] == NEWLINE or text[at + 1] == BLANK or text[at + 1] == NEWLINE:
                return columns, counts, False
        elif 9 <= byte <= 13 or 28 <= byte <= 31 or _is_wide_blank(text, at):
            return columns, counts, False
        at += 1
    return columns, counts, True


@njit(cache=True, nogil=True)
def find_phrase_words(text: UInt8s, spans: Int64s) -> tuple[Int64s, Int64s, Int64s]:
    """Begin and end of each word of phrases, shape (words,), and offsets of phrases among the words, shape (phrases + 1,)."""
    offsets = np.zeros(len(spans) + 1, np.int64)
    for row in range(len(spans)):
        count = 1 if spans[row, 1] > spans[row, 0] else 0
        for at in range(spans[row, 0], spans[row, 1]):
            count += text[at] == BLANK
        offsets[row + 1] = offsets[row] + count
    begins = np.empty(offsets[-1], np.int64)
    ends = np.empty(offsets[-1], np.int64)
    for row in range(len(spans)):
        word = offsets[row]
        if spans[row, 1] > spans[row, 0]:
            begins[word] = spans[row, 0]
            for at in range(spans[row, 0], spans[row, 1]):
                if text[at] == BLANK:
                    ends[word] = at
                    word += 1
                    begins[word] = at + 1
            ends[word] = spans[row, 1]
    return begins, ends, offsets


@njit(cache=True, nogil=True)
def parse_numbers(text: UInt8s, spans: Int64s, width: int) -> tuple[Float64s, int]:
    """Numbers of each column, from 0, shape (rows, width), and the first row without exactly `width` such numbers, or -1.

    The error is up to half a unit in the last place, or two units for exponents beyond 22.
    """
    values = np.zeros((len(spans), width))
    for row in range(len(spans)):
        at, end = spans[row]
        for number in range(width):
            mantissa, exponent, digits = 0, 0, 0
            point = False
            while at < end and (ZERO <= text[at] <= NINE or (text[at] == POINT and not point)):
                if text[at] == POINT:
                    point = True
                else:
                    digits += 1
                    if mantissa < 10 ** (DIGITS - 1):
                        mantissa = mantissa * 10 + text[at] - ZERO
                        exponent -= point
                    else:
                        exponent += not point
                at += 1
            if not digits:
                return values, row
            if at < end and (text[at] == 101 or text[at] == 69):
                at += 1
                sign = 1
                if at < end and (text[at] == HYPHEN or text[at] == 43):
                    sign = -1 if text[at] == HYPHEN else 1
                    at += 1
                power = digits = 0
                while at < end and ZERO <= text[at] <= NINE:
                    power = min(power * 10 + text[at] - ZERO, 9999)
                    digits += 1
                    at += 1
                if not digits:
                    return values, row
                exponent += sign * power
            value = float(mantissa)
            if mantissa and -22 <= exponent < 0:
                value /= EXACT_POWERS[-exponent]
            elif mantissa and 0 < exponent <= 22:
                value *= EXACT_POWERS[exponent]
            elif mantissa and exponent:
                # Two steps, since the power of a tiny number may itself underflow.
                value = value * 10.0 ** (exponent // 2) * 10.0 ** (exponent - exponent // 2)
            if not value < np.inf:
                return values, row
            values[row, number] = value
            if number + 1 < width:
                if at >= end or text[at] != BLANK:
                    return values, row
                at += 1
        if at != end:
            return values, row
    return values, -1


@njit(cache=True, nogil=True)
def parse_places(text: UInt8s, spans: Int64s, sizes: Int64s) -> tuple[Int32s, Int64s, int]:
    """Links ``i-j`` of each column, flat; offsets of rows, in links; and the first row with a malformed link, or -1.

    `sizes` are numbers of words of both phrases, shape (rows, 2); a link beyond them is malformed.
    """
    offsets = np.zeros(len(spans) + 1, np.int64)
    for row in range(len(spans)):
        count = 0
        for at in range(spans[row, 0], spans[row, 1]):
            count += text[at] == HYPHEN
        offsets[row + 1] = offsets[row] + count
    places = np.zeros(2 * offsets[-1], np.int32)
    for row in range(len(spans)):
        at, end = spans[row]
        link = 2 * offsets[row]
        while at < end:
            for side in range(2):
                value = 0
                begin = at
                while at < end and ZERO <= text[at] <= NINE:
                    value = min(value * 10 + text[at] - ZERO, LARGEST_PLACE)
                    at += 1
                divider = HYPHEN if side == 0 else BLANK
                at_end = at >= end
                if at == begin or (at_end and side == 0) or (not at_end and text[at] != divider) or value >= sizes[row, side]:
                    return places, offsets, row
                places[link] = value
                link += 1
                at += 1
    return places, offsets, -1
