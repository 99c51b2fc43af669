"""The cross-encoder in PyTorch: the layers of multilingual-e5-small over both texts at once, with a head for each label.

The first layers and the table of words stay as released; the later layers are trained.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np
import torch
from torch import Tensor, nn
from torch.nn import functional

from app.resources.pieces import PieceTable
from app.resources.pieces.table import block_vectors
from scripts.encoder.rows import LABELS
from scripts.encoder.weights_file import EncoderWeights

__all__ = ["LAYERS", "PAIR_WIDTH", "SOURCE_TAGS", "TARGET_TAGS", "CrossEncoder", "PieceBatch", "trained_state"]

# Of twelve released layers. With a quarter of the rows, eight learn more than twelve.
LAYERS: Final = 8
PAIR_WIDTH: Final = 32
HIDDEN: Final = 256
DROPOUT: Final = 0.1
# Tags of a target token: wrong word, gap before it, part of an error, part of a major error. Of a source token: wrong word.
TARGET_TAGS: Final = 4
SOURCE_TAGS: Final = 1


@dataclass(frozen=True)
class PieceBatch:
    """Ids (n, t), sides (n, t): 0 source and its signs, 1 translation and its signs, -1 padding, and text masks (n, t)."""

    ids: Tensor
    sides: Tensor
    in_source: Tensor
    in_target: Tensor
    pair: Tensor


class SharedDropout(nn.Module):
    """Dropout of equal numbers in all pieces of a pair; random numbers for each piece took a seventh of the time."""

    def forward(self, x: Tensor) -> Tensor:
        """Vectors (n, t, h)."""
        return x * functional.dropout(x.new_ones(len(x), 1, x.shape[2]), DROPOUT) if self.training else x


class Layer(nn.Module):
    """A layer of BERT, with norms after its two parts."""

    def __init__(self, width: int, heads: int, inner: int, epsilon: float) -> None:
        super().__init__()
        self.heads = heads
        self.qkv = nn.Linear(width, 3 * width)
        self.out = nn.Linear(width, width)
        self.out_norm = nn.LayerNorm(width, eps=epsilon)
        self.wide = nn.Linear(width, inner)
        self.narrow = nn.Linear(inner, width)
        self.narrow_norm = nn.LayerNorm(width, eps=epsilon)
        self.drop = SharedDropout()

    def forward(self, x: Tensor, mask: Tensor | None) -> Tensor:
        """Vectors (n, t, h); `mask` (n, 1, 1, t), if there is one, is added to the scores of attention."""
        n, t, h = x.shape
        q, k, v = self.qkv(x).view(n, t, 3, self.heads, h // self.heads).permute(2, 0, 3, 1, 4)
        # Products of matrices are faster here than the fused attention, whose backward pass is slow on processors.
        scores = (q * (h // self.heads) ** -0.5) @ k.transpose(-1, -2)
        weights = (scores if mask is None else scores + mask).softmax(-1).to(v.dtype)
        context = (weights @ v).transpose(1, 2).reshape(n, t, h)
        x = self.out_norm(x + self.drop(self.out(context)))
        return self.narrow_norm(x + self.drop(self.narrow(functional.gelu(self.wide(x)))))


class CrossEncoder(nn.Module):
    """Heads of labels (n, LABELS) and of tokens' tags over the last of the first `layers` layers."""

    def __init__(self, file: EncoderWeights, table: PieceTable, pairs: Sequence[str], layers: int = LAYERS) -> None:
        super().__init__()
        shape = file.shape
        self.pairs = tuple(pairs)
        # A third of the layers stay as released.
        self.frozen = layers // 3
        self.table = table
        places = file.floats["emb.pos"].reshape(-1, shape.width) + file.floats["emb.type"][: shape.width]
        self.register_buffer("places", torch.from_numpy(places.copy()), persistent=False)
        self.norm = nn.LayerNorm(shape.width, eps=shape.epsilon)
        self.layers = nn.ModuleList(Layer(shape.width, shape.heads, shape.inner, shape.epsilon) for _ in range(layers))
        self._read(file)
        self.side = nn.Parameter(torch.zeros(2, shape.width))
        self.pair = nn.Embedding(len(pairs) + 1, PAIR_WIDTH)
        self.target_tags = nn.Linear(shape.width, TARGET_TAGS)
        self.source_tags = nn.Linear(shape.width, SOURCE_TAGS)
        self.join = nn.Linear(3 * shape.width + PAIR_WIDTH + TARGET_TAGS + SOURCE_TAGS, HIDDEN)
        self.label = nn.Linear(HIDDEN, len(LABELS))
        self.drop = nn.Dropout(DROPOUT)
        for part in (self.norm, *self.layers[: self.frozen]):
            part.requires_grad_(requires_grad=False)

    def _read(self, file: EncoderWeights) -> None:
        def put(module: nn.Module, weight: np.ndarray, bias: np.ndarray) -> None:
            with torch.no_grad():
                module.weight.copy_(torch.from_numpy(weight.copy()).view_as(module.weight))
                module.bias.copy_(torch.from_numpy(bias.copy()))

        put(self.norm, file.floats["emb.ln.w"], file.floats["emb.ln.b"])
        for k, layer in enumerate(self.layers):
            matrix = {name: block_vectors(file.blocks[f"l{k}.{name}.w"]) for name in ("q", "k", "v", "ao", "fi", "fo")}
            bias = {name: file.floats[f"l{k}.{name}.b"] for name in (*matrix, "aln", "oln")}
            put(layer.qkv, np.concatenate([matrix[name] for name in "qkv"]), np.concatenate([bias[name] for name in "qkv"]))
            for module, name in ((layer.out, "ao"), (layer.wide, "fi"), (layer.narrow, "fo")):
                put(module, matrix[name], bias[name])
            put(layer.out_norm, file.floats[f"l{k}.aln.w"], bias["aln"])
            put(layer.narrow_norm, file.floats[f"l{k}.oln.w"], bias["oln"])

    def train(self, mode: bool = True) -> "CrossEncoder":
        """Set the mode of the trained layers; frozen layers never drop numbers."""
        super().train(mode)
        for layer in self.layers[: self.frozen]:
            layer.eval()
        return self

    def forward(self, batch: PieceBatch) -> tuple[Tensor, Tensor, Tensor]:
        """Labels (n, l), logits of target tags (n, t, 4) and of source tags (n, t, 1), in 32-bit floats."""
        mask = torch.where(batch.sides >= 0, 0.0, -1e4)[:, None, None, :]
        words = torch.from_numpy(self.table.vectors(batch.ids.numpy().ravel())).view(*batch.ids.shape, -1)
        source, target = (side.float() / side.sum(1, keepdim=True).clamp(min=1) for side in (batch.in_source, batch.in_target))
        return self.read(words, batch.sides.clamp(min=0), source, target, batch.pair, mask)

    def read(
        self, vectors: Tensor, sides: Tensor, in_source: Tensor, in_target: Tensor, pair: Tensor, mask: Tensor | None = None
    ) -> tuple[Tensor, Tensor, Tensor]:
        """As `forward`, from vectors of pieces (n, t, h), their sides (n, t) and weights of means over each side (n, t)."""
        with torch.no_grad():
            x = self.norm(vectors + self.places[: vectors.shape[1]])
            for layer in self.layers[: self.frozen]:
                x = layer(x, mask)
        x = x + self.side[sides]
        for layer in self.layers[self.frozen :]:
            x = layer(x, mask)
        x = x.float()
        with torch.autocast("cpu", enabled=False):
            target_tags, source_tags = self.target_tags(x), self.source_tags(x)
            source, target = in_source[..., None], in_target[..., None]
            summary = [x[:, 0], (x * source).sum(1), (x * target).sum(1), self.pair(pair)]
            summary += [(torch.sigmoid(target_tags) * target).sum(1), (torch.sigmoid(source_tags) * source).sum(1)]
            labels = self.label(self.drop(functional.gelu(self.join(self.drop(torch.cat(summary, 1))))))
        return labels, target_tags, source_tags


def trained_state(network: CrossEncoder) -> Mapping[str, Tensor]:
    """Tensors that training changes, by name."""
    names = {name for name, value in network.named_parameters() if value.requires_grad}
    return {name: value for name, value in network.state_dict().items() if name in names}
