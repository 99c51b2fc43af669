"""Where the tables of a KenLM binary lie, by its header and the few bytes that say how tables are packed.

Facts of KenLM's format version 5. Behind the header stands the vocabulary, then the tables by order, then, where the header says
so, the words themselves, ``<unk>`` first. Nothing but the numbers that are asked for is read here.
"""

from dataclasses import dataclass
from pathlib import Path
from typing import Final

import numpy as np

from app.resources.language_models.header import ARRAYS, PROBING_KINDS, QUANTISED, BinaryHeader, not_a_model

__all__ = ["HashTable", "PackedTable", "ProbingLayout", "TrieLayout", "probing_layout", "trie_layout"]

QUANTISER_VERSION: Final = 2
# KenLM reads a bin's number in a piece of 32 bits, which may begin in the middle of a byte.
MOST_QUANTISER_BITS: Final = 25
PROBABILITY_BITS, BACKOFF_BITS = 31, 32
UNIGRAM: Final = 16
# What is read past the last bit, since bits are read eight bytes at a time.
SLACK: Final = 8


@dataclass(frozen=True)
class PackedTable:
    """N-grams of one order in a trie: `rows` and a closing one at byte `start`, each of `width` bits, the word's first.

    The last `next_bits` of a row say where the n-grams begin that it is the end of; the longest n-grams have none. With arrays
    these are the lower bits alone, and `offsets` whole numbers at byte `offsets_start` the rows at which the higher ones change.
    """

    start: int
    rows: int
    width: int
    next_bits: int
    offsets_start: int = 0
    offsets: int = 0


@dataclass(frozen=True)
class TrieLayout:
    """A trie: sorted hashes behind their number at byte `vocabulary`, records of words at `unigrams`, tables of longer n-grams."""

    vocabulary: int
    unigrams: int
    word_bits: int
    tables: tuple[PackedTable, ...]
    end: int


@dataclass(frozen=True)
class HashTable:
    """`buckets` entries of `width` bytes at byte `start`; each begins with its key, which is 0 in an empty one."""

    start: int
    buckets: int
    width: int

    @property
    def end(self) -> int:
        """The byte behind the table."""
        return self.start + self.buckets * self.width


@dataclass(frozen=True)
class ProbingLayout:
    """Probing tables: version and bound of the vocabulary at byte `bound`, its table, and one for each order above the first."""

    bound: int
    vocabulary: HashTable
    tables: tuple[HashTable, ...]
    end: int


def probing_layout(head: BinaryHeader) -> ProbingLayout:
    """Where the tables of a probing model lie; models with rest costs have one number more in each entry but the longest."""
    weights = PROBING_KINDS[head.kind]
    vocabulary = HashTable(head.size + 8, _buckets(head.counts[0], head.multiplier), 12)
    at = vocabulary.end + (head.counts[0] + 1) * weights
    tables = []
    for n, count in enumerate(head.counts[1:], 2):
        tables.append(HashTable(at, _buckets(count, head.multiplier), 12 if n == head.order else 8 + weights))
        at = tables[-1].end
    return ProbingLayout(head.size, vocabulary, tuple(tables), at)


def _buckets(entries: int, multiplier: float) -> int:
    """KenLM multiplies in single precision."""
    return max(entries + 1, int(np.float32(multiplier) * np.float32(entries)))


def trie_layout(path: Path, head: BinaryHeader) -> TrieLayout:
    """Where the tables of a trie lie; InputError where it says that numbers are packed as KenLM does not."""
    words = head.counts[0]
    at = head.size + 8 + 8 * words
    probability, backoff = PROBABILITY_BITS, BACKOFF_BITS
    if head.kind in QUANTISED:
        probability, backoff = _quantiser_bits(path, at)
        at += 8 + 4 * ((head.order - 2) * (2**probability + 2**backoff) + 2**probability)
    unigrams = at
    at += UNIGRAM * (words + 2)
    most_chopped = _most_chopped_bits(path, at) if head.kind in ARRAYS and head.order > 2 else 0
    tables = []
    for n in range(1, head.order):
        rows, width = head.counts[n], words.bit_length() + probability
        below = head.counts[n + 1] if n + 1 < head.order else 0
        if n + 1 == head.order:
            tables.append(PackedTable(at, rows, width, 0))
        elif head.kind in ARRAYS:
            tables.append(_array_table(at, rows, width + backoff, below, most_chopped))
        else:
            bits = below.bit_length()
            tables.append(PackedTable(at, rows, width + backoff + bits, bits))
        at = tables[-1].start + ((rows + 1) * tables[-1].width + 7) // 8 + SLACK
    return TrieLayout(head.size, unigrams, words.bit_length(), tuple(tables), at)


def _array_table(at: int, rows: int, width: int, below: int, most_chopped: int) -> PackedTable:
    """A table with the array of its offsets before it, which begins behind eight bytes at a multiple of eight."""
    chopped = _chopped_bits(rows + 1, below, most_chopped)
    bits = below.bit_length() - chopped
    offsets = (below >> bits) + 1
    return PackedTable(at + 8 * (1 + offsets) + 7, rows, width + bits, bits, -(-at // 8) * 8 + 8, offsets)


def _chopped_bits(rows: int, below: int, most: int) -> int:
    """How many bits go into the array: those that save most, the fewest where several do."""
    required = below.bit_length()
    return min(range(min(required, most) + 1), key=lambda chopped: (below >> (required - chopped)) * 64 - rows * chopped)


def _quantiser_bits(path: Path, at: int) -> tuple[int, int]:
    version, probability, backoff = _bytes_at(path, at, 3)
    if version != QUANTISER_VERSION or not 1 <= min(probability, backoff) <= max(probability, backoff) <= MOST_QUANTISER_BITS:
        raise not_a_model(path, "is damaged: its numbers are quantised as by no version of KenLM")
    return probability, backoff


def _most_chopped_bits(path: Path, at: int) -> int:
    version, most = _bytes_at(path, at, 2)
    if version != 0:
        raise not_a_model(path, "is damaged: its arrays are as by no version of KenLM")
    return most


def _bytes_at(path: Path, at: int, size: int) -> bytes:
    with path.open("rb") as file:
        file.seek(at)
        raw = file.read(size)
    if len(raw) < size:
        raise not_a_model(path, "is cut short")
    return raw
