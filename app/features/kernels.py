"""Counts over the words of a batch: characters of each distinct word, and sums over segments."""

import unicodedata
from functools import cache
from typing import Final

import numpy as np
from numba import njit

from app.arrays import Bools, Float64s, Int32s, Int64s, UInt8s, UInt64s
from app.text.batch import TokenColumn
from app.text.hashing import find_key

__all__ = [
    "BRACKETS",
    "MARKS",
    "QUOTES",
    "Attribute",
    "code_point",
    "copied_words",
    "copies",
    "segment_sums",
    "shape_table",
    "side_counts",
    "word_attributes",
    "word_shapes",
]

# Six marks with compared counts, each with its forms in other scripts.
MARKS: Final = (".।॥。．", ",،，、", ":：", ";؛；", "?¿؟？", "!¡！")
# Opening and closing forms; each pair is balanced or not.
BRACKETS: Final = ("()（）", "[]［］", "{}｛｝")
# Quotation marks are balanced if openings and closings are equal in number, or, without direction, their number is even.
QUOTES: Final = (("«", "»"), ("‹", "›"), ("「", "」"), ("『", "』"), ('"“”„‟', ""))
LETTER, DIGIT, IN_NUMBER = 1, 2, 4
LAST_CODE: Final = 0x20000
# Flags of characters: letter, digit, capital, other letter with a case. A word is a NAME if it begins with a capital and has
# letters alone, and a FIGURE if it has a digit.
NAME, FIGURE, CAPITAL, SMALL = 1, 2, 4, 8
# Code points from here on are neither letters nor digits.
LAST_LETTER: Final = 0x32400
SHORTEST_NAME: Final = 2


class Attribute:
    """Columns of `word_attributes`, and behind them the further columns of `side_counts`."""

    CHARACTERS = 0
    MARKS = 1  # six columns
    NUMBER = 7
    NOT_ALPHABETIC = 8
    OPENING = 9  # brackets three columns, then quotes five
    CLOSING = 17
    COUNT = 25
    DISTINCT = 25
    PUNCTUATION = 26
    UNBALANCED_BRACKETS = 27
    UNBALANCED_QUOTES = 28
    TOKENS = 29
    SIDE_COUNT = 30


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


@cache
def shape_table() -> UInt8s:
    """Flags of each code point below `LAST_LETTER`: NAME for a letter, FIGURE for a digit, CAPITAL and SMALL by its case."""
    return np.array([_flags(chr(code)) for code in range(LAST_LETTER)], np.uint8)


def _flags(character: str) -> int:
    is_capital, is_small = character.isupper(), character.islower() or character.istitle()
    return NAME * character.isalpha() + FIGURE * character.isdigit() + CAPITAL * is_capital + SMALL * (is_small and not is_capital)


def word_shapes(column: TokenColumn) -> UInt8s:
    """Flags NAME and FIGURE of each vocabulary entry; shape (vocabulary,)."""
    shapes: UInt8s = _shapes(*column.encoded_vocabulary, shape_table())
    return shapes


def word_attributes(column: TokenColumn) -> Int64s:
    """Attributes of each vocabulary entry; shape (vocabulary, `Attribute.COUNT`)."""
    attributes: Int64s = _attributes(*column.encoded_vocabulary, *_tables())
    return attributes


@njit(cache=True, inline="always")
def code_point(data: UInt8s, at: int) -> tuple[int, int]:
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
            code, width = code_point(data, at)
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
def _shapes(data: UInt8s, begins: Int64s, ends: Int64s, table: UInt8s) -> UInt8s:
    out = np.zeros(len(ends), np.uint8)
    for word in range(len(ends)):
        at, characters, begins_with_capital = begins[word], 0, False
        is_name, is_figure = True, False
        while at < ends[word]:
            code, width = code_point(data, at)
            at += width
            flags = table[code] if code < LAST_LETTER else 0
            begins_with_capital |= characters == 0 and flags & CAPITAL != 0
            is_name &= flags & NAME != 0
            is_figure |= flags & FIGURE != 0
            characters += 1
        out[word] = NAME * (is_name and begins_with_capital and characters >= SHORTEST_NAME) + FIGURE * is_figure
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
def side_counts(attributes: Int64s, ids: Int32s, offsets: Int64s) -> Float64s:
    """Sums of the attributes of each segment's words, and counts of the segment; shape (n, `Attribute.SIDE_COUNT`).

    The counts are distinct words, punctuation marks, brackets and quotation marks without a partner, and tokens.
    """
    n = len(offsets) - 1
    out = np.zeros((n, 30))
    last = np.full(len(attributes), -1, np.int64)
    for i in range(n):
        for t in range(offsets[i], offsets[i + 1]):
            word = ids[t]
            for j in range(25):
                out[i, j] += attributes[word, j]
            if last[word] != i:
                last[word] = i
                out[i, 25] += 1
        for j in range(1, 7):
            out[i, 26] += out[i, j]
        for j in range(3):
            out[i, 27] += abs(out[i, 9 + j] - out[i, 17 + j])
        for j in range(3, 7):
            out[i, 28] += abs(out[i, 9 + j] - out[i, 17 + j])
        # Quotation marks without direction are in balance if they are even in number.
        out[i, 28] += abs(out[i, 16] - out[i, 24]) % 2
        out[i, 29] = offsets[i + 1] - offsets[i]
    return out


@njit(cache=True, nogil=True)
def copied_words(attributes: Int64s, ids: Int32s, offsets: Int64s, copy_mask: Bools) -> Float64s:
    """Words of letters alone, two or more, of each segment: those with a mark in `copy_mask` (tokens,), and all; shape (n, 2)."""
    out = np.zeros((len(offsets) - 1, 2))
    for i in range(len(offsets) - 1):
        for t in range(offsets[i], offsets[i + 1]):
            if attributes[ids[t], 0] > 1 and attributes[ids[t], 8] == 0:
                out[i, 0] += copy_mask[t]
                out[i, 1] += 1
    return out


@njit(cache=True, nogil=True)
def copies(
    hashes: UInt64s, ids: Int32s, offsets: Int64s, opposite_hashes: UInt64s, opposite_ids: Int32s, opposite_offsets: Int64s
) -> Bools:
    """True for tokens that also stand in the opposite segment, by the hashes of their words; shape (tokens,)."""
    by_hash = np.argsort(opposite_hashes)
    sorted_hashes = opposite_hashes[by_hash]
    counterparts = np.empty(len(hashes), np.int64)
    for word in range(len(hashes)):
        row = find_key(sorted_hashes, hashes[word], 0, len(sorted_hashes))
        counterparts[word] = by_hash[row] if row >= 0 else -1
    last = np.full(len(opposite_hashes), -1, np.int64)
    out = np.zeros(len(ids), np.bool_)
    for i in range(len(offsets) - 1):
        for t in range(opposite_offsets[i], opposite_offsets[i + 1]):
            last[opposite_ids[t]] = i
        for t in range(offsets[i], offsets[i + 1]):
            counterpart = counterparts[ids[t]]
            out[t] = counterpart >= 0 and last[counterpart] == i
    return out
