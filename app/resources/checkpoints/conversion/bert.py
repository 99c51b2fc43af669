"""Encoders of BERT's family as graphs: BERT, RoBERTa, XLM-R (with InfoXLM, MiniLM) and BLEURT's, which projects its words."""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

import numpy as np

from app.arrays import Float32s
from app.resources.checkpoints.conversion.graph import Graph
from app.resources.checkpoints.conversion.refusal import refused
from app.resources.checkpoints.conversion.weights import Weights

__all__ = ["BertSizes", "LayerMix", "bert_tables", "read_sizes", "write_bert"]

FAMILY: Final = ("bert", "bleurt", "roberta", "xlm-roberta")
# Those whose places are counted from behind the number of padding.
ROBERTA: Final = ("roberta", "xlm-roberta")
ACTIVATIONS: Final = ("gelu", "gelu_new", "relu")


@dataclass(frozen=True)
class BertSizes:
    """What the configuration says; `projected` is the width of words where they are projected, else that of layers."""

    kind: str
    layers: int
    width: int
    heads: int
    projected: int
    activation: str
    epsilon: float
    places: int
    pad: int

    @property
    def first_place(self) -> int:
        """Where places are counted from."""
        return self.pad + 1 if self.kind in ROBERTA else 0

    @property
    def longest(self) -> int:
        """Most tokens that have places."""
        return self.places - self.first_place


@dataclass(frozen=True)
class LayerMix:
    """How outputs of layers, the words first, become one: their weights, and whether each is normalised over its sentence."""

    weights: Float32s
    normalised: bool


def read_sizes(config: Mapping[str, Any]) -> BertSizes:
    """Sizes of an encoder by its config.json; InputError where it is none of the family, or says what is not understood."""
    kind = config.get("model_type")
    if kind not in FAMILY:
        raise refused(f"the encoder's config.json says model_type {kind!r}; encoders of {', '.join(FAMILY)} are imported")
    if config.get("position_embedding_type", "absolute") != "absolute":
        raise refused(f"the encoder has places of type {config['position_embedding_type']!r}; absolute ones are imported")
    activation = config.get("hidden_act", "gelu")
    if activation not in ACTIVATIONS:
        raise refused(f"the encoder's activation is {activation!r}; {', '.join(ACTIVATIONS)} are imported")
    try:
        width = int(config["hidden_size"])
        sizes = BertSizes(
            kind,
            int(config["num_hidden_layers"]),
            width,
            int(config["num_attention_heads"]),
            int(config.get("embedding_size") or width),
            activation,
            float(config.get("layer_norm_eps", 1e-12)),
            int(config["max_position_embeddings"]),
            int(config.get("pad_token_id", 1 if kind in ROBERTA else 0)),
        )
    except (KeyError, TypeError, ValueError):
        raise refused("the encoder's config.json lacks sizes of its layers, or they are no numbers") from None
    if min(sizes.layers, sizes.width, sizes.heads, sizes.projected, sizes.longest - 8) < 1 or sizes.width % sizes.heads:
        raise refused("the sizes in the encoder's config.json do not fit one another")
    return sizes


def bert_tables(weights: Weights, prefix: str, sizes: BertSizes) -> tuple[Float32s, Float32s, Float32s]:
    """The tables of words, of places and of kinds."""
    before = f"{prefix}embeddings."
    return (
        weights.shaped(f"{before}word_embeddings.weight", -1, sizes.projected),
        weights.shaped(f"{before}position_embeddings.weight", sizes.places, sizes.projected),
        weights.shaped(f"{before}token_type_embeddings.weight", -1, sizes.projected),
    )


def write_bert(path: Path, weights: Weights, prefix: str, sizes: BertSizes, mix: LayerMix | None = None) -> None:
    """Write the graph behind the tables; its output is the last layer's, or the `mix` of all."""
    graph = Graph()
    x = graph.layer_norm("embedded", *_norm(weights, f"{prefix}embeddings.LayerNorm", sizes.projected), sizes.epsilon)
    projection = f"{prefix}encoder.embedding_projection"
    if f"{projection}.weight" in weights:
        x = graph.linear(x, *_linear(weights, projection, sizes.width, sizes.projected))
    elif sizes.projected != sizes.width:
        raise refused(f"the checkpoint lacks the tensor {projection}.weight")
    mixed = _Mixing(graph, mix)
    mixed.add(x)
    for number in range(sizes.layers):
        x = _layer(graph, x, weights, f"{prefix}encoder.layer.{number}.", sizes)
        mixed.add(x)
    # Layers that are in the checkpoint and not in the configuration would be left out.
    if f"{prefix}encoder.layer.{sizes.layers}.output.dense.weight" in weights:
        raise refused(f"the checkpoint has more layers than the {sizes.layers} of the encoder's config.json")
    graph.write(path, [("embedded", "float", ["batch", "length", sizes.projected])], mixed.output(x), sizes.width)


def _layer(graph: Graph, x: str, weights: Weights, prefix: str, sizes: BertSizes) -> str:
    width, attention = sizes.width, f"{prefix}attention."
    query, key, value = (
        graph.linear(x, *_linear(weights, f"{attention}self.{name}", width, width)) for name in ("query", "key", "value")
    )
    attended = graph.attention(query, key, value, sizes.heads, 1 / float(np.sqrt(width // sizes.heads)))
    attended = graph.linear(attended, *_linear(weights, f"{attention}output.dense", width, width))
    x = graph.layer_norm(graph.node("Add", attended, x), *_norm(weights, f"{attention}output.LayerNorm", width), sizes.epsilon)
    inner = graph.linear(x, *_linear(weights, f"{prefix}intermediate.dense", -1, width))
    outer = graph.linear(graph.activated(inner, sizes.activation), *_linear(weights, f"{prefix}output.dense", width, -1))
    return graph.layer_norm(graph.node("Add", outer, x), *_norm(weights, f"{prefix}output.LayerNorm", width), sizes.epsilon)


def _linear(weights: Weights, name: str, rows: int, columns: int) -> tuple[Float32s, Float32s]:
    weight = weights.shaped(f"{name}.weight", rows, columns)
    return weight, weights.shaped(f"{name}.bias", len(weight))


def _norm(weights: Weights, name: str, width: int) -> tuple[Float32s, Float32s]:
    return weights.shaped(f"{name}.weight", width), weights.shaped(f"{name}.bias", width)


class _Mixing:
    """The weighted sum of layers; those whose weight is 0 are left out of the graph."""

    def __init__(self, graph: Graph, mix: LayerMix | None) -> None:
        self._graph, self._mix = graph, mix
        self._added = 0
        self._sum: str | None = None

    def add(self, x: str) -> None:
        """One more layer."""
        if self._mix is None:
            return
        weight = float(self._mix.weights[self._added])
        self._added += 1
        if weight == 0:
            return
        scaled = self._graph.node("Mul", self._normalised(x) if self._mix.normalised else x, self._graph.number(weight))
        self._sum = scaled if self._sum is None else self._graph.node("Add", self._sum, scaled)

    def output(self, last: str) -> str:
        """What the graph gives."""
        if self._mix is None:
            return last
        if self._sum is None:
            raise refused("the weights of all layers are 0")
        return self._sum

    def _normalised(self, x: str) -> str:
        """Mean 0 and variance 1 over all numbers of a sentence."""
        graph = self._graph
        moved = graph.node("Sub", x, graph.node("ReduceMean", x, axes=[1, 2], keepdims=1))
        variance = graph.node("ReduceMean", graph.node("Mul", moved, moved), axes=[1, 2], keepdims=1)
        return graph.node("Div", moved, graph.node("Sqrt", graph.node("Add", variance, graph.number(1e-12))))
