"""Artifacts of trainings: arrays as safetensors, and a card with their data, licence, options and checksum."""

import json
from collections.abc import Callable, Mapping
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any, Final, TypeVar

import numpy as np
from safetensors import SafetensorError
from safetensors.numpy import load_file

from app.building.writing import save_arrays
from app.errors import InputError
from app.resources.manifest import checksum
from app.text.reading.stored_json import as_kind, read_object

__all__ = ["CARD", "Arrays", "load_artifact", "save_artifact"]

CARD: Final = "card.json"
Arrays = Mapping[str, np.ndarray[Any, Any]]
Model = TypeVar("Model")
Card = TypeVar("Card", bound=Any)


def save_artifact(arrays: Arrays, card: Card, folder: Path, file: str) -> None:
    """Write arrays and their card into an existing folder; the card gets the checksum."""
    save_arrays(arrays, folder / file)
    fields = asdict(replace(card, sha256=checksum(folder / file)))
    (folder / CARD).write_text(json.dumps(fields, ensure_ascii=False, allow_nan=False, indent=1) + "\n", "utf-8")


def load_artifact(
    folder: Path, file: str, kind: Callable[..., Card], model_of: Callable[[Arrays, Card], Model]
) -> tuple[Model, Card]:
    """Read an artifact; `model_of` raises ValueError for arrays that are none.

    InputError (`invalid-table`) for a missing or damaged file, or for arrays that are no model.
    """
    try:
        card = as_kind(kind, read_object(folder / CARD), CARD)
        if checksum(folder / file) != card.sha256:
            raise ValueError(f"{file} is damaged: its checksum differs from that of {CARD}")
        return model_of(load_file(folder / file), card), card
    except (OSError, SafetensorError, ValueError) as error:
        reason = f"{file} is missing or unreadable" if isinstance(error, OSError | SafetensorError) else str(error)
        detail = f"{folder} holds no model of assay smt preorder train: {reason}"
        raise InputError("invalid-table", detail, (str(folder),)) from None
