"""Compiled exact n-gram matches of all pairs of texts in a list; each text is read once.

Each n-gram of a list has one column for each of its repetitions within a text. The clipped matches of two texts are their common
columns: a population count of two rows of bits.
"""

import numpy as np
from numba import njit

from app.arrays import Int32s, Int64s, UInt64s

__all__ = ["gram_number", "match_pairs", "room_for"]

NO_NUMBER = -1


@njit(cache=True, inline="always")
def _bits(word: np.uint64) -> np.uint64:
    """Return the number of set bits."""
    word = word - ((word >> np.uint64(1)) & np.uint64(0x5555555555555555))
    word = (word & np.uint64(0x3333333333333333)) + ((word >> np.uint64(2)) & np.uint64(0x3333333333333333))
    word = (word + (word >> np.uint64(4))) & np.uint64(0x0F0F0F0F0F0F0F0F)
    return (word * np.uint64(0x0101010101010101)) >> np.uint64(56)


@njit(cache=True, nogil=True)
def room_for(symbols: int) -> int:
    """Return the size of a hash table for `symbols` n-grams: a power of two, at least half free."""
    room = 16
    while room < 2 * symbols:
        room *= 2
    return room


@njit(cache=True, inline="always")
def gram_number(keys: UInt64s, numbers: Int32s, mask: np.uint64, before: int, symbol: int, new: int) -> int:
    """Return the number of an n-gram from the number of its first n - 1 symbols and its last symbol.

    An unknown n-gram is stored as `new`; with `new` = -1 it is only looked up, and -1 is returned. Numbers and symbols are below
    2^31, so keys are unique.
    """
    key = (np.uint64(before) << np.uint64(32)) | np.uint64(symbol + 1)
    digest = (key ^ (key >> np.uint64(29))) * np.uint64(0xBF58476D1CE4E5B9)
    slot = (digest ^ (digest >> np.uint64(32))) & mask
    while keys[slot] != key and keys[slot] != np.uint64(0):
        slot = (slot + np.uint64(1)) & mask
    if keys[slot] == key:
        return numbers[slot]
    if new >= 0:
        keys[slot] = key
        numbers[slot] = new
    return new


@njit(cache=True, nogil=True)
def _shared(candidate_bits: UInt64s, reference_bits: UInt64s, out: Int64s) -> None:
    """Count the common columns of each row of `candidate_bits` with each row of `reference_bits`."""
    rows, columns, words = len(candidate_bits), len(reference_bits), candidate_bits.shape[1]
    for i in range(rows):
        for j in range(columns):
            total = np.uint64(0)
            for k in range(words):
                total += _bits(candidate_bits[i, k] & reference_bits[j, k])
            out[i * columns + j] = np.int64(total)


@njit(cache=True, nogil=True)
def match_pairs(
    symbols: Int64s,
    offsets: Int64s,
    lists: Int64s,
    reference_symbols: Int64s,
    reference_offsets: Int64s,
    reference_lists: Int64s,
    order: int,
) -> Int64s:
    """Return clipped matches of every candidate with every reference of its list, for n-grams of 1 to `order` symbols.

    List i has the candidates ``lists[i]:lists[i + 1]``, and references likewise. Order of pairs: list, candidate, reference; shape
    (pairs, order). Numbering is linear in the symbols; a pair needs one operation per 64 n-grams of its list.
    """
    n = len(lists) - 1
    pairs = 0
    largest = 1
    longest = 1
    for i in range(n):
        pairs += (lists[i + 1] - lists[i]) * (reference_lists[i + 1] - reference_lists[i])
        largest = max(largest, reference_offsets[reference_lists[i + 1]] - reference_offsets[reference_lists[i]])
        longest = max(longest, offsets[lists[i + 1]] - offsets[lists[i]])
    out = np.zeros((order, pairs), np.int64)
    room = room_for(largest)
    keys = np.zeros(room, np.uint64)
    numbers = np.zeros(room, np.int32)
    # For each n-gram: its first column, the next column for the present text, the last column, and the present text.
    first = np.zeros(largest, np.int32)
    now = np.zeros(largest, np.int32)
    last = np.zeros(largest, np.int32)
    owner = np.zeros(largest, np.int32)
    after = np.zeros(largest, np.int32)
    reference_numbers = np.zeros(largest, np.int32)
    reference_places = np.zeros(largest, np.int32)
    candidate_numbers = np.zeros(longest, np.int32)
    begin = 0
    for i in range(n):
        candidates, references = lists[i + 1] - lists[i], reference_lists[i + 1] - reference_lists[i]
        base, reference_base = offsets[lists[i]], reference_offsets[reference_lists[i]]
        size = reference_offsets[reference_lists[i + 1]] - reference_base
        slots = room_for(size)
        mask = np.uint64(slots - 1)
        reference_numbers[:size] = 0
        candidate_numbers[: offsets[lists[i + 1]] - base] = 0
        for length in range(order):
            keys[:slots] = np.uint64(0)
            grams = columns = 0
            for r in range(references):
                row = reference_lists[i] + r
                for at in range(reference_offsets[row], reference_offsets[row + 1] - length):
                    place = at - reference_base
                    gram = gram_number(keys, numbers, mask, reference_numbers[place], reference_symbols[at + length], grams)
                    reference_numbers[place] = gram
                    if gram == grams:
                        grams += 1
                        first[gram] = NO_NUMBER
                        owner[gram] = NO_NUMBER
                    if owner[gram] != r:
                        owner[gram] = r
                        now[gram] = first[gram]
                        last[gram] = NO_NUMBER
                    column = now[gram]
                    if column == NO_NUMBER:
                        column = columns
                        columns += 1
                        after[column] = NO_NUMBER
                        if last[gram] == NO_NUMBER:
                            first[gram] = column
                        else:
                            after[last[gram]] = column
                    last[gram] = column
                    now[gram] = after[column]
                    reference_places[place] = column
            if columns == 0:
                break
            words = columns // 64 + 1
            reference_bits = np.zeros((references, words), np.uint64)
            for r in range(references):
                row = reference_lists[i] + r
                for at in range(reference_offsets[row], reference_offsets[row + 1] - length):
                    column = reference_places[at - reference_base]
                    reference_bits[r, column >> 6] |= np.uint64(1) << np.uint64(column & 63)
            bits = np.zeros((candidates, words), np.uint64)
            for c in range(candidates):
                row = lists[i] + c
                for at in range(offsets[row], offsets[row + 1] - length):
                    place = at - base
                    if candidate_numbers[place] == NO_NUMBER:
                        continue
                    gram = gram_number(keys, numbers, mask, candidate_numbers[place], symbols[at + length], NO_NUMBER)
                    candidate_numbers[place] = gram
                    if gram == NO_NUMBER:
                        continue
                    if owner[gram] != references + c:
                        owner[gram] = references + c
                        now[gram] = first[gram]
                    column = now[gram]
                    if column != NO_NUMBER:
                        bits[c, column >> 6] |= np.uint64(1) << np.uint64(column & 63)
                        now[gram] = after[column]
            _shared(bits, reference_bits, out[length, begin : begin + candidates * references])
        begin += candidates * references
    return out.T.copy()
