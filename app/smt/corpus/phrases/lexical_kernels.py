"""Lexical weights of phrase pairs (Koehn et al. 2003)."""

import numpy as np
from numba import njit

from app.arrays import Float64s, Int64s, UInt8s, UInt64s

__all__ = ["NULL_WORD", "lexical_weight", "make_table", "pair_keys", "word_hash"]

PRIME = np.uint64(0x100000001B3)
BASIS = np.uint64(0xCBF29CE484222325)
MIX = np.uint64(0x9E3779B97F4A7C15)


@njit(cache=True, nogil=True)
def word_hash(text: UInt8s, begin: int, end: int) -> np.uint64:
    """Hash of the bytes of a word or phrase, 64 bits: FNV-1a with a final mix."""
    value = BASIS
    for place in range(begin, end):
        value = (value ^ np.uint64(text[place])) * PRIME
    return _mixed(value)


@njit(cache=True, inline="always")
def _mixed(value: np.uint64) -> np.uint64:
    value = (value ^ (value >> np.uint64(32))) * MIX
    return value ^ (value >> np.uint64(29))


@njit(cache=True, inline="always")
def _pair(target: np.uint64, source: np.uint64) -> np.uint64:
    # 0 marks a free slot.
    return _mixed(target * MIX + source) | np.uint64(1)


@njit(cache=True, nogil=True)
def pair_keys(text: UInt8s, begins: Int64s, ends: Int64s) -> UInt64s:
    """Keys of pairs of words; spans ``2 k`` and ``2 k + 1`` are pair k; shape (pairs,)."""
    keys = np.empty(len(begins) // 2, np.uint64)
    for pair in range(len(keys)):
        first = word_hash(text, begins[2 * pair], ends[2 * pair])
        keys[pair] = _pair(first, word_hash(text, begins[2 * pair + 1], ends[2 * pair + 1]))
    return keys


@njit(cache=True, nogil=True)
def make_table(keys: UInt64s, values: Float64s) -> tuple[UInt64s, Float64s]:
    """Keys and values as an open-addressed table, at most half full; its size is a power of two."""
    size = 16
    while size < 2 * len(keys):
        size *= 2
    slots, numbers = np.zeros(size, np.uint64), np.zeros(size)
    for pair in range(len(keys)):
        at = np.int64(keys[pair] & np.uint64(size - 1))
        while slots[at] and slots[at] != keys[pair]:
            at = (at + 1) & (size - 1)
        slots[at], numbers[at] = keys[pair], values[pair]
    return slots, numbers


@njit(cache=True, inline="always")
def _probability(slots: UInt64s, numbers: Float64s, key: np.uint64) -> float:
    """Probability of a pair of words; 1 if the table lacks it, as in Moses."""
    at = np.int64(key & np.uint64(len(slots) - 1))
    while slots[at]:
        if slots[at] == key:
            return numbers[at]
        at = (at + 1) & (len(slots) - 1)
    return 1.0


NULL_WORD = np.frombuffer(b"NULL", np.uint8)


@njit(cache=True, nogil=True)
def lexical_weight(targets: UInt64s, sources: UInt64s, null: np.uint64, links: Int64s, slots: UInt64s, numbers: Float64s) -> float:
    """Product over target words of the mean ``w(target | source)`` of the linked source words; unlinked words use NULL.

    `links` has, for each target word, the positions of its source words plus 1, then a 0.
    """
    weight = 1.0
    at = 0
    for word in targets:
        total = 0.0
        count = 0
        while links[at]:
            total += _probability(slots, numbers, _pair(word, sources[links[at] - 1]))
            count += 1
            at += 1
        at += 1
        weight *= total / count if count else _probability(slots, numbers, _pair(word, null))
    return weight
