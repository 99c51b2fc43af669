"""Encoders of BERT's family as graphs: BERT, RoBERTa, XLM-R (with InfoXLM, MiniLM), and BLEURT's with its projection of words."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import reduce
from operator import add
from pathlib import Path
from typing import Any, Final

from app.arrays import Float32s
from app.resources.checkpoints.checkpoint import ENCODER
from app.resources.checkpoints.conversion.graph import write_graph
from app.resources.checkpoints.conversion.parts import write_words
from app.resources.checkpoints.conversion.refusal import needed_package, refused
from app.resources.checkpoints.conversion.texts import CheckpointTokeniser
from app.resources.checkpoints.conversion.weights import Weights

__all__ = ["BertSizes", "LayerMix", "read_sizes", "special_tokens", "write_bert"]

FAMILY: Final = ("bert", "bleurt", "roberta", "xlm-roberta")
# Their positions are counted from behind the number of padding.
ROBERTA: Final = ("roberta", "xlm-roberta")
NUMBERS: Final = ("hidden_size", "intermediate_size", "num_hidden_layers", "num_attention_heads", "max_position_embeddings")
ACTIVATIONS: Final = ("gelu", "gelu_new", "relu")


@dataclass(frozen=True)
class BertSizes:
    """`config` is a BertConfig of transformers; `word_width` is the width of words before their projection, or that of layers."""

    config: Any
    word_width: int
    roberta: bool
    bleurt: bool

    @property
    def width(self) -> int:
        """Numbers in a vector of a layer."""
        return int(self.config.hidden_size)

    @property
    def positions(self) -> int:
        """Rows in the table of positions."""
        return int(self.config.max_position_embeddings)

    @property
    def first_position(self) -> int:
        """The position of the first token."""
        return int(self.config.pad_token_id) + 1 if self.roberta else 0

    @property
    def longest(self) -> int:
        """Most tokens that have positions."""
        return self.positions - self.first_position


@dataclass(frozen=True)
class LayerMix:
    """Weights of the outputs of layers, the words first; `normalised` outputs have mean 0 and variance 1 over their sentence."""

    weights: Float32s
    normalised: bool


def read_sizes(config: Mapping[str, Any]) -> BertSizes:
    """Sizes of an encoder by its config.json; InputError where it is outside the family, or has an unknown setting."""
    kind = config.get("model_type")
    if kind not in FAMILY:
        raise refused(f"the encoder's config.json says model_type {kind!r}; encoders of {', '.join(FAMILY)} are imported")
    if config.get("position_embedding_type", "absolute") != "absolute":
        raise refused(f"the encoder has positions of type {config['position_embedding_type']!r}; absolute ones are imported")
    activation = config.get("hidden_act", "gelu")
    if activation not in ACTIVATIONS:
        raise refused(f"the encoder's activation is {activation!r}; {', '.join(ACTIVATIONS)} are imported")
    bert, roberta = needed_package("transformers.models.bert.modeling_bert"), kind in ROBERTA
    try:
        numbers = {name: int(config[name]) for name in NUMBERS}
        bert_config = bert.BertConfig(
            **numbers,
            hidden_act=activation,
            layer_norm_eps=float(config.get("layer_norm_eps", 1e-12)),
            pad_token_id=int(config.get("pad_token_id", 1 if roberta else 0)),
            attn_implementation="eager",
        )
        sizes = BertSizes(bert_config, int(config.get("embedding_size") or bert_config.hidden_size), roberta, kind == "bleurt")
    except (KeyError, TypeError, ValueError):
        raise refused("the encoder's config.json lacks sizes of its layers, or they are no numbers") from None
    if min(*numbers.values(), sizes.word_width, sizes.longest - 8) < 1 or sizes.width % bert_config.num_attention_heads:
        raise refused("the sizes in the encoder's config.json do not fit one another")
    return sizes


def special_tokens(tokeniser: CheckpointTokeniser, sizes: BertSizes) -> dict[str, Any]:
    """Fields of the model card: special tokens around a text, and the first position number."""
    return {
        "begin": tokeniser.number("<s>" if sizes.roberta else "[CLS]"),
        "end": tokeniser.number("</s>" if sizes.roberta else "[SEP]"),
        "pad": int(sizes.config.pad_token_id),
        "separators": 2 if sizes.roberta else 1,
        "first_place": sizes.first_position,
        "padding_has_no_place": sizes.roberta,
    }


def write_bert(
    folder: Path, weights: Weights, prefix: str, sizes: BertSizes, tokeniser: CheckpointTokeniser, mix: LayerMix | None = None
) -> dict[str, Float32s]:
    """Write the graph behind the tables, and the table of words; return the tables of positions and of kinds of tokens.

    The graph gives the last layer's output, or the `mix` of all.
    """
    torch = needed_package("torch")
    # Layers that are in the checkpoint and not in the configuration would be lost.
    if f"{prefix}encoder.layer.{sizes.config.num_hidden_layers}.output.dense.weight" in weights:
        raise refused(f"the checkpoint has more layers than the {sizes.config.num_hidden_layers} of the encoder's config.json")
    modules = _modules(weights, prefix, sizes)
    norm, encoder = modules["embeddings"]["LayerNorm"], modules["encoder"]

    def forward(embedded: Any) -> Any:
        x = norm(embedded)
        if "embedding_projection" in encoder:
            x = encoder["embedding_projection"](x)
        outputs = [x]
        for layer in encoder["layer"]:
            x = layer(x)
            # A tuple in transformers 4.
            x = x[0] if isinstance(x, tuple) else x
            outputs.append(x)
        return x if mix is None else _mixed(outputs, mix)

    inputs = {"embedded": (torch.zeros(1, 5, sizes.word_width), {0: "batch", 1: "length"})}
    write_graph(folder / ENCODER, weights, prefix, modules, forward, inputs)
    tables = f"{prefix}embeddings."
    write_words(folder, weights.shaped(f"{tables}word_embeddings.weight", -1, sizes.word_width), tokeniser)
    return {
        "places": weights.shaped(f"{tables}position_embeddings.weight", sizes.positions, sizes.word_width),
        "kinds": weights.shaped(f"{tables}token_type_embeddings.weight", -1, sizes.word_width),
    }


def _modules(weights: Weights, prefix: str, sizes: BertSizes) -> dict[str, Any]:
    """Layers of transformers' BERT, which RoBERTa, XLM-R and BLEURT share; without weights."""
    torch, bert = needed_package("torch"), needed_package("transformers.models.bert.modeling_bert")
    with torch.device("meta"):
        norm = torch.nn.LayerNorm(sizes.word_width, sizes.config.layer_norm_eps)
        encoder = {"layer": torch.nn.ModuleList(bert.BertLayer(sizes.config) for _ in range(sizes.config.num_hidden_layers))}
        if sizes.word_width != sizes.width or f"{prefix}encoder.embedding_projection.weight" in weights:
            encoder["embedding_projection"] = torch.nn.Linear(sizes.word_width, sizes.width)
    return {"embeddings": torch.nn.ModuleDict({"LayerNorm": norm}), "encoder": torch.nn.ModuleDict(encoder)}


def _mixed(outputs: Sequence[Any], mix: LayerMix) -> Any:
    """The weighted sum of layers, without those of weight 0."""
    weighted = zip(mix.weights, outputs, strict=True)
    terms = [float(weight) * (_normalised(x) if mix.normalised else x) for weight, x in weighted if weight]
    if not terms:
        raise refused("the weights of all layers are 0")
    return reduce(add, terms)


def _normalised(x: Any) -> Any:
    """Mean 0 and variance 1 over all numbers of a sentence."""
    difference = x - x.mean((1, 2), keepdim=True)
    return difference / (difference.square().mean((1, 2), keepdim=True) + 1e-12).sqrt()
