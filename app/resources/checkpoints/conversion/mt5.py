"""mT5 as MetricX uses it: the encoder, and one step of the decoder, whose vector one row of the output layer scores."""

from collections.abc import Mapping
from copy import copy
from pathlib import Path
from typing import Any, Final

import numpy as np

from app.arrays import Float32s
from app.resources.checkpoints.checkpoint import DECODER, ENCODER
from app.resources.checkpoints.conversion.graph import write_graph
from app.resources.checkpoints.conversion.refusal import needed_package, refused
from app.resources.checkpoints.conversion.weights import Weights

__all__ = ["output_row", "read_t5_config", "write_mt5"]


NUMBERS: Final = ("num_layers", "d_model", "d_kv", "d_ff", "num_heads")


def read_t5_config(config: Mapping[str, Any]) -> Any:
    """transformers' MT5Config of the sizes in config.json; InputError where they are absent or unknown."""
    projection = config.get("feed_forward_proj", "gated-gelu")
    if projection != "gated-gelu":
        raise refused(f"config.json says feed_forward_proj {projection!r}; mT5's gated-gelu is imported")
    mt5 = needed_package("transformers.models.mt5.modeling_mt5")
    try:
        mt5_config = mt5.MT5Config(
            **{name: int(config[name]) for name in NUMBERS},
            num_decoder_layers=int(config.get("num_decoder_layers") or config["num_layers"]),
            relative_attention_num_buckets=int(config.get("relative_attention_num_buckets", 32)),
            relative_attention_max_distance=int(config.get("relative_attention_max_distance", 128)),
            layer_norm_epsilon=float(config.get("layer_norm_epsilon", 1e-6)),
            feed_forward_proj="gated-gelu",
            attn_implementation="eager",
        )
    except (KeyError, TypeError, ValueError):
        raise refused("config.json lacks sizes of the layers, or they are no numbers") from None
    if (
        min(mt5_config.num_decoder_layers, *(getattr(mt5_config, name) for name in NUMBERS)) < 1
        or mt5_config.relative_attention_num_buckets < 4
    ):
        raise refused("the sizes in config.json do not fit one another")
    return mt5_config


def write_mt5(folder: Path, weights: Weights, config: Any) -> None:
    """Write the graphs of the encoder and of the decoder's first step."""
    _write_encoder(folder / ENCODER, weights, config)
    _write_decoder(folder / DECODER, weights, config)


def output_row(weights: Weights, width: int, token: int, is_tied: bool) -> Float32s:
    """The row of the output layer that scores; shape (1, d). The output layer of a model that `is_tied` is the table of words."""
    matrix = weights.shaped("lm_head.weight" if "lm_head.weight" in weights else "shared.weight", -1, width)
    if token >= len(matrix):
        raise refused(f"the output layer has {len(matrix)} rows, and MetricX reads row {token}")
    row = matrix[token : token + 1]
    # Tied models scale their vectors first.
    return np.asarray(row * width**-0.5 if is_tied else row, np.float32)


def _write_encoder(path: Path, weights: Weights, config: Any) -> None:
    """Write the encoder's graph; its second input is the bucket of the distance between each two tokens, (n, n)."""
    torch = needed_package("torch")
    modules = _modules(config, decoder=False)
    table = modules["block"][0].layer[0].SelfAttention.relative_attention_bias

    def forward(embedded: Any, buckets: Any) -> Any:
        x, bias = embedded, table(buckets).permute(2, 0, 1)[None]
        for block in modules["block"]:
            attention, feed_forward = block.layer
            x = feed_forward(x + attention.SelfAttention(attention.layer_norm(x), position_bias=bias)[0])
        return modules["final_layer_norm"](x)

    inputs = {
        "embedded": (torch.zeros(1, 5, config.d_model), {0: "batch", 1: "length"}),
        "buckets": (torch.zeros(5, 5, dtype=torch.int64), {0: "length", 1: "length"}),
    }
    write_graph(path, weights, "encoder.", modules, forward, inputs)


def _write_decoder(path: Path, weights: Weights, config: Any) -> None:
    """Write the graph of the decoder's first step, which begins with token 0 and attends to all of the encoder's vectors."""
    torch = needed_package("torch")
    modules = _modules(config, decoder=True)
    start = torch.from_numpy(weights.shaped("shared.weight", -1, config.d_model)[:1])[None]

    def forward(vectors: Any) -> Any:
        x, bias = start, torch.zeros(1, 1, 1, 1)
        for block in modules["block"]:
            attention, cross, feed_forward = block.layer
            # Attention to one token alone is that token's value.
            x = x + attention.SelfAttention.o(attention.SelfAttention.v(attention.layer_norm(x)))
            y = cross.layer_norm(x)
            x = feed_forward(x + cross.EncDecAttention(y, key_value_states=vectors, position_bias=bias)[0])
        return modules["final_layer_norm"](x)

    inputs = {"encoded": (torch.zeros(1, 5, config.d_model), {0: "batch", 1: "length"})}
    write_graph(path, weights, "decoder.", modules, forward, inputs)


def _modules(config: Any, decoder: bool) -> dict[str, Any]:
    """The blocks of transformers' mT5, without weights; in the encoder the first has the table of distances."""
    torch, mt5 = needed_package("torch"), needed_package("transformers.models.mt5.modeling_mt5")
    config = copy(config)
    config.is_decoder = decoder
    layers = config.num_decoder_layers if decoder else config.num_layers
    with torch.device("meta"):
        blocks = [mt5.MT5Block(config, number == 0 and not decoder, number) for number in range(layers)]
        norm = mt5.MT5LayerNorm(config.d_model, config.layer_norm_epsilon)
    return {"block": torch.nn.ModuleList(blocks), "final_layer_norm": norm}
