"""Positions of the tables of a KenLM binary, from its header and the few bytes that describe the packing of tables.

In KenLM's format version 5, the vocabulary follows the header, then the tables by order, then optionally the words with ``<unk>``
first.
"""

from dataclasses import dataclass
from pathlib import Path
from typing import Final

import numpy as np

from app.resources.language_models.header import ARRAY_KINDS, PROBING_KINDS, QUANTISED_KINDS, BinaryHeader, not_a_model

__all__ = ["HashTable", "PackedTable", "ProbingLayout", "TrieLayout", "probing_layout", "trie_layout"]

QUANTISER_VERSION: Final = 2
# KenLM reads a bin's number from 32 bits at a byte, and the number may begin within that byte.
LARGEST_BIN_BITS: Final = 25
PROBABILITY_BITS, BACKOFF_BITS = 31, 32
UNIGRAM: Final = 16
# Bytes after the last bit, since bits are read eight bytes at a time.
SLACK: Final = 8


@dataclass(frozen=True)
class PackedTable:
    """N-grams of one order in a trie: `rows` rows and a closing row from byte `start`, of `width` bits each.

    A row begins with the bits of its word. Its last `next_bits` are the first row of its successors in the next table; the highest
    order has none. With arrays, these are the lower bits only; the higher bits change at the rows that `offsets` numbers from byte
    `offsets_start` list.
    """

    start: int
    rows: int
    width: int
    next_bits: int
    offsets_start: int = 0
    offsets: int = 0


@dataclass(frozen=True)
class TrieLayout:
    """Layout of a trie: the number of hashes and sorted hashes at byte `vocabulary`, unigrams at `unigrams`, further tables."""

    vocabulary: int
    unigrams: int
    word_bits: int
    tables: tuple[PackedTable, ...]
    end: int


@dataclass(frozen=True)
class HashTable:
    """Table of `buckets` entries of `width` bytes from byte `start`. An entry begins with its key, 0 if it is empty."""

    start: int
    buckets: int
    width: int

    @property
    def end(self) -> int:
        """Position after the table."""
        return self.start + self.buckets * self.width


@dataclass(frozen=True)
class ProbingLayout:
    """Layout of probing tables: version and bound of the vocabulary at byte `bound`, its table, and tables of orders from 2."""

    bound: int
    vocabulary: HashTable
    tables: tuple[HashTable, ...]
    end: int


def probing_layout(head: BinaryHeader) -> ProbingLayout:
    """Layout of a probing model; with rest costs, entries below the highest order have a further number."""
    weights = PROBING_KINDS[head.kind]
    vocabulary = HashTable(head.size + 8, _buckets(head.counts[0], head.multiplier), 12)
    position = vocabulary.end + (head.counts[0] + 1) * weights
    tables = []
    for n, count in enumerate(head.counts[1:], 2):
        tables.append(HashTable(position, _buckets(count, head.multiplier), 12 if n == head.order else 8 + weights))
        position = tables[-1].end
    return ProbingLayout(head.size, vocabulary, tuple(tables), position)


def _buckets(entries: int, multiplier: float) -> int:
    """Number of buckets, with KenLM's product in single precision."""
    return max(entries + 1, int(np.float32(multiplier) * np.float32(entries)))


def trie_layout(path: Path, head: BinaryHeader) -> TrieLayout:
    """Layout of a trie; InputError if its packing is unknown to KenLM."""
    words = head.counts[0]
    position = head.size + 8 + 8 * words
    probability, backoff = PROBABILITY_BITS, BACKOFF_BITS
    if head.kind in QUANTISED_KINDS:
        probability, backoff = _quantiser_bits(path, position)
        position += 8 + 4 * ((head.order - 2) * (2**probability + 2**backoff) + 2**probability)
    unigrams = position
    position += UNIGRAM * (words + 2)
    largest_offset_bits = _largest_offset_bits(path, position) if head.kind in ARRAY_KINDS and head.order > 2 else 0
    tables = []
    for n in range(1, head.order):
        rows, width = head.counts[n], words.bit_length() + probability
        next_rows = head.counts[n + 1] if n + 1 < head.order else 0
        if n + 1 == head.order:
            tables.append(PackedTable(position, rows, width, 0))
        elif head.kind in ARRAY_KINDS:
            tables.append(_array_table(position, rows, width + backoff, next_rows, largest_offset_bits))
        else:
            bits = next_rows.bit_length()
            tables.append(PackedTable(position, rows, width + backoff + bits, bits))
        position = tables[-1].start + ((rows + 1) * tables[-1].width + 7) // 8 + SLACK
    return TrieLayout(head.size, unigrams, words.bit_length(), tuple(tables), position)


def _array_table(position: int, rows: int, width: int, next_rows: int, largest_offset_bits: int) -> PackedTable:
    """A table after the array of its offsets, which begins eight bytes after a multiple of eight."""
    offset_bits = _offset_bits(rows + 1, next_rows, largest_offset_bits)
    bits = next_rows.bit_length() - offset_bits
    offsets = (next_rows >> bits) + 1
    return PackedTable(position + 8 * (1 + offsets) + 7, rows, width + bits, bits, -(-position // 8) * 8 + 8, offsets)


def _offset_bits(rows: int, next_rows: int, limit: int) -> int:
    """Number of bits in the array that saves the most memory; the smallest of equals."""
    required = next_rows.bit_length()
    return min(range(min(required, limit) + 1), key=lambda bits: (next_rows >> (required - bits)) * 64 - rows * bits)


def _quantiser_bits(path: Path, position: int) -> tuple[int, int]:
    version, probability, backoff = _bytes_at(path, position, 3)
    if version != QUANTISER_VERSION or not 1 <= min(probability, backoff) <= max(probability, backoff) <= LARGEST_BIN_BITS:
        raise not_a_model(path, "is damaged: no version of KenLM quantises like this")
    return probability, backoff


def _largest_offset_bits(path: Path, position: int) -> int:
    version, bits = _bytes_at(path, position, 2)
    if version != 0:
        raise not_a_model(path, "is damaged: no version of KenLM writes such arrays")
    return bits


def _bytes_at(path: Path, position: int, size: int) -> bytes:
    with path.open("rb") as file:
        file.seek(position)
        raw = file.read(size)
    if len(raw) < size:
        raise not_a_model(path, "is cut short")
    return raw
