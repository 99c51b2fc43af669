"""Checkpoints as transformers saves them: MonoTransQuest, BLEURT's port to PyTorch, MetricX."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any, Final

import numpy as np

from app.resources.checkpoints.conversion.bert import read_sizes, special_tokens, write_bert
from app.resources.checkpoints.conversion.mt5 import output_row, read_t5_config, write_mt5
from app.resources.checkpoints.conversion.parts import CheckpointParts, head_layers, write_words
from app.resources.checkpoints.conversion.refusal import refused
from app.resources.checkpoints.conversion.texts import CheckpointTokeniser
from app.resources.checkpoints.conversion.weights import Weights

__all__ = ["METRICX", "import_classifier", "import_metricx"]

# TransQuest cuts pairs at 128 tokens unless model_args.json says otherwise.
MONO_LENGTH: Final = 128
# MetricX's score is the logit of <extra_id_10>.
SCORING_TOKEN: Final = 250089
# Texts in their order, and the most tokens of its authors' settings.
METRICX: Final = {
    "23": ("candidate reference", 1024),
    "23-qe": ("candidate source", 1024),
    "24": ("source candidate reference", 1536),
}


def import_classifier(
    folder: Path, weights: Weights, config: Mapping[str, Any], length: int | None, tokeniser: CheckpointTokeniser
) -> CheckpointParts:
    """Write graph and tables of BLEURT, or of MonoTransQuest: a classifier of pairs with one label."""
    sizes = read_sizes(config)
    bleurt = sizes.bleurt
    prefix = "bleurt." if bleurt else ("roberta." if sizes.roberta else "bert.")
    # RoBERTa's head has a layer of its own, BERT's is the pooler of its encoder.
    head = ("classifier.dense", "classifier.out_proj") if sizes.roberta else (f"{prefix}pooler.dense", "classifier")
    length = length or (sizes.longest if bleurt else MONO_LENGTH)
    if not 8 <= length <= sizes.longest:
        raise refused(f"sequences of {length} tokens do not fit the {sizes.longest} positions of the encoder")
    tables = write_bert(folder, weights, prefix, sizes, tokeniser)
    return CheckpointParts(
        "bleurt" if bleurt else "transquest-mono",
        "",
        {**tables, **head_layers(weights, head, sizes.width)},
        {
            **special_tokens(tokeniser, sizes),
            "source": "unused" if bleurt else "needed",
            "reference": "needed" if bleurt else "unused",
            "dimensions": sizes.width,
            "longest": length,
            "longest_part": length,
            "two_kinds": not sizes.roberta,
            "activation": "tanh",
        },
    )


def import_metricx(
    folder: Path,
    weights: Weights,
    config: Mapping[str, Any],
    version: str | None,
    length: int | None,
    tokeniser: CheckpointTokeniser,
) -> CheckpointParts:
    """Write graphs and tables of mT5 with a regression on one token."""
    if version not in METRICX:
        raise refused(f"a checkpoint of MetricX does not name its texts: --metricx is one of {', '.join(METRICX)}")
    template, longest = METRICX[version]
    sizes = read_t5_config(config)
    write_mt5(folder, weights, sizes)
    # Read from the file: MT5Config of transformers 5 says that every model is tied.
    is_tied = bool(config.get("tie_word_embeddings", False))
    write_words(folder, weights.shaped("shared.weight", -1, sizes.d_model), tokeniser)
    return CheckpointParts(
        "metricx",
        "",
        {"weight.0": output_row(weights, sizes.d_model, SCORING_TOKEN, is_tied), "bias.0": np.zeros(1, np.float32)},
        {
            "source": "needed" if "source" in template else "unused",
            "reference": "optional" if version == "24" else ("needed" if "reference" in template else "unused"),
            "higher_is_better": False,
            "lowest": 0.0,
            "highest": 25.0,
            "dimensions": sizes.d_model,
            "longest": length or longest,
            "longest_part": length or longest,
            "template": template,
            "buckets": sizes.relative_attention_num_buckets,
            "farthest": sizes.relative_attention_max_distance,
        },
    )
