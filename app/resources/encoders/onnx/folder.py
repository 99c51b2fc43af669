"""Settings in a folder of an encoder: the file of the model, the limit on tokens, the pooling of token vectors."""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from app.errors import InputError

__all__ = ["ExportedFolder", "holds_a_model", "read_folder", "unusable"]

# Files with 8-bit weights come first.
MODELS: Final = ("model_quantized.onnx", "onnx/model_quantized.onnx", "model.onnx", "onnx/model.onnx")
TOKENISER: Final = "tokenizer.json"
# Limit of protocol buffers.
LARGEST_MODEL: Final = 2**31 - 1
LARGEST_TOKENISER: Final = 100_000_000
LARGEST_SETTINGS: Final = 1_000_000
USUAL_LENGTH: Final = 512
LONGEST: Final = 8192
# Models with two unused positions.
TWO_POSITIONS_LESS: Final = frozenset({"xlm-roberta", "roberta", "camembert", "xlm-roberta-xl", "mpnet"})


@dataclass(frozen=True)
class ExportedFolder:
    """Files of a folder; `pooling` is `mean` or `cls`, `prefix` precedes texts, `dense` is True if a layer follows the pooling."""

    name: str
    model: Path
    tokeniser: Path
    longest: int
    pooling: str
    prefix: str
    dense: bool


def unusable(name: str, reason: str) -> InputError:
    """Error about a folder without a usable encoder, with the reason."""
    return InputError("missing-resource", f"the folder {name!r} of ASSAY_ENCODER {reason}")


def holds_a_model(folder: Path) -> bool:
    """Return True if a folder holds a model under one of the names in `MODELS`."""
    return any((folder / name).is_file() for name in MODELS)


def read_folder(folder: Path) -> ExportedFolder:
    """Read the settings of a folder; InputError names the folder and the unusable file."""
    name = folder.resolve().name
    model_names = [path for path in MODELS if (folder / path).is_file()]
    if not model_names:
        raise unusable(name, f"holds no model; accepted names are {', '.join(MODELS)}")
    config = _settings(folder, "config.json")
    pooling = _settings(folder, "1_Pooling/config.json")
    if pooling.get("pooling_mode_cls_token"):
        pooling_mode = "cls"
    elif pooling.get("pooling_mode_mean_tokens", True):
        pooling_mode = "mean"
    else:
        raise unusable(name, "has an unknown pooling of vectors; mean and cls are accepted")
    modules = _settings(folder, "modules.json")
    return ExportedFolder(
        name,
        _inside(folder, model_names[0], LARGEST_MODEL),
        _inside(folder, TOKENISER, LARGEST_TOKENISER),
        _longest(folder, config),
        pooling_mode,
        _prefix(folder),
        any(str(module.get("type", "")).endswith(".Dense") for module in modules.values() if isinstance(module, dict)),
    )


def _inside(folder: Path, name: str, limit: int) -> Path:
    path = folder / name
    if not path.is_file():
        raise unusable(folder.resolve().name, f"lacks {name}")
    # A link may lead anywhere.
    if not path.resolve().is_relative_to(folder.resolve()):
        raise unusable(folder.resolve().name, f"has {name} outside itself")
    if path.stat().st_size > limit:
        raise unusable(folder.resolve().name, f"has a {name} of more than {limit} bytes")
    return path


def _settings(folder: Path, name: str) -> Mapping[str, Any]:
    """The object in a JSON file; lists get numbers as keys. Empty if there is no such file."""
    if not (folder / name).is_file():
        return {}
    try:
        content = json.loads(_inside(folder, name, LARGEST_SETTINGS).read_text("utf-8"))
    except (ValueError, RecursionError):
        raise unusable(folder.resolve().name, f"has a {name} that is not JSON") from None
    if isinstance(content, list):
        return {str(place): value for place, value in enumerate(content)}
    return content if isinstance(content, dict) else {}


def _longest(folder: Path, config: Mapping[str, Any]) -> int:
    positions = config.get("max_position_embeddings")
    if isinstance(positions, int) and config.get("model_type") in TWO_POSITIONS_LESS:
        positions -= 2
    limits = [
        positions,
        _settings(folder, "tokenizer_config.json").get("model_max_length"),
        _settings(folder, "sentence_bert_config.json").get("max_seq_length"),
    ]
    lengths = [int(length) for length in limits if isinstance(length, int | float) and 2 < length <= LONGEST]
    return min(lengths, default=USUAL_LENGTH)


def _prefix(folder: Path) -> str:
    """Prefix of every text: the default prompt of the folder, or else its prompt of queries."""
    settings = _settings(folder, "config_sentence_transformers.json")
    prompts = settings.get("prompts")
    if not isinstance(prompts, dict):
        return ""
    prompt = prompts.get(settings.get("default_prompt_name") or "query", "")
    return prompt if isinstance(prompt, str) else ""
