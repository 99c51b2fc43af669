"""COMET's checkpoints: Lightning's file, hparams.yaml beside it, and an encoder of which it holds the weights and not the rules."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any, Final

import numpy as np

from app.arrays import Float32s
from app.resources.checkpoints.card import Architecture
from app.resources.checkpoints.conversion.bert import BertSizes, LayerMix, bert_tables, read_sizes, write_bert
from app.resources.checkpoints.conversion.parts import Imported, special_tokens, words_of
from app.resources.checkpoints.conversion.refusal import needed_package, refused
from app.resources.checkpoints.conversion.texts import Tokeniser, read_json
from app.resources.checkpoints.conversion.weights import Weights

__all__ = ["HPARAMS", "comet_settings", "import_comet"]

HPARAMS: Final = "hparams.yaml"
PREFIX: Final = "encoder.model."
CLASSES: Final[Mapping[str, Architecture]] = {
    "regression_metric": "comet-estimator",
    "referenceless_regression_metric": "comet-referenceless",
    "unified_metric": "comet-unified",
}
# What goes into the estimator, in vectors.
WIDTHS: Final = {"comet-estimator": 6, "comet-referenceless": 4, "comet-unified": 1}
POOLS: Final = ("avg", "max", "cls")
HEAD_ACTIVATIONS: Final = ("", "tanh", "sigmoid")


def comet_settings(weights: Weights, file: Path) -> Mapping[str, Any] | None:
    """What a checkpoint says of itself, or hparams.yaml in its folder or above it; None where it is not COMET's."""
    written: Mapping[str, Any] = {}
    for folder in (file.parent, file.parent.parent):
        if (folder / HPARAMS).is_file():
            written = _read_yaml(folder / HPARAMS)
            break
    # As COMET does: what Lightning saved counts, and of the file beside it the class alone.
    classes = {"class_identifier": written["class_identifier"]} if "class_identifier" in written else {}
    settings = {**weights.settings, **classes} if weights.settings else written
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


def import_comet(folder: Path, weights: Weights, settings: Mapping[str, Any], encoder: Path, tokeniser: Tokeniser) -> Imported:
    """Write graph and tables; what the card and the head have."""
    name = str(settings.get("class_identifier"))
    if name not in CLASSES:
        raise refused(f"class_identifier is {name!r}; {', '.join(CLASSES)} are imported")
    architecture = CLASSES[name]
    sizes = read_sizes(read_json(encoder / "config.json"))
    if sizes.longest < 16:
        raise refused("the encoder has places for fewer than 16 tokens")
    layer = settings.get("sent_layer" if architecture == "comet-unified" else "layer", "mix")
    write_bert(folder / "encoder.onnx", weights, PREFIX, sizes, _mix(weights, settings, layer, sizes))
    words, places, kinds = bert_tables(weights, PREFIX, sizes)
    words_of(folder, words, tokeniser)
    activation, final = (
        str(settings.get(key, usual) or "").casefold() for key, usual in (("activations", "tanh"), ("final_activation", ""))
    )
    if {activation, final} - set(HEAD_ACTIVATIONS):
        raise refused(f"the head's activations are {activation!r} and {final!r}; tanh and sigmoid are imported")
    pool = settings.get("pool", "avg") if architecture != "comet-unified" else "cls"
    if pool not in POOLS:
        raise refused(f"tokens are pooled by {pool!r}; {', '.join(POOLS)} are imported")
    layers = _estimator(weights, WIDTHS[architecture] * sizes.width)
    # COMET takes two off the places of every encoder, and two more where a text is encoded alone.
    longest = sizes.places - 2
    inputs = settings.get("input_segments", ["mt", "src", "ref"]) if architecture == "comet-unified" else _INPUTS[architecture]
    if not isinstance(inputs, list) or not {"mt"} < set(inputs) <= {"mt", "src", "ref"}:
        raise refused(f"input_segments are {inputs!r}; mt with src, with ref or with both are imported")
    both = architecture == "comet-unified" and len(set(inputs)) == 3
    return Imported(
        architecture,
        str(settings.get("pretrained_model", "")),
        {"places": places, "kinds": kinds, **layers},
        {
            **special_tokens(tokeniser, sizes),
            "source": "needed" if "src" in inputs else "unused",
            "reference": "unused" if "ref" not in inputs else ("optional" if both else "needed"),
            "dimensions": sizes.width,
            "longest": longest if architecture == "comet-unified" else longest - 2,
            "longest_part": longest - 2,
            "two_kinds": architecture == "comet-unified" and sizes.kind == "bert",
            "pooling": pool,
            "activation": activation,
            "final_activation": final,
        },
    )


_INPUTS: Final = {"comet-estimator": ["mt", "src", "ref"], "comet-referenceless": ["mt", "src"]}


def _mix(weights: Weights, settings: Mapping[str, Any], layer: object, sizes: BertSizes) -> LayerMix:
    """The weight of each layer, as COMET computes it of its parameters once and for all."""
    count = sizes.layers + 1
    if isinstance(layer, int) and not isinstance(layer, bool):
        if not 0 <= layer < count:
            raise refused(f"layer {layer} is none of the {count} of the encoder")
        return LayerMix(np.eye(count, dtype=np.float32)[layer], False)
    if layer != "mix":
        raise refused(f"layer is {layer!r}; a number or mix is imported")
    parameters = np.array([weights.shaped(f"layerwise_attention.scalar_parameters.{number}", 1)[0] for number in range(count)])
    usual = "sparsemax" if settings.get("class_identifier") == "unified_metric" else "softmax"
    sparse = settings.get("layer_transformation", usual) == "sparsemax"
    shares = _sparsemax(parameters.astype(np.float64)) if sparse else _softmax(parameters.astype(np.float64))
    gamma = float(weights.shaped("layerwise_attention.gamma", 1)[0])
    return LayerMix((shares * gamma).astype(np.float32), bool(settings.get("layer_norm", True)))


def _softmax(values: Any) -> Any:
    powers = np.exp(values - values.max())
    return powers / powers.sum()


def _sparsemax(values: Any) -> Any:
    """The nearest point of the simplex (Martins and Astudillo 2016)."""
    ordered = np.sort(values)[::-1]
    above = ordered * np.arange(1, len(values) + 1) > np.cumsum(ordered) - 1
    count = int(above.sum())
    threshold = (ordered[:count].sum() - 1) / count
    return np.maximum(values - threshold, 0)


def _estimator(weights: Weights, width: int) -> dict[str, Float32s]:
    """The layers of the feed-forward network, which stand at every third place: an activation and a dropout are between."""
    arrays: dict[str, Float32s] = {}
    number = 0
    while f"estimator.ff.{3 * number}.weight" in weights:
        name = f"estimator.ff.{3 * number}"
        weight = weights.shaped(f"{name}.weight", -1, width)
        arrays[f"weight.{number}"], arrays[f"bias.{number}"] = weight, weights.shaped(f"{name}.bias", len(weight))
        width = len(weight)
        number += 1
    if number < 2 or width != 1:
        raise refused("the checkpoint lacks the tensors estimator.ff of its head, or they do not end in one number")
    return arrays
