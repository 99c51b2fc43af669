"""Compiled parser of n-best list lines: reads values, names and links from bytes, without Python strings."""

import numpy as np
from numba import njit

from app.arrays import Float64s, Int32s, Int64s, UInt8s, UInt64s
from app.text.n_best import MOST_COMPONENTS
from app.text.reading.moses_n_best import LONGEST_PLACE, MOST_SEGMENTS
from app.text.word_kernel import blank_width, enlarged_table

__all__ = ["FULL_TABLE", "IRREGULAR", "hash_of", "number_column", "parse_lines"]

MULTIPLIER = 0x9E3779B97F4A7C15
BAR, EQUALS, COLON, DASH, POINT, LINE_BREAK = 124, 61, 58, 45, 46, 10
# Marks of a line for Python, and of one that may have more new columns than the hash table has room for.
IRREGULAR, FULL_TABLE = 1, 2
# Digits of a segment's number.
LONGEST_SEGMENT = 8
# A double holds every whole number below this one exactly.
EXACT = 1 << 53
TENS = np.array([float(10**k) for k in range(23)])


@njit(cache=True, inline="always")
def _is_blank(byte: int) -> bool:
    return byte == 32 or 9 <= byte <= 13 or 28 <= byte <= 31


@njit(cache=True, inline="always")
def _is_digit(byte: int) -> bool:
    return 48 <= byte <= 57


@njit(cache=True)
def _bars(data: UInt8s, at: int, end: int) -> int:
    """Return the position of the next three bars, `end` if none follow."""
    while at + 2 < end:
        if data[at + 2] != BAR:
            at += 3
        elif data[at] == BAR and data[at + 1] == BAR:
            return at
        else:
            at += 1
    return end


@njit(cache=True)
def _line_end(data: UInt8s, at: int, size: int) -> int:
    """Return the position of the next line break, `size` without one."""
    present = False
    while at + 16 <= size and not present:
        for k in range(at, at + 16):
            present |= data[k] == LINE_BREAK
        at += 0 if present else 16
    while at < size and data[at] != LINE_BREAK:
        at += 1
    return at


@njit(cache=True)
def _trimmed(data: UInt8s, begin: int, end: int) -> tuple[int, int]:
    """Strip ASCII blanks from a cell; return its new begin and end."""
    while begin < end and _is_blank(data[begin]):
        begin += 1
    while begin < end and _is_blank(data[end - 1]):
        end -= 1
    return begin, end


@njit(cache=True)
def _has_other_blanks(data: UInt8s, begin: int, end: int) -> bool:
    is_ascii, present = True, False
    for at in range(begin, end):
        is_ascii &= data[at] < 0xC2
    for at in range(begin, begin if is_ascii else end):
        if data[at] >= 0xC2 and blank_width(data, at, end):
            present = True
    return present


@njit(cache=True)
def hash_of(data: UInt8s, begin: int, end: int) -> np.uint64:
    """Return the 64-bit hash of ``data[begin:end]``."""
    key = np.uint64(end - begin)
    for at in range(begin, end):
        key = (key ^ np.uint64(data[at])) * np.uint64(MULTIPLIER)
        key ^= key >> np.uint64(32)
    return key


@njit(cache=True, inline="always")
def _find_column(name: np.uint64, component: int, keys: UInt64s) -> tuple[np.uint64, np.uint64]:
    """Return the key of a component, and its place in the hash table, or the free place for it."""
    key = (name ^ np.uint64(component)) * np.uint64(MULTIPLIER)
    key = (key ^ (key >> np.uint64(29))) | np.uint64(1)
    mask = np.uint64(len(keys) - 1)
    place = (key >> np.uint64(1)) & mask
    while keys[place] != key and keys[place] != np.uint64(0):
        place = (place + np.uint64(1)) & mask
    return key, place


@njit(cache=True)
def number_column(name: np.uint64, component: int, keys: UInt64s, numbers: Int64s, columns: int) -> tuple[int, UInt64s, Int64s]:
    """Return the column of a component (`columns` for a new one) and the hash table, grown if it was half full.

    `keys` (0: free) and `numbers` form an open-addressed table; its size is a power of two.
    """
    key, place = _find_column(name, component, keys)
    if keys[place] == key:
        return numbers[place], keys, numbers
    keys[place], numbers[place] = key, columns
    if 2 * (columns + 1) < len(keys):
        return columns, keys, numbers
    new_keys, new_numbers = enlarged_table(keys, numbers)
    return columns, new_keys, new_numbers


@njit(cache=True)
def _number(data: UInt8s, begin: int, end: int) -> tuple[float, bool]:
    """Read a number of few digits exactly; return it and True, or False for any other word."""
    at, negative = begin, False
    if at < end and (data[at] == DASH or data[at] == 43):
        negative = data[at] == DASH
        at += 1
    whole, digits, exponent, point = 0, 0, 0, False
    while at < end:
        byte = data[at]
        if _is_digit(byte):
            if whole > EXACT // 10 - 1:
                return 0.0, False
            whole = 10 * whole + (byte - 48)
            digits += 1
            exponent -= 1 if point else 0
        elif byte == POINT and not point:
            point = True
        else:
            break
        at += 1
    if digits == 0:
        return 0.0, False
    if at < end:
        if (data[at] != 101 and data[at] != 69) or at + 1 == end:
            return 0.0, False
        at += 1
        down = data[at] == DASH
        at += 1 if down or data[at] == 43 else 0
        if at == end or end - at > 3:
            return 0.0, False
        power = 0
        while at < end:
            if not _is_digit(data[at]):
                return 0.0, False
            power = 10 * power + (data[at] - 48)
            at += 1
        exponent += -power if down else power
    value = float(whole)
    if whole and not -22 <= exponent <= 22:
        return 0.0, False
    if whole:
        value = value / TENS[-exponent] if exponent < 0 else value * TENS[exponent]
    return -value if negative else value, True


@njit(cache=True)
def _place(data: UInt8s, begin: int, end: int) -> int:
    """Read a word position; -1 if there is none."""
    if begin == end or end - begin > LONGEST_PLACE:
        return -1
    place = 0
    for at in range(begin, end):
        if not _is_digit(data[at]):
            return -1
        place = 10 * place + (data[at] - 48)
    return place


@njit(cache=True)
def _span(data: UInt8s, begin: int, end: int) -> tuple[int, int]:
    """Read ``3`` or ``3-5`` as first and last position; -1 twice for anything else."""
    for at in range(begin, end):
        if data[at] == DASH:
            first, last = _place(data, begin, at), _place(data, at + 1, end)
            return (first, last) if first >= 0 and last >= 0 else (-1, -1)
    place = _place(data, begin, end)
    return place, place


@njit(cache=True)
def _links(data: UInt8s, begin: int, end: int, spans: Int32s, count: int) -> tuple[int, bool]:
    """Append the spans of an alignment cell to `spans`; return their new number (-1: no alignment) and True for phrases."""
    at, phrases = begin, False
    while at < end:
        if _is_blank(data[at]):
            at += 1
            continue
        start, equals, dash = at, -1, -1
        while at < end and not _is_blank(data[at]):
            if data[at] == EQUALS and equals < 0:
                equals = at
            if data[at] == DASH and dash < 0:
                dash = at
            at += 1
        middle = equals if equals >= 0 else dash
        if middle < 0:
            return -1, False
        phrases = phrases or equals >= 0
        first, last = _span(data, start, middle)
        to, to_last = _span(data, middle + 1, at)
        if first < 0 or to < 0:
            return -1, False
        spans[count, 0], spans[count, 1], spans[count, 2], spans[count, 3] = first, last, to, to_last
        count += 1
    return count, phrases


@njit(cache=True, nogil=True)
def parse_lines(
    data: UInt8s,
    begin: int,
    unnamed: np.uint64,
    keys: UInt64s,
    numbers: Int64s,
    columns: int,
    rows: Int64s,
    totals: Float64s,
    texts: UInt8s,
    entry_columns: Int32s,
    entry_values: Float64s,
    spans: Int32s,
    slow: Int64s,
    new: Int64s,
) -> Int64s:
    """Parse lines from `begin` up to the first irregular line, into the arrays after the hash table (`keys`, `numbers`).

    Outputs, one row per line: `rows` (segment, end of the text in `texts`, end of the values, end of the spans) and `totals`.
    `slow` (row or ~entry, begin, end) lists numbers for Python to read. `new` (begin, end, component) lists names of new columns;
    begin is -1 for values without a name, whose hash is `unnamed`. Returns ten counts: end position, lines (with empty ones),
    rows, bytes of texts, values, spans, slow numbers and new columns. Then comes the mark of the line behind them, `IRREGULAR`,
    `FULL_TABLE` or 0, and at last 1 if spans are phrases.
    """
    at, size = begin, len(data)
    line_count = count = text_end = entries = links = slow_count = fresh = irregular = has_phrases = 0
    # For the column of each first component: the last row with the feature, and its number of components there.
    lasts, times = np.full(len(keys), -1, np.int64), np.zeros(len(keys), np.int64)
    # Arrays are assigned once: numba counts each use of others.
    while at < size:
        end = _line_end(data, at, size)
        first, last = _trimmed(data, at, end)
        if first == last:
            at, line_count = end + 1, line_count + 1
            continue
        irregular = IRREGULAR
        bar = _bars(data, first, last)
        number_begin, number_end = _trimmed(data, first, bar)
        if number_begin == number_end or number_end - number_begin > LONGEST_SEGMENT or bar == last:
            break
        segment, regular = 0, True
        for k in range(number_begin, number_end):
            regular = regular and _is_digit(data[k])
            segment = 10 * segment + (data[k] - 48)
        bar_2 = _bars(data, bar + 3, last)
        bar_3 = _bars(data, bar_2 + 3, last) if bar_2 < last else last
        if not regular or segment >= MOST_SEGMENTS or bar_3 == last:
            break
        text, text_stop = _trimmed(data, bar + 3, bar_2)
        # A value takes two bytes, and half of the table stays free.
        if 2 * columns + bar_3 - bar_2 >= len(keys):
            irregular = FULL_TABLE
            break
        bar_4 = _bars(data, bar_3 + 3, last)
        total, total_stop = _trimmed(data, bar_3 + 3, bar_4)
        # Python reads lines with blanks beyond ASCII or with spans between words.
        if total == total_stop or (text < text_stop and data[text_stop - 1] == BAR) or _has_other_blanks(data, bar_2, last):
            break
        if _has_other_blanks(data, text, min(text + 3, text_stop)) or _has_other_blanks(data, max(text, text_stop - 3), text_stop):
            break
        value, exact = _number(data, total, total_stop)
        if not exact:
            slow[slow_count, 0], slow[slow_count, 1], slow[slow_count, 2] = count, total, total_stop
            slow_count += 1
        totals[count] = value
        for k in range(text, text_stop):
            texts[text_end + k - text] = data[k]
        text_end += text_stop - text
        name, name_begin, name_end = unnamed, -1, -1
        k = bar_2 + 3
        while k < bar_3:
            if _is_blank(data[k]):
                k += 1
                continue
            word, equals = k, -1
            while k < bar_3 and not _is_blank(data[k]):
                if data[k] == EQUALS:
                    equals = k
                k += 1
            if data[k - 1] == EQUALS or data[k - 1] == COLON:
                name, name_begin, name_end = hash_of(data, word, k - 1), word, k - 1
                continue
            value_name, own_begin, own_end = name, name_begin, name_end
            if equals >= 0:
                value_name, own_begin, own_end = hash_of(data, word, equals), word, equals
            key, place = _find_column(value_name, 0, keys)
            column = numbers[place] if keys[place] == key else columns
            component = 0
            if lasts[column] == count:
                times[column] += 1
                component = times[column]
            else:
                lasts[column], times[column] = count, 0
            if component >= MOST_COMPONENTS:
                regular = False
                break
            if component:
                key, place = _find_column(value_name, component, keys)
                column = numbers[place] if keys[place] == key else columns
            if column == columns:
                keys[place], numbers[place] = key, column
                new[fresh, 0], new[fresh, 1], new[fresh, 2] = own_begin, own_end, component
                fresh += 1
                columns += 1
            value, exact = _number(data, equals + 1 if equals >= 0 else word, k)
            if not exact:
                slow[slow_count, 0], slow[slow_count, 1] = ~entries, equals + 1 if equals >= 0 else word
                slow[slow_count, 2] = k
                slow_count += 1
            entry_columns[entries], entry_values[entries] = column, value
            entries += 1
        if not regular:
            break
        cell, links_before, phrases = bar_4, links, False
        while cell < last:
            following = _bars(data, cell + 3, last)
            # The last alignment counts, as in Moses' extractor: words follow phrases.
            behind, are_phrases = _links(data, cell + 3, following, spans, links)
            if behind > links:
                for link in range(behind - links):
                    spans[links_before + link] = spans[links + link]
                links, phrases = links_before + behind - links, are_phrases
            cell = following
        has_phrases = 1 if phrases else has_phrases
        rows[count, 0], rows[count, 1], rows[count, 2], rows[count, 3] = segment, text_end, entries, links
        count += 1
        at, line_count, irregular = end + 1, line_count + 1, 0
    return np.array(
        [min(at, size), line_count, count, text_end, entries, links, slow_count, fresh, irregular, has_phrases], np.int64
    )
