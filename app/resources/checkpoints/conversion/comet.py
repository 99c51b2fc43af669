"""COMET's checkpoints: Lightning's file with all weights, hparams.yaml beside it, and the rules of its encoder elsewhere."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any, Final

import numpy as np
from scipy.special import softmax

from app.resources.checkpoints.card import Architecture
from app.resources.checkpoints.conversion.bert import BertSizes, LayerMix, read_sizes, special_tokens, write_bert
from app.resources.checkpoints.conversion.parts import CheckpointParts, head_layers
from app.resources.checkpoints.conversion.refusal import needed_package, refused
from app.resources.checkpoints.conversion.texts import CheckpointTokeniser, read_json
from app.resources.checkpoints.conversion.weights import Weights
from app.resources.checkpoints.scorers import width_of_head

__all__ = ["HPARAMS", "comet_settings", "import_comet"]

HPARAMS: Final = "hparams.yaml"
PREFIX: Final = "encoder.model."
CLASSES: Final[Mapping[str, Architecture]] = {
    "regression_metric": "comet-estimator",
    "referenceless_regression_metric": "comet-referenceless",
    "unified_metric": "comet-unified",
}
INPUTS: Final = {"comet-estimator": ["mt", "src", "ref"], "comet-referenceless": ["mt", "src"]}
POOLS: Final = ("avg", "max", "cls")
HEAD_ACTIVATIONS: Final = ("", "tanh", "sigmoid")


def comet_settings(weights: Weights, file: Path) -> Mapping[str, Any] | None:
    """Settings in a checkpoint, or in hparams.yaml of its folder or the one above; None where it is not COMET's."""
    beside: Mapping[str, Any] = {}
    for folder in (file.parent, file.parent.parent):
        if (folder / HPARAMS).is_file():
            beside = _read_yaml(folder / HPARAMS)
            break
    # COMET, too, reads Lightning's settings first, and the class alone from the file beside them.
    classes = {key: beside[key] for key in ("class_identifier",) if key in beside}
    settings = {**weights.settings, **classes} if weights.settings else beside
    return settings if "class_identifier" in settings or "encoder_model" in settings else None


def _read_yaml(path: Path) -> Mapping[str, Any]:
    yaml: Any = needed_package("yaml")
    try:
        content = yaml.safe_load(path.read_text("utf-8"))
    except (yaml.YAMLError, UnicodeDecodeError, RecursionError):
        raise refused(f"{path.name} is damaged, or holds more than plain values") from None
    if not isinstance(content, dict):
        raise refused(f"{path.name} holds no settings")
    return content


def import_comet(
    folder: Path, weights: Weights, settings: Mapping[str, Any], encoder: Path, tokeniser: CheckpointTokeniser
) -> CheckpointParts:
    """Write graph and tables; return the members of card and head."""
    name = str(settings.get("class_identifier"))
    if name not in CLASSES:
        raise refused(f"class_identifier is {name!r}; {', '.join(CLASSES)} are imported")
    architecture = CLASSES[name]
    sizes = read_sizes(read_json(encoder / "config.json"))
    if sizes.longest < 16:
        raise refused("the encoder has positions for fewer than 16 tokens")
    layer = settings.get("sent_layer" if architecture == "comet-unified" else "layer", "mix")
    tables = write_bert(folder, weights, PREFIX, sizes, tokeniser, _mix(weights, settings, layer, sizes))
    activation, final = (
        str(settings.get(key, default) or "").casefold() for key, default in (("activations", "tanh"), ("final_activation", ""))
    )
    if {activation, final} - set(HEAD_ACTIVATIONS):
        raise refused(f"the head's activations are {activation!r} and {final!r}; tanh and sigmoid are imported")
    pool = settings.get("pool", "avg") if architecture != "comet-unified" else "cls"
    if pool not in POOLS:
        raise refused(f"tokens are pooled by {pool!r}; {', '.join(POOLS)} are imported")
    # COMET takes two off the positions of every encoder, and two more where a text is encoded alone.
    longest = sizes.positions - 2
    inputs = settings.get("input_segments", ["mt", "src", "ref"]) if architecture == "comet-unified" else INPUTS[architecture]
    if not isinstance(inputs, list) or not {"mt"} < set(inputs) <= {"mt", "src", "ref"}:
        raise refused(f"input_segments are {inputs!r}; mt with src, with ref or with both are imported")
    reference_optional = architecture == "comet-unified" and len(set(inputs)) == 3
    return CheckpointParts(
        architecture,
        str(settings.get("pretrained_model", "")),
        {**tables, **head_layers(weights, _estimator(weights), (width_of_head(architecture) or 1) * sizes.width)},
        {
            **special_tokens(tokeniser, sizes),
            "source": "needed" if "src" in inputs else "unused",
            "reference": "unused" if "ref" not in inputs else ("optional" if reference_optional else "needed"),
            "dimensions": sizes.width,
            "longest": longest if architecture == "comet-unified" else longest - 2,
            "longest_part": longest - 2,
            "two_kinds": architecture == "comet-unified" and not sizes.roberta,
            "pooling": pool,
            "activation": activation,
            "final_activation": final,
        },
    )


def _mix(weights: Weights, settings: Mapping[str, Any], layer: object, sizes: BertSizes) -> LayerMix:
    """The weight of each layer, which COMET computes from its parameters and no text."""
    count = sizes.config.num_hidden_layers + 1
    if isinstance(layer, int) and not isinstance(layer, bool):
        if not 0 <= layer < count:
            raise refused(f"layer {layer} is none of the {count} of the encoder")
        return LayerMix(np.eye(count, dtype=np.float32)[layer], False)
    if layer != "mix":
        raise refused(f"layer is {layer!r}; a number or mix is imported")
    names = [f"layerwise_attention.scalar_parameters.{number}" for number in range(count)]
    parameters = np.array([weights.shaped(name, 1)[0] for name in names], np.float64)
    default = "sparsemax" if settings.get("class_identifier") == "unified_metric" else "softmax"
    sparse = settings.get("layer_transformation", default) == "sparsemax"
    shares = _sparsemax(parameters) if sparse else softmax(parameters)
    gamma = float(weights.shaped("layerwise_attention.gamma", 1)[0])
    return LayerMix((shares * gamma).astype(np.float32), bool(settings.get("layer_norm", True)))


def _sparsemax(values: Any) -> Any:
    """The nearest point of the simplex to a vector (Martins and Astudillo 2016)."""
    descending = np.sort(values)[::-1]
    above = descending * np.arange(1, len(values) + 1) > np.cumsum(descending) - 1
    count = int(above.sum())
    threshold = (descending[:count].sum() - 1) / count
    return np.maximum(values - threshold, 0)


def _estimator(weights: Weights) -> list[str]:
    """Names of the feed-forward network's linear layers, each third module: activations and dropouts stand between."""
    names: list[str] = []
    while (name := f"estimator.ff.{3 * len(names)}") and f"{name}.weight" in weights:
        names.append(name)
    if len(names) < 2:
        raise refused("the checkpoint lacks the tensors estimator.ff of its head")
    return names
