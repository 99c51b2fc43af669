"""MurmurHash64A of tokens: the identity that every resource shares.

KenLM's vocabulary is a sorted list of these hashes (seed 0). One hash per distinct token of a batch
finds the token in language models, n-gram counts and lexical tables.
"""

from collections.abc import Sequence

import numpy as np
from numba import njit

from app.arrays import Int64s, UInt8s, UInt64s
from app.text.packed_texts import PackedTexts

__all__ = ["combine", "combine_all", "find_key", "hash_slices", "hash_tokens", "rows_of_keys"]


@njit(cache=True, nogil=True)
def hash_slices(data: UInt8s, begins: Int64s, ends: Int64s) -> UInt64s:
    """MurmurHash64A (A. Appleby, public domain), seed 0, of each slice ``data[begins[i]:ends[i]]``; shape (n,)."""
    m = np.uint64(0xC6A4A7935BD1E995)
    r = np.uint64(47)
    n = len(begins)
    out = np.empty(n, np.uint64)
    for i in range(n):
        begin, end = begins[i], ends[i]
        length = end - begin
        h = np.uint64(length) * m
        at = begin
        for _ in range(length // 8):
            k = np.uint64(0)
            for b in range(8):
                k |= np.uint64(data[at + b]) << np.uint64(8 * b)
            at += 8
            k *= m
            k ^= k >> r
            k *= m
            h ^= k
            h *= m
        if at < end:
            for b in range(end - at):
                h ^= np.uint64(data[at + b]) << np.uint64(8 * b)
            h *= m
        h ^= h >> r
        h *= m
        h ^= h >> r
        out[i] = h
    return out


@njit(cache=True, inline="always")
def combine(left: np.uint64, right: np.uint64) -> np.uint64:
    """Key of an n-gram, from the key of its first n - 1 tokens and the hash of its last token."""
    h = (left ^ (left >> np.uint64(29))) * np.uint64(0xBF58476D1CE4E5B9)
    h = (h + right) * np.uint64(0x94D049BB133111EB)
    return h ^ (h >> np.uint64(32))


def hash_tokens(tokens: Sequence[str]) -> UInt64s:
    """Hash of each token's UTF-8 bytes; shape (len(tokens),)."""
    texts = PackedTexts.of(tokens)
    return hash_slices(texts.data, texts.offsets[:-1], texts.offsets[1:])


@njit(cache=True, inline="always")
def find_key(keys: UInt64s, key: np.uint64, low: int, high: int) -> int:
    """Row of `key` among the sorted ``keys[low:high]``, or -1."""
    end = high
    while low < high:
        middle = (low + high) >> 1
        if keys[middle] < key:
            low = middle + 1
        else:
            high = middle
    return low if low < end and keys[low] == key else -1


@njit(cache=True, nogil=True)
def rows_of_keys(keys: UInt64s, hashes: UInt64s) -> Int64s:
    """Row of each hash in the sorted `keys`, -1 for a hash outside them; shape (n,)."""
    out = np.empty(len(hashes), np.int64)
    for i in range(len(hashes)):
        out[i] = find_key(keys, hashes[i], 0, len(keys))
    return out


@njit(cache=True, nogil=True)
def combine_all(left: UInt64s, right: UInt64s) -> UInt64s:
    """Apply `combine` to each pair of elements; shape (n,)."""
    out = np.empty(len(left), np.uint64)
    for i in range(len(left)):
        out[i] = combine(left[i], right[i])
    return out
