"""A trained resource as one file: arrays as safetensors, with a card that says what it is, what it is from, and their checksum."""

import hashlib
import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Final

import numpy as np
from safetensors import SafetensorError, safe_open
from safetensors.numpy import save

from app.errors import InputError

__all__ = ["read_arrays", "write_arrays"]

# One entry: several would be written in any order.
CARD: Final = "card"
Arrays = Mapping[str, np.ndarray]


def write_arrays(path: Path, kind: str, arrays: Arrays, card: Mapping[str, Any]) -> None:
    """Write arrays with their card, to which `kind` and `sha256` are added; the same bytes for the same arrays and card."""
    whole = {name: np.ascontiguousarray(array) for name, array in arrays.items()}
    told = {"kind": kind, **card, "sha256": _checksum(whole)}
    path.write_bytes(save(whole, {CARD: json.dumps(told, ensure_ascii=False, allow_nan=False, sort_keys=True)}))


def read_arrays(path: Path, kind: str, what: str) -> tuple[dict[str, np.ndarray], Mapping[str, Any]]:
    """Arrays and card; the card of a file that has none is empty.

    InputError (`invalid-table`) where it is something else, of another kind, or its arrays are not those of its checksum.
    """
    try:
        with safe_open(path, "numpy") as file:
            arrays = {name: file.get_tensor(name) for name in file.keys()}  # noqa: SIM118 - it is no mapping
            metadata = file.metadata() or {}
        card = json.loads(metadata.get(CARD, "{}"))
    except (OSError, SafetensorError, ValueError, RecursionError):
        raise InputError("invalid-table", f"{path.name} is not a {what}", (str(path),)) from None
    if not isinstance(card, dict) or card.get("kind", kind) != kind:
        raise InputError("invalid-table", f"{path.name} is not a {what}", (str(path),))
    if card and card.get("sha256") != _checksum(arrays):
        raise InputError("invalid-table", f"{path.name} is damaged: its checksum is another than that of its card", (str(path),))
    return arrays, card


def _checksum(arrays: Arrays) -> str:
    digest = hashlib.sha256()
    for name in sorted(arrays):
        array = np.ascontiguousarray(arrays[name])
        digest.update(f"{name} {array.dtype.str} {array.shape}\n".encode())
        digest.update(array.data)
    return digest.hexdigest()
