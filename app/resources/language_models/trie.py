"""Scores of batches by a memory-mapped KenLM trie.

KenLM's Python binding makes an object per word and holds the interpreter's lock, so a compiled kernel reads the file here. Scores
agree with KenLM to the last bit of its floats.
"""

from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numba import njit

from app.arrays import Float64s, Int32s, Int64s, UInt8s, UInt64s
from app.resources.language_models.header import BinaryHeader, not_a_model
from app.resources.language_models.layout import trie_layout
from app.resources.language_models.scores import SentenceScores, WordScores
from app.text.batch import TokenColumn
from app.text.hashing import hash_tokens, rows_of_keys

__all__ = ["TrieModel", "find_row", "float_of", "read_bits"]


@dataclass(frozen=True)
class TrieModel:
    """A back-off n-gram model in KenLM's unquantised trie format, mapped from its file.

    `data` are the bytes of the file; the n-grams of order n + 1 begin at ``starts[n]``. An entry has `word_bits` of its word and
    ``next_bits[n]`` of the first row of its successors. `begin` and `end` are the words of a sentence's begin and end.
    """

    order: int
    data: UInt8s
    _hashes: UInt64s
    starts: Int64s
    next_bits: Int64s
    word_bits: int
    begin: int
    end: int

    @classmethod
    def open(cls, path: Path, head: BinaryHeader) -> "TrieModel":
        """Map a KenLM trie that `check_binary` accepted; InputError if it has no words."""
        # <unk>, <s> and </s> are words.
        if head.counts[0] < 3:
            raise not_a_model(path, "is damaged: it has no words")
        layout = trie_layout(path, head)
        data = np.memmap(path, np.uint8, "r")
        hashes = data[head.size + 8 : head.size + 8 * head.counts[0]].view(np.uint64)
        starts = np.array([layout.unigrams, *(table.start for table in layout.tables)], np.int64)
        next_bits = np.array([0, *(table.next_bits for table in layout.tables)], np.int64)
        model = cls(head.order, data, hashes, starts, next_bits, layout.word_bits, 0, 0)
        begin, end = model.lookup(hash_tokens(["<s>", "</s>"]))
        object.__setattr__(model, "begin", int(begin))
        object.__setattr__(model, "end", int(end))
        return model

    def lookup(self, hashes: UInt64s) -> Int32s:
        """Number of the word with each hash, 0 for unknown words; shape (n,)."""
        return (rows_of_keys(self._hashes, hashes) + 1).astype(np.int32)

    def score(self, column: TokenColumn) -> SentenceScores:
        """Scores of every segment. O(tokens × order × log vocabulary)."""
        return self.score_both(column)[0]

    def score_both(self, column: TokenColumn) -> tuple[SentenceScores, WordScores]:
        """Scores of every segment and every word, in one pass."""
        words = self.lookup(column.hashes)[column.ids] if len(column.ids) else np.empty(0, np.int32)
        log_prob, orders, *sums = _score(
            self.data, self.starts, self.next_bits, self.word_bits, self.order, words, column.offsets, self.begin, self.end
        )
        return SentenceScores(*sums), WordScores(log_prob, orders)


@njit(cache=True, inline="always")
def read_bits(data: UInt8s, base: int, bit: int, size: int) -> int:
    """Number in `size` bits (at most 57) from bit `bit` after byte `base`."""
    # Unsigned, since numba checks signed indices for negative values.
    position = np.uint64(base + (bit >> 3))
    value = np.uint64(0)
    for b in range(8):
        value |= np.uint64(data[position + np.uint64(b)]) << np.uint64(8 * b)
    return np.int64((value >> np.uint64(bit & 7)) & ((np.uint64(1) << np.uint64(size)) - np.uint64(1)))  # type: ignore[return-value]


@njit(cache=True, inline="always")
def float_of(bits: int) -> float:
    """The float32 with these bits, as float64; numba has no reinterpreting cast."""
    if bits & 0x7FFFFFFF == 0:
        return 0.0
    exponent = (bits >> 23) & 0xFF
    mantissa = bits & 0x7FFFFF
    value = (mantissa | 0x800000) * 2.0 ** (exponent - 150) if exponent else mantissa * 2.0**-149
    return -value if bits & 0x80000000 else value


@njit(cache=True, inline="always")
def find_row(data: UInt8s, base: int, width: int, word_bits: int, low: int, high: int, word: int) -> int:
    """Row of `word` in [low, high), or -1."""
    while low < high:
        middle = (low + high) >> 1
        entry = read_bits(data, base, middle * width, word_bits)
        if entry == word:
            return middle
        if entry < word:
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
    context_length: int,
    backoffs: Float64s,
    word: int,
    out: Float64s,
) -> tuple[float, int]:
    """log10 p(word | context) and the order of the longest known n-gram; writes the back-offs of its suffixes to `out`."""
    position = starts[0] + 16 * word
    prob = float_of(read_bits(data, position, 0, 32))
    out[0] = float_of(read_bits(data, position, 32, 32))
    low, high = read_bits(data, position + 8, 0, 48), read_bits(data, position + 24, 0, 48)
    matched_order = 1
    for n in range(1, order):
        if n > context_length:
            break
        is_highest = n == order - 1
        width = word_bits + 31 if is_highest else word_bits + 63 + next_bits[n]
        row = find_row(data, starts[n], width, word_bits, low, high, context[n - 1])
        if row < 0:
            break
        bit = row * width + word_bits
        prob = -float_of(read_bits(data, starts[n], bit, 31))
        matched_order += 1
        if is_highest:
            break
        out[n] = float_of(read_bits(data, starts[n], bit + 31, 32))
        low = read_bits(data, starts[n], bit + 63, next_bits[n])
        high = read_bits(data, starts[n], bit + width + 63, next_bits[n])
    for n in range(matched_order - 1, context_length):
        prob += backoffs[n]
    return prob, matched_order


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
    matched_orders = np.zeros(len(words) + n, np.int64)
    total = np.zeros(n)
    ends = np.zeros(n)
    unknown = np.zeros(n, np.int64)
    order_sums = np.zeros(n, np.int64)
    context = np.zeros(order, np.int32)
    backoffs = np.zeros(order)
    next_backoffs = np.zeros(order)
    for i in range(n):
        context[0] = begin
        backoffs[0] = float_of(read_bits(data, starts[0] + 16 * begin, 32, 32))
        context_length = 1
        for t in range(offsets[i], offsets[i + 1] + 1):
            word = end if t == offsets[i + 1] else words[t]
            prob, length = _word(data, starts, next_bits, word_bits, order, context, context_length, backoffs, word, next_backoffs)
            log_prob[t + i] = prob
            # A model may have n-grams with <unk>, for example from SRILM's -unk.
            context_length = min(length, order - 1)
            if word == 0:
                unknown[i] += 1
            else:
                total[i] += prob
                matched_orders[t + i] = length
                order_sums[i] += length
            if t == offsets[i + 1]:
                ends[i] = prob
            for k in range(order - 1, 0, -1):
                context[k] = context[k - 1]
            context[0] = word
            for k in range(order):
                backoffs[k] = next_backoffs[k]
    return log_prob, matched_orders, total, ends, unknown, order_sums
