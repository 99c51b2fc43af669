"""Tokens and characters of many texts, on their UTF-8 bytes.

A token is a 64-bit hash of its characters. Text k is ``data[ends[k - 1] + 1 : ends[k]]``: a byte separates two texts.
"""

import numpy as np
from numba import njit

from app.arrays import Int32s, Int64s, UInt8s, UInt64s
from app.text.word_kernel import enlarged_table

__all__ = [
    "BLANK",
    "DASH",
    "EDGE",
    "LETTER",
    "MARK",
    "NUMBER",
    "SYMBOL",
    "number_tokens",
    "split_characters",
    "split_edges",
    "split_tokens",
]

# Classes of characters. A mark is a token unless numbers surround it; a dash is one after a number; SYMBOL is always one.
# EDGE is beside the first and the last character, for tokenisers that put no blank there; it is above NUMBER, and acts as one.
LETTER, BLANK, MARK, SYMBOL, DASH, NUMBER, EDGE = range(7)
SEED = 0x243F6A8885A308D3


@njit(cache=True, inline="always")
def _decode(data: UInt8s, at: int) -> tuple[np.int64, int]:
    """Code point of the character at byte `at`, and its number of bytes."""
    byte = np.int64(data[at])
    if byte < 0x80:
        return byte, 1
    if byte < 0xE0:
        return (byte & 0x1F) << 6 | (np.int64(data[at + 1]) & 0x3F), 2
    if byte < 0xF0:
        return (byte & 0x0F) << 12 | (np.int64(data[at + 1]) & 0x3F) << 6 | (np.int64(data[at + 2]) & 0x3F), 3
    high = (byte & 0x07) << 18 | (np.int64(data[at + 1]) & 0x3F) << 12
    return high | (np.int64(data[at + 2]) & 0x3F) << 6 | (np.int64(data[at + 3]) & 0x3F), 4


@njit(cache=True, inline="always")
def _mixed(key: np.uint64, code: np.int64) -> np.uint64:
    """Hash of a token and one more character."""
    product = (key ^ np.uint64(code)) * np.uint64(0x9E3779B97F4A7C15)
    return product ^ (product >> np.uint64(32))


@njit(cache=True, inline="always")
def _class_of(code: np.int64, classes: UInt8s) -> np.int64:
    """Class of a character; those beyond the table have the class of its last row."""
    last = len(classes) - 1
    return np.int64(classes[code] if code < last else classes[last])


@njit(cache=True, inline="always")
def _write(keys: UInt64s, spans: Int64s, count: int, key: np.uint64, begin: int, end: int) -> int:
    """Write a token, and its place if `spans` has rows; return the number of tokens."""
    keys[count] = key
    if len(spans):
        spans[count, 0], spans[count, 1] = begin, end
    return count + 1


@njit(cache=True, nogil=True)
def _bare_end(data: UInt8s, begin: int, end: int, classes: UInt8s) -> int:
    """End of a text without the blanks at its end."""
    while end > begin:
        start = end - 1
        while start > begin and data[start] & 0xC0 == 0x80:
            start -= 1
        if _class_of(_decode(data, start)[0], classes) != BLANK:
            break
        end = start
    return end


@njit(cache=True, nogil=True)
def split_tokens(
    data: UInt8s, ends: Int64s, first: int, last: int, classes: UInt8s, edge: int, strips: bool, with_spans: bool
) -> tuple[UInt64s, Int64s, Int64s]:
    """Keys of the tokens of texts `first` to `last`, their begins and ends (none without `with_spans`), and tokens per text.

    `classes` are those of all characters. `edge` is the class beside a text, BLANK or EDGE; `strips` drops blanks at its begin.
    The rules of mteval replace pairs from left to right, and pairs in a run of marks follow each other. The parity of the run and
    the class before it therefore decide if the last mark stays with a number behind it.
    """
    begin = ends[first - 1] + 1 if first else 0
    size = ends[last - 1] - begin + 1 if last > first else 0
    keys = np.empty(size, np.uint64)
    spans = np.empty((size if with_spans else 0, 2), np.int64)
    counts = np.empty(last - first, np.int64)
    count = 0
    seed = np.uint64(SEED)
    for text in range(first, last):
        count_before = count
        at, end = begin, _bare_end(data, begin, ends[text], classes)
        begin = ends[text] + 1
        previous = edge
        start, key = -1, seed
        while at < end:
            code, width = _decode(data, at)
            kind = _class_of(code, classes)
            if kind == LETTER or kind == NUMBER or (kind == DASH and previous != NUMBER):  # noqa: SIM109 - compiled
                if start < 0:
                    start, key = at, seed
                key = _mixed(key, code)
                at += width
            elif kind == BLANK:
                if start >= 0:
                    count = _write(keys, spans, count, key, start, at)
                    start = -1
                at += width
                if strips and count == count_before:
                    continue
            elif kind == MARK:
                run = 0
                scan = at
                following = edge
                while scan < end:
                    code, width = _decode(data, scan)
                    following = _class_of(code, classes)
                    if following != MARK:
                        break
                    run += 1
                    scan += width
                    following = edge
                # A number, or nothing, is on both sides of the run, or behind it.
                joins = following >= NUMBER and (previous >= NUMBER) == (run % 2 == 1)
                for k in range(run):
                    code, width = _decode(data, at)
                    if joins and k == run - 1:
                        if start < 0:
                            start, key = at, seed
                        key = _mixed(key, code)
                    else:
                        if start >= 0:
                            count = _write(keys, spans, count, key, start, at)
                            start = -1
                        count = _write(keys, spans, count, _mixed(seed, code), at, at + width)
                    at += width
            else:
                if start >= 0:
                    count = _write(keys, spans, count, key, start, at)
                    start = -1
                count = _write(keys, spans, count, _mixed(seed, code), at, at + width)
                at += width
            previous = kind
        if start >= 0:
            count = _write(keys, spans, count, key, start, end)
        counts[text - first] = count - count_before
    return keys[:count].copy(), spans[: count if with_spans else 0].copy(), counts


@njit(cache=True, nogil=True)
def split_edges(
    data: UInt8s, ends: Int64s, first: int, last: int, classes: UInt8s, with_spans: bool
) -> tuple[UInt64s, Int64s, Int64s]:
    """Keys, places and numbers, as `split_tokens`; one MARK at the end of a word, or else at its begin, is a token."""
    begin = ends[first - 1] + 1 if first else 0
    size = ends[last - 1] - begin + 1 if last > first else 0
    keys = np.empty(size, np.uint64)
    spans = np.empty((size if with_spans else 0, 2), np.int64)
    counts = np.empty(last - first, np.int64)
    count = 0
    seed = np.uint64(SEED)
    for text in range(first, last):
        count_before = count
        at, end = begin, ends[text]
        begin = end + 1
        while at < end:
            code, width = _decode(data, at)
            kind = _class_of(code, classes)
            if kind == BLANK:
                at += width
                continue
            start, second, final = at, at + width, at
            opens = kind == MARK
            # Hashes of the word, of the word without its last character, and of the word without its first.
            key = body = rest = seed
            while kind != BLANK:
                body = key
                key = _mixed(key, code)
                if opens and at > start:
                    rest = _mixed(rest, code)
                final = at
                at += width
                closes = kind == MARK
                if at == end:
                    break
                code, width = _decode(data, at)
                kind = _class_of(code, classes)
            if final == start or not (opens or closes):
                count = _write(keys, spans, count, key, start, at)
            elif closes:
                count = _write(keys, spans, count, body, start, final)
                count = _write(keys, spans, count, _mixed(seed, _decode(data, final)[0]), final, at)
            else:
                count = _write(keys, spans, count, _mixed(seed, _decode(data, start)[0]), start, second)
                count = _write(keys, spans, count, rest, second, at)
        counts[text - first] = count - count_before
    return keys[:count].copy(), spans[: count if with_spans else 0].copy(), counts


@njit(cache=True, nogil=True)
def split_characters(
    data: UInt8s, ends: Int64s, first: int, last: int, classes: UInt8s, with_blanks: bool
) -> tuple[Int32s, Int64s]:
    """Code points of texts `first` to `last`, without blanks unless `with_blanks`, and the number of each text's code points."""
    begin = ends[first - 1] + 1 if first else 0
    codes = np.empty(ends[last - 1] - begin if last > first else 0, np.int32)
    counts = np.empty(last - first, np.int64)
    count = 0
    for text in range(first, last):
        count_before = count
        at, end = begin, ends[text]
        begin = end + 1
        while at < end:
            code, width = _decode(data, at)
            if with_blanks or _class_of(code, classes) != BLANK:
                codes[count] = code
                count += 1
            at += width
        counts[text - first] = count - count_before
    return codes[:count].copy(), counts


@njit(cache=True, nogil=True)
def number_tokens(keys: UInt64s, table: UInt64s, numbers: Int64s, size: int) -> tuple[Int64s, Int64s, UInt64s, Int64s]:
    """Numbers of tokens by their keys, the positions of the new tokens, and the (grown) hash table of `size` known tokens."""
    out = np.empty(len(keys), np.int64)
    new = np.empty(len(keys), np.int64)
    new_count = 0
    for k in range(len(keys)):
        key = keys[k] | np.uint64(1)
        mask = np.uint64(len(table) - 1)
        slot = (key >> np.uint64(1)) & mask
        while table[slot] != key and table[slot] != np.uint64(0):
            slot = (slot + np.uint64(1)) & mask
        if table[slot] == np.uint64(0):
            table[slot] = key
            numbers[slot] = size + new_count
            new[new_count] = k
            new_count += 1
        out[k] = numbers[slot]
        if 2 * (size + new_count) >= len(table):
            table, numbers = enlarged_table(table, numbers)
    return out, new[:new_count].copy(), table, numbers
