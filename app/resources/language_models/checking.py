"""Check of a KenLM binary before use: every number that KenLM or the kernel follows must point into its table.

A damaged or malicious file could otherwise lead out of the mapped bytes, which ends the process, or cause an endless search in a
full table. Probabilities are not checked, since a wrong one only gives a wrong score. The file is read once, in pieces.
"""

from collections.abc import Iterator
from pathlib import Path
from typing import Final

import numpy as np

from app.arrays import UInt8s, UInt64s
from app.resources.language_models.header import PROBING_KINDS, BinaryHeader, not_a_model
from app.resources.language_models.layout import HashTable, PackedTable, ProbingLayout, TrieLayout, probing_layout, trie_layout

__all__ = ["check_binary"]

# Rows of a piece: their numbers fit a processor's cache.
PIECE: Final = 1 << 16
FIRST_WORD: Final = b"<unk>\0"
# KenLM numbers words in 32 bits.
LARGEST_VOCABULARY: Final = 2**32 - 2
UINT64: Final = np.dtype("<u8")


def check_binary(path: Path, head: BinaryHeader) -> None:
    """Raise InputError if a look-up in the model could leave the file or never end. O(size of the file)."""
    if head.counts[0] > LARGEST_VOCABULARY:
        raise not_a_model(path, "is damaged: its header has more words than KenLM can number")
    layout = probing_layout(head) if head.kind in PROBING_KINDS else trie_layout(path, head)
    size = path.stat().st_size
    if layout.end > size:
        raise not_a_model(path, f"is cut short or damaged: its header asks for {layout.end} bytes, and it has {size}")
    data = np.asarray(np.memmap(path, np.uint8, "r"))
    if head.words and data[layout.end : layout.end + len(FIRST_WORD)].tobytes() != FIRST_WORD:
        raise not_a_model(path, "is damaged: its words are not where its header says")
    wrong = _wrong_probing(data, head, layout) if isinstance(layout, ProbingLayout) else _wrong_trie(data, head, layout)
    if wrong:
        raise not_a_model(path, f"is damaged: {wrong}")


def _wrong_probing(data: UInt8s, head: BinaryHeader, layout: ProbingLayout) -> str:
    bound = int(_numbers(data, layout.bound, 2, np.dtype("<u4"))[1])
    # The model of an ARPA file without <unk> has one word more than its count.
    if not 1 <= bound <= head.counts[0] + 1:
        return f"its vocabulary ends at word {bound}, of {head.counts[0]}"
    vocabulary = layout.vocabulary
    # Empty buckets are checked too: their key is a possible hash.
    for words in _column(data, vocabulary, 8, np.dtype("<u4")):
        if words.max() >= bound:
            return f"its vocabulary has word {words.max()}, of {bound}"
    for order, table in enumerate((vocabulary, *layout.tables)):
        if not any((keys == 0).any() for keys in _column(data, table, 0, UINT64)):
            return f"its table {order} has no empty bucket, where a search ends"
    return ""


def _column(data: UInt8s, table: HashTable, offset: int, kind: "np.dtype[np.unsignedinteger]") -> Iterator[UInt64s]:
    """Numbers `offset` bytes into each bucket, in pieces."""
    for begin in range(0, table.buckets, PIECE):
        rows = min(PIECE, table.buckets - begin)
        yield _numbers(data, table.start + begin * table.width + offset, rows, kind, table.width)


def _wrong_trie(data: UInt8s, head: BinaryHeader, layout: TrieLayout) -> str:
    count = int(_numbers(data, layout.vocabulary, 1)[0])
    if count != head.counts[0] - 1:
        return f"its vocabulary has {count} words beside <unk>, and its header says {head.counts[0]} with it"
    if _falls(_longs(data, layout.vocabulary + 8, count, 8), 2**64 - 1):
        return "its vocabulary is not in order"
    if _falls(_longs(data, layout.unigrams + 8, head.counts[0] + 1, 16), head.counts[1]):
        return "its words point outside its 2-grams, or backwards"
    for n, table in enumerate(layout.tables, 2):
        if table.offsets and _wrong_offsets(data, table):
            return f"its array of {n}-grams is not in order from 0"
        if any(words.max() >= head.counts[0] for words in _bits(data, table, table.rows, 0, layout.word_bits)):
            return f"its {n}-grams have words that are not in its vocabulary"
        if n < head.order and _falls(_pointers(data, table), head.counts[n]):
            return f"its {n}-grams point outside its {n + 1}-grams, or backwards"
    return ""


def _falls(pieces: Iterator[UInt64s], maximum: int) -> bool:
    """Return True if numbers ever fall, or if the last is above `maximum`."""
    last = np.uint64(0)
    for piece in pieces:
        if piece[0] < last or (piece[1:] < piece[:-1]).any():
            return True
        last = piece[-1]
    return int(last) > maximum


def _wrong_offsets(data: UInt8s, table: PackedTable) -> bool:
    """Return True unless the offsets begin with 0, never fall and end within the table."""
    first = int(_numbers(data, table.offsets_start, 1)[0])
    return first != 0 or _falls(_longs(data, table.offsets_start, table.offsets, 8), table.rows)


def _pointers(data: UInt8s, table: PackedTable) -> Iterator[UInt64s]:
    """First row of each row's successors in the next table, for all rows and the closing row."""
    offsets = _numbers(data, table.offsets_start, table.offsets)
    begin = 0
    for lower in _bits(data, table, table.rows + 1, table.width - table.next_bits, table.next_bits):
        if table.offsets:
            rows = np.arange(begin, begin + len(lower), dtype=np.uint64)
            higher = (np.searchsorted(offsets, rows, "right") - 1).astype(np.uint64)
            lower = lower | higher << np.uint64(table.next_bits)
        yield lower
        begin += len(lower)


def _bits(data: UInt8s, table: PackedTable, rows: int, first: int, size: int) -> Iterator[UInt64s]:
    """`size` bits of each row from its bit `first` on, in pieces.

    Every eighth row begins at the same bit of a byte, `width` bytes further, so eight strided views cover all rows.
    """
    mask = np.uint64(2**size - 1)
    for begin in range(0, rows, PIECE):
        count = min(PIECE, rows - begin)
        piece = np.empty(count, np.uint64)
        for r in range(min(8, count)):
            byte, shift = divmod((begin + r) * table.width + first, 8)
            column = piece[r::8]
            words = _numbers(data, table.start + byte, len(column), stride=table.width)
            np.right_shift(words, np.uint64(shift), out=column)
        piece &= mask
        yield piece


def _longs(data: UInt8s, start: int, rows: int, stride: int) -> Iterator[UInt64s]:
    """Numbers of eight bytes, one every `stride` bytes, in pieces."""
    for begin in range(0, rows, PIECE):
        yield _numbers(data, start + begin * stride, min(PIECE, rows - begin), stride=stride)


def _numbers(data: UInt8s, start: int, rows: int, kind: "np.dtype[np.unsignedinteger]" = UINT64, stride: int = 0) -> UInt64s:
    """View of `rows` numbers from byte `start`, `stride` bytes apart; numpy raises an error beyond the end of the file."""
    return np.ndarray((rows,), kind, data, start, (stride or kind.itemsize,))
