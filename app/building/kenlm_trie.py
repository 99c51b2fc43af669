"""Writing KenLM's binary "trie" format (version 5, unquantised) without KenLM's build tools.

The Python package of KenLM reads binaries but cannot write them. Layout: sanity header, fixed
parameters, counts, sorted vocabulary hashes, unigram records, bit-packed middle orders, bit-packed
longest order, vocabulary strings. N-grams are stored last word first, so an entry's children
are the words that may stand before it.
"""

import struct
from pathlib import Path

import numpy as np

from app.arrays import Float64s, Int64s, UInt8s
from app.building.kneser_ney import BackoffModel
from app.text.hashing import hash_tokens

__all__ = ["write_kenlm_trie"]

MAGIC = b"mmap lm http://kheafield.com/code format version 5\n\0"
TRIE, SEARCH_VERSION = 2, 1
# KenLM marks a context without extensions by a back-off of minus zero.
NO_EXTENSION = -0.0


def write_kenlm_trie(model: BackoffModel, path: Path) -> None:
    """Write a model as a trie that KenLM memory-maps."""
    counts = [len(order.log_prob) for order in model.orders]
    hashes = hash_tokens(model.vocabulary)
    by_hash = np.argsort(hashes[1:], kind="stable") + 1
    rank = np.zeros(counts[0], np.int64)
    rank[by_hash] = np.arange(1, counts[0])
    vocabulary = np.zeros(counts[0] + 1, np.uint64)
    vocabulary[0] = counts[0] - 1
    vocabulary[1 : counts[0]] = hashes[by_hash]
    names = [b"<unk>"] + [model.vocabulary[i].encode("utf-8") for i in by_hash]
    with path.open("wb") as out:
        out.write(_header(counts))
        out.write(vocabulary.tobytes())
        for piece in _search(model, rank, counts):
            out.write(piece)
        out.write(b"\0".join(names) + b"\0")


def _header(counts: list[int]) -> bytes:
    sanity = MAGIC.ljust(-(-len(MAGIC + b"\0") // 8) * 8, b"\0")
    sanity += struct.pack("<fffIIIQ", 0.0, 1.0, -0.5, 1, 2**32 - 1, 0, 1)
    parameters = struct.pack("<B3xfIB3xI", len(counts), 1.5, TRIE, 1, SEARCH_VERSION)
    header = sanity + parameters + struct.pack(f"<{len(counts)}Q", *counts)
    return header.ljust(-(-len(header) // 8) * 8, b"\0")


def _search(model: BackoffModel, word_rank: Int64s, counts: list[int]) -> list[bytes]:
    """Unigram, middle and longest tables, each n-gram sorted by its reversed words."""
    pieces: list[bytes] = []
    rank = word_rank
    order_of = np.argsort(word_rank)
    parents: list[Int64s] = []
    sorted_rows = [order_of]
    for order in model.orders[1:]:
        parent = rank[order.suffix]
        rows = np.lexsort((word_rank[order.first], parent))
        parents.append(parent[rows])
        sorted_rows.append(rows)
        rank = np.empty(len(rows), np.int64)
        rank[rows] = np.arange(len(rows))
    for n, order in enumerate(model.orders):
        rows = sorted_rows[n]
        prob = order.log_prob[rows]
        words = word_rank[order.first[rows]]
        if n + 1 == len(counts):
            pieces.append(_packed([(words, _bits(counts[0])), (_float31(prob), 31)], len(rows), 0))
            continue
        has_extension = np.zeros(len(rows), bool)
        has_extension[:] = np.isin(rows, model.orders[n + 1].prefix)
        backoff = np.where(has_extension | (order.backoff[rows] != 0), order.backoff[rows], NO_EXTENSION)
        begins = np.searchsorted(parents[n], np.arange(len(rows) + 1)).astype(np.int64)
        if n == 0:
            pieces.append(_unigrams(prob, backoff, begins))
        else:
            fields = [
                (words, _bits(counts[0])),
                (_float31(prob), 31),
                (backoff.astype(np.float32).view(np.uint32).astype(np.int64), 32),
                (begins[:-1], _bits(counts[n + 1])),
            ]
            pieces.append(_packed(fields, len(rows), int(begins[-1])))
    return pieces


def _unigrams(prob: Float64s, backoff: Float64s, begins: Int64s) -> bytes:
    record = np.zeros(len(prob) + 2, np.dtype([("prob", "<f4"), ("backoff", "<f4"), ("next", "<u8")]))
    record["prob"][:-2] = prob
    record["backoff"][:-2] = backoff
    record["next"][:-1] = begins
    return record.tobytes()


def _bits(largest: int) -> int:
    return largest.bit_length()


def _float31(prob: Float64s) -> Int64s:
    """The bits of a non-positive float without its sign."""
    return (prob.astype(np.float32).view(np.uint32) & np.uint32(0x7FFFFFFF)).astype(np.int64)


def _packed(fields: list[tuple[Int64s, int]], entries: int, end: int) -> bytes:
    """Little-endian bit packing, with one closing entry whose last field is `end`, and slack to read past."""
    width = sum(size for _, size in fields)
    total = ((1 + entries) * width + 7) // 8 + 8
    bits: UInt8s = np.zeros((entries + 1, width), np.uint8)
    at = 0
    for values, size in fields:
        for bit in range(size):
            bits[:-1, at + bit] = (values >> bit) & 1
        at += size
    for bit in range(fields[-1][1]):
        bits[-1, width - fields[-1][1] + bit] = (end >> bit) & 1
    return np.packbits(bits.reshape(-1), bitorder="little").tobytes().ljust(total, b"\0")
