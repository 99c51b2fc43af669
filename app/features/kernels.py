"""Counts over the words of a batch: characters of each distinct word, and sums over segments."""

import unicodedata
from functools import cache
from typing import Final

import numpy as np
from numba import njit

from app.arrays import Float64s, Int32s, Int64s, UInt8s
from app.text.batch import TokenColumn

__all__ = ["BRACKETS", "MARKS", "QUOTES", "Attribute", "count_distinct", "segment_sums", "word_attributes"]

# Six marks with compared counts, each with its forms in other scripts.
MARKS: Final = (".।॥。．", ",،，、", ":：", ";؛；", "?¿؟？", "!¡！")
# Opening and closing forms; each pair is balanced or not.
BRACKETS: Final = ("()（）", "[]［］", "{}｛｝")
# Quotation marks are balanced if openings and closings are equal in number, or, without direction, their number is even.
QUOTES: Final = (("«", "»"), ("‹", "›"), ("「", "」"), ("『", "』"), ('"“”„‟', ""))
LETTER, DIGIT, IN_NUMBER = 1, 2, 4
LAST_CODE: Final = 0x20000


class Attribute:
    """Columns of `word_attributes`."""

    CHARACTERS = 0
    MARKS = 1  # six columns
    NUMBER = 7
    NOT_ALPHABETIC = 8
    OPENING = 9  # brackets three columns, then quotes five
    CLOSING = 17
    COUNT = 25


@cache
def _tables() -> tuple[UInt8s, UInt8s]:
    """Kind of character, and counting column (0: none), by code point."""
    kinds = np.zeros(LAST_CODE, np.uint8)
    for code in range(LAST_CODE):
        category = unicodedata.category(chr(code))
        if category[0] in "LM":
            kinds[code] = LETTER
        elif category == "Nd":
            kinds[code] = DIGIT
    for character in ".,:/+-%'’−":
        kinds[ord(character)] |= IN_NUMBER
    columns = np.zeros(LAST_CODE, np.uint8)
    for k, forms in enumerate(MARKS):
        for form in forms:
            columns[ord(form)] = Attribute.MARKS + k
    for k, forms in enumerate(BRACKETS):
        for place, form in enumerate(forms):
            columns[ord(form)] = (Attribute.CLOSING if place % 2 else Attribute.OPENING) + k
    for k, (opening, closing) in enumerate(QUOTES):
        for form in opening:
            columns[ord(form)] = Attribute.OPENING + len(BRACKETS) + k
        for form in closing:
            columns[ord(form)] = Attribute.CLOSING + len(BRACKETS) + k
    return kinds, columns


def word_attributes(column: TokenColumn) -> Int64s:
    """Attributes of each vocabulary entry; shape (vocabulary, `Attribute.COUNT`)."""
    attributes: Int64s = _attributes(*column.encoded_vocabulary, *_tables())
    return attributes


@njit(cache=True, inline="always")
def _code_point(data: UInt8s, at: int) -> tuple[int, int]:
    """The character at byte `at`, and its number of bytes."""
    byte = int(data[at])
    if byte < 0x80:
        return byte, 1
    if byte < 0xE0:
        return (byte & 0x1F) << 6 | data[at + 1] & 0x3F, 2
    if byte < 0xF0:
        return (byte & 0x0F) << 12 | (data[at + 1] & 0x3F) << 6 | data[at + 2] & 0x3F, 3
    return (byte & 0x07) << 18 | (data[at + 1] & 0x3F) << 12 | (data[at + 2] & 0x3F) << 6 | data[at + 3] & 0x3F, 4


@njit(cache=True, nogil=True)
def _attributes(data: UInt8s, begins: Int64s, ends: Int64s, kinds: UInt8s, columns: UInt8s) -> Int64s:
    out = np.zeros((len(ends), 25), np.int64)
    for word in range(len(ends)):
        letters = digits = rest = characters = 0
        at = begins[word]
        while at < ends[word]:
            code, width = _code_point(data, at)
            at += width
            characters += 1
            # Planes beyond the second have only Han characters.
            kind = kinds[code] if code < LAST_CODE else LETTER
            if code < LAST_CODE and columns[code]:
                out[word, columns[code]] += 1
            if kind & LETTER:
                letters += 1
            elif kind & DIGIT:
                digits += 1
            elif not kind & IN_NUMBER:
                rest += 1
        out[word, 0] = characters
        out[word, 7] = digits > 0 and letters == 0 and rest == 0
        out[word, 8] = letters < characters
    return out


@njit(cache=True, nogil=True)
def segment_sums(per_word: Float64s | Int64s, ids: Int32s, offsets: Int64s) -> Float64s:
    """Σ of the rows (vocabulary, k) of the words of each segment; shape (n, k)."""
    n, k = len(offsets) - 1, per_word.shape[1]
    out = np.zeros((n, k))
    for i in range(n):
        for t in range(offsets[i], offsets[i + 1]):
            for j in range(k):
                out[i, j] += per_word[ids[t], j]
    return out


@njit(cache=True, nogil=True)
def count_distinct(ids: Int32s, offsets: Int64s, vocabulary: int) -> Int64s:
    """Number of distinct words of each segment; shape (n,)."""
    last = np.full(vocabulary, -1, np.int64)
    out = np.zeros(len(offsets) - 1, np.int64)
    for i in range(len(offsets) - 1):
        for t in range(offsets[i], offsets[i + 1]):
            if last[ids[t]] != i:
                last[ids[t]] = i
                out[i] += 1
    return out
