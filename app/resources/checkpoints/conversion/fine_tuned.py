"""Checkpoints as transformers saves them: MonoTransQuest, BLEURT's port to PyTorch, MetricX."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any, Final

import numpy as np

from app.arrays import Float32s
from app.resources.checkpoints.conversion.bert import BertSizes, bert_tables, read_sizes, write_bert
from app.resources.checkpoints.conversion.mt5 import output_row, read_t5_sizes, write_decoder, write_encoder
from app.resources.checkpoints.conversion.parts import Imported, special_tokens, words_of
from app.resources.checkpoints.conversion.refusal import refused
from app.resources.checkpoints.conversion.texts import Tokeniser
from app.resources.checkpoints.conversion.weights import Weights

__all__ = ["METRICX", "import_bleurt", "import_metricx", "import_mono"]

# TransQuest cuts pairs at 128 tokens unless model_args.json says otherwise.
MONO_LENGTH: Final = 128
# <extra_id_10>, whose logit MetricX's score is.
SCORING_TOKEN: Final = 250089
# Texts in their order, and the most tokens that its authors let it look at.
METRICX: Final = {
    "23": ("candidate reference", 1024),
    "23-qe": ("candidate source", 1024),
    "24": ("source candidate reference", 1536),
}


def import_mono(folder: Path, weights: Weights, config: Mapping[str, Any], length: int | None, tokeniser: Tokeniser) -> Imported:
    """Write graph and tables of a classifier of pairs with one label."""
    sizes = read_sizes(config)
    prefix = "roberta." if sizes.first_place else "bert."
    write_bert(folder / "encoder.onnx", weights, prefix, sizes)
    words, places, kinds = bert_tables(weights, prefix, sizes)
    words_of(folder, words, tokeniser)
    # RoBERTa's head has a layer of its own, BERT's is the pooler of its encoder.
    hidden, last = ("classifier.dense", "classifier.out_proj") if sizes.first_place else ("bert.pooler.dense", "classifier")
    return Imported(
        "transquest-mono",
        "",
        {"places": places, "kinds": kinds, **_head(weights, (hidden, last), sizes.width)},
        {
            **special_tokens(tokeniser, sizes),
            **_pair(sizes, length or MONO_LENGTH),
            "source": "needed",
            "reference": "unused",
        },
    )


def import_bleurt(folder: Path, weights: Weights, config: Mapping[str, Any], length: int | None, tokeniser: Tokeniser) -> Imported:
    """Write graph and tables of BLEURT."""
    sizes = read_sizes(config)
    write_bert(folder / "encoder.onnx", weights, "bleurt.", sizes)
    words, places, kinds = bert_tables(weights, "bleurt.", sizes)
    words_of(folder, words, tokeniser)
    return Imported(
        "bleurt",
        "",
        {"places": places, "kinds": kinds, **_head(weights, ("bleurt.pooler.dense", "classifier"), sizes.width)},
        {
            **special_tokens(tokeniser, sizes),
            **_pair(sizes, length or sizes.longest),
            "source": "unused",
            "reference": "needed",
        },
    )


def import_metricx(
    folder: Path, weights: Weights, config: Mapping[str, Any], version: str | None, length: int | None, tokeniser: Tokeniser
) -> Imported:
    """Write graphs and tables of mT5 with a regression on one token."""
    if version not in METRICX:
        raise refused(f"a checkpoint of MetricX does not say which texts it takes: --metricx is one of {', '.join(METRICX)}")
    template, longest = METRICX[version]
    sizes = read_t5_sizes(config)
    write_encoder(folder / "encoder.onnx", weights, sizes)
    write_decoder(folder / "decoder.onnx", weights, sizes)
    words_of(folder, weights.shaped("shared.weight", -1, sizes.width), tokeniser)
    return Imported(
        "metricx",
        "",
        {"weight.0": output_row(weights, sizes, SCORING_TOKEN), "bias.0": np.zeros(1, np.float32)},
        {
            "source": "needed" if "source" in template else "unused",
            "reference": "optional" if version == "24" else ("needed" if "reference" in template else "unused"),
            "higher_is_better": False,
            "lowest": 0.0,
            "highest": 25.0,
            "dimensions": sizes.width,
            "longest": length or longest,
            "longest_part": length or longest,
            "template": template,
            "buckets": sizes.buckets,
            "farthest": sizes.farthest,
        },
    )


def _pair(sizes: BertSizes, length: int) -> dict[str, Any]:
    """Members of the card that pairs of texts have."""
    if not 8 <= length <= sizes.longest:
        raise refused(f"sequences of {length} tokens do not fit the {sizes.longest} places of the encoder")
    return {
        "dimensions": sizes.width,
        "longest": length,
        "longest_part": length,
        "two_kinds": sizes.first_place == 0,
        "activation": "tanh",
    }


def _head(weights: Weights, names: tuple[str, str], width: int) -> dict[str, Float32s]:
    arrays: dict[str, Float32s] = {}
    for number, (name, rows) in enumerate(zip(names, (width, -1), strict=True)):
        weight = weights.shaped(f"{name}.weight", rows, width)
        if number == 1 and len(weight) != 1:
            raise refused(f"{name} has {len(weight)} labels: a regression has one")
        arrays[f"weight.{number}"], arrays[f"bias.{number}"] = weight, weights.shaped(f"{name}.bias", len(weight))
    return arrays
