"""mT5 as MetricX uses it: the encoder, and one step of the decoder, whose vector one row of the output layer scores."""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from app.arrays import Float32s
from app.resources.checkpoints.conversion.graph import Graph
from app.resources.checkpoints.conversion.refusal import refused
from app.resources.checkpoints.conversion.weights import Weights

__all__ = ["T5Sizes", "output_row", "read_t5_sizes", "write_decoder", "write_encoder"]


@dataclass(frozen=True)
class T5Sizes:
    """What the configuration says."""

    layers: int
    decoder_layers: int
    width: int
    heads: int
    head_width: int
    buckets: int
    farthest: int
    epsilon: float
    tied: bool

    @property
    def inner(self) -> int:
        """Width of all heads together."""
        return self.heads * self.head_width


def read_t5_sizes(config: Mapping[str, Any]) -> T5Sizes:
    """Sizes by config.json; InputError where they are missing or say what is not understood."""
    projection = config.get("feed_forward_proj", "gated-gelu")
    if projection != "gated-gelu":
        raise refused(f"config.json says feed_forward_proj {projection!r}; gated-gelu, which mT5 has, is imported")
    try:
        sizes = T5Sizes(
            int(config["num_layers"]),
            int(config.get("num_decoder_layers") or config["num_layers"]),
            int(config["d_model"]),
            int(config["num_heads"]),
            int(config["d_kv"]),
            int(config.get("relative_attention_num_buckets", 32)),
            int(config.get("relative_attention_max_distance", 128)),
            float(config.get("layer_norm_epsilon", 1e-6)),
            bool(config.get("tie_word_embeddings", False)),
        )
    except (KeyError, TypeError, ValueError):
        raise refused("config.json lacks sizes of the layers, or they are no numbers") from None
    if min(sizes.layers, sizes.decoder_layers, sizes.width, sizes.heads, sizes.head_width) < 1 or sizes.buckets < 4:
        raise refused("the sizes in config.json do not fit one another")
    return sizes


def write_encoder(path: Path, weights: Weights, sizes: T5Sizes) -> None:
    """Write the encoder's graph; its second input says which bucket each two tokens' distance is in."""
    graph = Graph()
    first = "encoder.block.0.layer.0.SelfAttention.relative_attention_bias.weight"
    table = graph.constant(weights.shaped(first, sizes.buckets, sizes.heads))
    bias = graph.node("Transpose", graph.node("Gather", table, "buckets", axis=0), perm=[2, 0, 1])
    x = "embedded"
    for number in range(sizes.layers):
        block = f"encoder.block.{number}.layer."
        y = _norm(graph, x, weights, f"{block}0.layer_norm", sizes)
        query, key, value = (
            _linear(graph, y, weights, f"{block}0.SelfAttention.{name}", sizes.inner, sizes.width) for name in "qkv"
        )
        attended = graph.attention(query, key, value, sizes.heads, 1, bias)
        x = graph.node("Add", x, _linear(graph, attended, weights, f"{block}0.SelfAttention.o", sizes.width, sizes.inner))
        x = _feed_forward(graph, x, weights, f"{block}1.", sizes)
    if f"encoder.block.{sizes.layers}.layer.0.layer_norm.weight" in weights:
        raise refused(f"the checkpoint has more layers than the {sizes.layers} of config.json")
    x = _norm(graph, x, weights, "encoder.final_layer_norm", sizes)
    inputs: list[tuple[str, str, list[int | str]]] = [
        ("embedded", "float", ["batch", "length", sizes.width]),
        ("buckets", "int64", ["length", "length"]),
    ]
    graph.write(path, inputs, x, sizes.width)


def write_decoder(path: Path, weights: Weights, sizes: T5Sizes) -> None:
    """Write the graph of the decoder's first step, which begins with token 0 and sees all of the encoder's vectors."""
    graph = Graph()
    start = weights.shaped("shared.weight", -1, sizes.width)[0]
    x = graph.constant(start.reshape(1, 1, -1))
    for number in range(sizes.decoder_layers):
        block = f"decoder.block.{number}.layer."
        y = _norm(graph, x, weights, f"{block}0.layer_norm", sizes)
        # Attention to one token alone is that token.
        value = _linear(graph, y, weights, f"{block}0.SelfAttention.v", sizes.inner, sizes.width)
        x = graph.node("Add", x, _linear(graph, value, weights, f"{block}0.SelfAttention.o", sizes.width, sizes.inner))
        y = _norm(graph, x, weights, f"{block}1.layer_norm", sizes)
        query = _linear(graph, y, weights, f"{block}1.EncDecAttention.q", sizes.inner, sizes.width)
        key, value = (
            _linear(graph, "encoded", weights, f"{block}1.EncDecAttention.{name}", sizes.inner, sizes.width) for name in "kv"
        )
        attended = graph.attention(query, key, value, sizes.heads, 1)
        x = graph.node("Add", x, _linear(graph, attended, weights, f"{block}1.EncDecAttention.o", sizes.width, sizes.inner))
        x = _feed_forward(graph, x, weights, f"{block}2.", sizes)
    x = _norm(graph, x, weights, "decoder.final_layer_norm", sizes)
    graph.write(path, [("encoded", "float", ["batch", "length", sizes.width])], x, sizes.width)


def output_row(weights: Weights, sizes: T5Sizes, token: int) -> Float32s:
    """The row of the output layer that scores; shape (1, d)."""
    matrix = weights.shaped("lm_head.weight" if "lm_head.weight" in weights else "shared.weight", -1, sizes.width)
    if token >= len(matrix):
        raise refused(f"the output layer has {len(matrix)} rows, and MetricX reads row {token}")
    row = matrix[token : token + 1]
    # Tied models scale their vectors before.
    return np.asarray(row * sizes.width**-0.5 if sizes.tied else row, np.float32)


def _linear(graph: Graph, x: str, weights: Weights, name: str, rows: int, columns: int) -> str:
    return graph.linear(x, weights.shaped(f"{name}.weight", rows, columns))


def _norm(graph: Graph, x: str, weights: Weights, name: str, sizes: T5Sizes) -> str:
    """Scaled to a mean square of 1; nothing is subtracted."""
    square = graph.node("ReduceMean", graph.node("Mul", x, x), axes=[-1], keepdims=1)
    root = graph.node("Sqrt", graph.node("Add", square, graph.number(sizes.epsilon)))
    weight = graph.constant(weights.shaped(f"{name}.weight", sizes.width))
    return graph.node("Mul", graph.node("Div", x, root), weight)


def _feed_forward(graph: Graph, x: str, weights: Weights, prefix: str, sizes: T5Sizes) -> str:
    y = _norm(graph, x, weights, f"{prefix}layer_norm", sizes)
    gate, inner = (_linear(graph, y, weights, f"{prefix}DenseReluDense.{name}", -1, sizes.width) for name in ("wi_0", "wi_1"))
    gated = graph.node("Mul", graph.gelu_new(gate), inner)
    return graph.node("Add", x, _linear(graph, gated, weights, f"{prefix}DenseReluDense.wo", sizes.width, -1))
