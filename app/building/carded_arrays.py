"""A trained resource in one file: arrays as safetensors, with a card of its kind, its origin and a checksum."""

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

# One entry, since several would have no fixed order.
CARD: Final = "card"
Arrays = Mapping[str, np.ndarray]


def write_arrays(path: Path, kind: str, arrays: Arrays, card: Mapping[str, Any]) -> None:
    """Write arrays with their card, to which `kind` and `sha256` are added; equal inputs give equal bytes."""
    contiguous = {name: np.ascontiguousarray(array) for name, array in arrays.items()}
    fields = {"kind": kind, **card, "sha256": _checksum(contiguous)}
    path.write_bytes(save(contiguous, {CARD: json.dumps(fields, ensure_ascii=False, allow_nan=False, sort_keys=True)}))


def read_arrays(path: Path, kind: str, title: str) -> tuple[dict[str, np.ndarray], Mapping[str, Any]]:
    """Read arrays and card; a file without a card has an empty one. `title` names the kind in errors.

    InputError (`invalid-table`) if the file is of another kind, or if its checksum differs.
    """
    try:
        with safe_open(path, "numpy") as file:
            arrays = {name: file.get_tensor(name) for name in file.keys()}  # noqa: SIM118 - it is no mapping
            metadata = file.metadata() or {}
        card = json.loads(metadata.get(CARD, "{}"))
    except (OSError, SafetensorError, ValueError, RecursionError):
        raise InputError("invalid-table", f"{path.name} is not a {title}", (str(path),)) from None
    if not isinstance(card, dict) or card.get("kind", kind) != kind:
        raise InputError("invalid-table", f"{path.name} is not a {title}", (str(path),))
    if card and card.get("sha256") != _checksum(arrays):
        raise InputError("invalid-table", f"{path.name} is damaged: its checksum differs from that of its card", (str(path),))
    return arrays, card


def _checksum(arrays: Arrays) -> str:
    digest = hashlib.sha256()
    for name in sorted(arrays):
        array = np.ascontiguousarray(arrays[name])
        digest.update(f"{name} {array.dtype.str} {array.shape}\n".encode())
        digest.update(array.data)
    return digest.hexdigest()
