"""Scoring with a memory-mapped KenLM trie, a whole batch at a time.

KenLM's own Python binding makes one object per word and holds the interpreter lock; this reads the
same file with a compiled kernel. Scores agree with KenLM to the last bit of its floats.
"""

from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numba import njit

from app.arrays import Float64s, Int32s, Int64s, UInt8s, UInt64s
from app.errors import InputError
from app.text.batch import TokenColumn
from app.text.hashing import hash_tokens

__all__ = ["LanguageModel", "SentenceScores", "WordScores"]

MAGIC = b"mmap lm http://kheafield.com/code format version 5\n"
SANITY_SIZE = 56 + 32
TRIE = 2


@dataclass(frozen=True)
class SentenceScores:
    """Per segment: log10 probability of its known words and end of sentence, and how many words are unknown.

    All of shape (n,). Begin of sentence is the context of the first word; the end counts as a word.
    `end_log_prob` is the end's part of `log_prob`. `matched` is the sum of the orders of the n-grams that the model
    knows at each word and at the end (0 for an unknown word): how far it had to back off.
    """

    log_prob: Float64s
    end_log_prob: Float64s
    unknown: Int64s
    matched: Int64s


@dataclass(frozen=True)
class WordScores:
    """Per word, and per end of segment after the segment's words; both of shape (tokens + n,).

    `log_prob` is log10 p(word | words before it), `matched` the order of the longest n-gram known there: 0 for an unknown word.
    """

    log_prob: Float64s
    matched: Int64s


@dataclass(frozen=True)
class LanguageModel:
    """A back-off n-gram model in KenLM's unquantised trie format, mapped from its file."""

    order: int
    counts: tuple[int, ...]
    _data: UInt8s
    _hashes: UInt64s
    _starts: Int64s
    _next_bits: Int64s
    _word_bits: int
    _begin: int
    _end: int

    @classmethod
    def open(cls, path: Path) -> "LanguageModel":
        """Map a KenLM trie binary; InputError if the file is something else."""
        if path.stat().st_size < SANITY_SIZE + 64:
            raise InputError("invalid-table", f"{path.name} is too short to be a KenLM binary")
        data = np.memmap(path, np.uint8, "r")
        if bytes(data[: len(MAGIC)]) != MAGIC:
            raise InputError("invalid-table", f"{path.name} is not a KenLM binary of format version 5")
        order, model_type = int(data[SANITY_SIZE]), int(data[SANITY_SIZE + 8])
        if model_type != TRIE or order < 2:
            raise InputError("invalid-table", f"{path.name} is not an unquantised KenLM trie of order 2 or more")
        counts = data[SANITY_SIZE + 20 : SANITY_SIZE + 20 + 8 * order].view(np.uint64).astype(np.int64)
        header = -(-(SANITY_SIZE + 20 + 8 * order) // 8) * 8
        hashes = data[header + 8 : header + 8 * int(counts[0])].view(np.uint64)
        word_bits = int(counts[0]).bit_length()
        starts = [header + 8 + 8 * int(counts[0])]
        starts.append(starts[0] + 16 * (int(counts[0]) + 2))
        next_bits = [0]
        for n in range(1, order - 1):
            next_bits.append(int(counts[n + 1]).bit_length())
            starts.append(starts[-1] + ((int(counts[n]) + 1) * (word_bits + 63 + next_bits[-1]) + 7) // 8 + 8)
        next_bits.append(0)
        end_of_tables = starts[-1] + (int(counts[-1]) * (word_bits + 31) + 7) // 8
        # A corpus of short lines has no n-grams of the highest orders.
        if word_bits > 32 or counts[0] < 1 or (counts < 0).any() or end_of_tables > len(data):
            raise InputError("invalid-table", f"{path.name} is cut short or damaged")
        model = cls(
            order,
            tuple(int(count) for count in counts),
            data,
            hashes,
            np.array(starts, np.int64),
            np.array(next_bits, np.int64),
            word_bits,
            0,
            0,
        )
        begin, end = model._lookup(hash_tokens(["<s>", "</s>"]))
        object.__setattr__(model, "_begin", int(begin))
        object.__setattr__(model, "_end", int(end))
        return model

    def _lookup(self, hashes: UInt64s) -> Int32s:
        at = np.searchsorted(self._hashes, hashes)
        at = np.minimum(at, len(self._hashes) - 1)
        return np.where(self._hashes[at] == hashes, at + 1, 0).astype(np.int32)

    def knows(self, column: TokenColumn) -> Int32s:
        """Word number of each vocabulary entry of `column` in this model, 0 for unknown ones."""
        return self._lookup(column.hashes)

    def score(self, column: TokenColumn) -> SentenceScores:
        """Score every segment; O(tokens × order × log vocabulary)."""
        return self.score_both(column)[0]

    def score_both(self, column: TokenColumn) -> tuple[SentenceScores, WordScores]:
        """Score every segment and every word of it, in one pass."""
        words = self.knows(column)[column.ids] if len(column.ids) else np.empty(0, np.int32)
        log_prob, matched, *sums = _score(
            self._data,
            self._starts,
            self._next_bits,
            self._word_bits,
            self.order,
            words,
            column.offsets,
            self._begin,
            self._end,
        )
        return SentenceScores(*sums), WordScores(log_prob, matched)


@njit(cache=True, inline="always")
def _read(data: UInt8s, base: int, bit: int, size: int) -> int:
    # Unsigned, since a signed index is looked at for counting from the end, eight times here.
    at = np.uint64(base + (bit >> 3))
    value = np.uint64(0)
    for b in range(8):
        value |= np.uint64(data[at + np.uint64(b)]) << np.uint64(8 * b)
    return np.int64((value >> np.uint64(bit & 7)) & ((np.uint64(1) << np.uint64(size)) - np.uint64(1)))  # type: ignore[return-value]


@njit(cache=True, inline="always")
def _float(bits: int) -> float:
    """The float32 with these bits, as float64 (no reinterpreting casts in a kernel)."""
    if bits & 0x7FFFFFFF == 0:
        return 0.0
    exponent = (bits >> 23) & 0xFF
    mantissa = bits & 0x7FFFFF
    value = (mantissa | 0x800000) * 2.0 ** (exponent - 150) if exponent else mantissa * 2.0**-149
    return -value if bits & 0x80000000 else value


@njit(cache=True, inline="always")
def _find(data: UInt8s, base: int, width: int, word_bits: int, low: int, high: int, word: int) -> int:
    """The row in [low, high) whose word is `word`, or -1."""
    while low < high:
        middle = (low + high) >> 1
        found = _read(data, base, middle * width, word_bits)
        if found == word:
            return middle
        if found < word:
            low = middle + 1
        else:
            high = middle
    return -1


@njit(cache=True, nogil=True)
def _word(
    data: UInt8s,
    starts: Int64s,
    next_bits: Int64s,
    word_bits: int,
    order: int,
    context: Int32s,
    have: int,
    backoffs: Float64s,
    word: int,
    out: Float64s,
) -> tuple[float, int]:
    """log10 p(word | context) and the order of the n-gram found; the back-offs of its parts go to `out`."""
    at = starts[0] + 16 * word
    prob = _float(_read(data, at, 0, 32))
    out[0] = _float(_read(data, at, 32, 32))
    low, high = _read(data, at + 8, 0, 48), _read(data, at + 24, 0, 48)
    matched = 1
    for n in range(1, order):
        if n > have:
            break
        last = n == order - 1
        width = word_bits + 31 if last else word_bits + 63 + next_bits[n]
        row = _find(data, starts[n], width, word_bits, low, high, context[n - 1])
        if row < 0:
            break
        bit = row * width + word_bits
        prob = -_float(_read(data, starts[n], bit, 31))
        matched += 1
        if last:
            break
        out[n] = _float(_read(data, starts[n], bit + 31, 32))
        low = _read(data, starts[n], bit + 63, next_bits[n])
        high = _read(data, starts[n], bit + width + 63, next_bits[n])
    for n in range(matched - 1, have):
        prob += backoffs[n]
    return prob, matched


@njit(cache=True, nogil=True)
def _score(
    data: UInt8s,
    starts: Int64s,
    next_bits: Int64s,
    word_bits: int,
    order: int,
    words: Int32s,
    offsets: Int64s,
    begin: int,
    end: int,
) -> tuple[Float64s, Int64s, Float64s, Float64s, Int64s, Int64s]:
    n = len(offsets) - 1
    log_prob = np.zeros(len(words) + n)
    matched = np.zeros(len(words) + n, np.int64)
    total = np.zeros(n)
    ends = np.zeros(n)
    unknown = np.zeros(n, np.int64)
    orders = np.zeros(n, np.int64)
    context = np.zeros(order, np.int32)
    backoffs = np.zeros(order)
    fresh = np.zeros(order)
    for i in range(n):
        context[0] = begin
        backoffs[0] = _float(_read(data, starts[0] + 16 * begin, 32, 32))
        have = 1
        for t in range(offsets[i], offsets[i + 1] + 1):
            word = end if t == offsets[i + 1] else words[t]
            prob, found = _word(data, starts, next_bits, word_bits, order, context, have, backoffs, word, fresh)
            log_prob[t + i] = prob
            if word == 0:
                unknown[i] += 1
                have = 0
            else:
                total[i] += prob
                matched[t + i] = found
                orders[i] += found
                have = min(found, order - 1)
            if t == offsets[i + 1]:
                ends[i] = prob
            for k in range(order - 1, 0, -1):
                context[k] = context[k - 1]
            context[0] = word
            for k in range(order):
                backoffs[k] = fresh[k]
    return log_prob, matched, total, ends, unknown, orders
