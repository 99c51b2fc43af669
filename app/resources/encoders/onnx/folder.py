"""What lies in a folder with an encoder: which file is the model, how long texts may be, what is made of the vectors of tokens."""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from app.errors import InputError

__all__ = ["ExportedFolder", "holds_a_model", "read_folder", "unusable"]

# 8-bit weights where they are given.
MODELS: Final = ("model_quantized.onnx", "onnx/model_quantized.onnx", "model.onnx", "onnx/model.onnx")
TOKENISER: Final = "tokenizer.json"
# Protocol buffers end there.
LARGEST_MODEL: Final = 2**31 - 1
LARGEST_TOKENISER: Final = 100_000_000
LARGEST_SETTINGS: Final = 1_000_000
USUAL_LENGTH: Final = 512
LONGEST: Final = 8192
# Models whose table of places begins with two that no token has.
TWO_PLACES_LESS: Final = frozenset({"xlm-roberta", "roberta", "camembert", "xlm-roberta-xl", "mpnet"})


@dataclass(frozen=True)
class ExportedFolder:
    """Files inside the folder; `pooling` is `mean` or `cls`; `prefix` is put before texts; `dense` where a layer comes after."""

    name: str
    model: Path
    tokeniser: Path
    longest: int
    pooling: str
    prefix: str
    dense: bool


def unusable(name: str, why: str) -> InputError:
    """The error about a folder that holds no encoder that can be used."""
    return InputError("missing-resource", f"the folder {name!r} of ASSAY_ENCODER {why}")


def holds_a_model(folder: Path) -> bool:
    """Whether there is a model in a folder, under one of the names that exports have."""
    return any((folder / name).is_file() for name in MODELS)


def read_folder(folder: Path) -> ExportedFolder:
    """Look at a folder; InputError names it and what in it cannot be used."""
    name = folder.resolve().name
    present = [path for path in MODELS if (folder / path).is_file()]
    if not present:
        raise unusable(name, f"holds no model: {', '.join(MODELS)} are looked for")
    config = _settings(folder, "config.json")
    pooling = _settings(folder, "1_Pooling/config.json")
    if pooling.get("pooling_mode_cls_token"):
        way = "cls"
    elif pooling.get("pooling_mode_mean_tokens", True):
        way = "mean"
    else:
        raise unusable(name, "pools vectors in a way that is not known; mean and cls are")
    modules = _settings(folder, "modules.json")
    return ExportedFolder(
        name,
        _inside(folder, present[0], LARGEST_MODEL),
        _inside(folder, TOKENISER, LARGEST_TOKENISER),
        _longest(folder, config),
        way,
        _prefix(folder),
        any(str(module.get("type", "")).endswith(".Dense") for module in modules.values() if isinstance(module, dict)),
    )


def _inside(folder: Path, name: str, most: int) -> Path:
    path = folder / name
    if not path.is_file():
        raise unusable(folder.resolve().name, f"lacks {name}")
    # A link may lead anywhere.
    if not path.resolve().is_relative_to(folder.resolve()):
        raise unusable(folder.resolve().name, f"has {name} outside itself")
    if path.stat().st_size > most:
        raise unusable(folder.resolve().name, f"has a {name} of more than {most} bytes")
    return path


def _settings(folder: Path, name: str) -> Mapping[str, Any]:
    """A JSON file's object, a list as one with numbers, nothing where there is no such file."""
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
    places = config.get("max_position_embeddings")
    if isinstance(places, int) and config.get("model_type") in TWO_PLACES_LESS:
        places -= 2
    stated = [
        places,
        _settings(folder, "tokenizer_config.json").get("model_max_length"),
        _settings(folder, "sentence_bert_config.json").get("max_seq_length"),
    ]
    lengths = [int(length) for length in stated if isinstance(length, int | float) and 2 < length <= LONGEST]
    return min(lengths, default=USUAL_LENGTH)


def _prefix(folder: Path) -> str:
    """What stands before every text: the usual prompt of the folder, or the one of queries, where it names one."""
    settings = _settings(folder, "config_sentence_transformers.json")
    prompts = settings.get("prompts")
    if not isinstance(prompts, dict):
        return ""
    prompt = prompts.get(settings.get("default_prompt_name") or "query", "")
    return prompt if isinstance(prompt, str) else ""
