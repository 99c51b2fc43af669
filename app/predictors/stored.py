"""Files of stored models: a card in JSON, arrays without code, and a README."""

import json
from collections.abc import Collection, Mapping
from pathlib import Path
from typing import Any, Final, TypeVar

import numpy as np
from safetensors.numpy import save

from app.arrays import Float64s
from app.errors import InputError
from app.text.reading.stored_json import as_kind, read_object

__all__ = ["ARRAYS", "arrays_below", "read_stored_card", "save_files", "unreadable"]

ARRAYS: Final = "arrays.safetensors"
T = TypeVar("T")


def save_files(folder: Path, name: str, card: Mapping[str, Any], arrays: Mapping[str, np.ndarray], readme: str) -> None:
    """Write the card `name`, the arrays and README.md; equal models give equal bytes."""
    folder.mkdir(parents=True, exist_ok=True)
    (folder / ARRAYS).write_bytes(save({key: np.ascontiguousarray(array) for key, array in arrays.items()}))
    text = json.dumps(card, indent=1, sort_keys=True, ensure_ascii=False, allow_nan=False)
    (folder / name).write_text(text + "\n", encoding="utf-8")
    (folder / "README.md").write_text(readme, encoding="utf-8")


def read_stored_card(
    folder: Path, name: str, kind: type[T], version: int, optional: Collection[str] = (), accuracy: type[Any] = dict
) -> T:
    """Read the card `name`, a dataclass `kind` of this schema `version`; the InputError names the fault."""
    try:
        fields = read_object(folder / name)
        if fields.get("schema_version") != version:
            raise ValueError(f"{name} is of a schema that this version cannot serve")
        if fields.keys() | set(optional) != kind.__annotations__.keys():
            raise ValueError(f"{name} lacks members of a card, or has unknown ones")
        card = as_kind(kind, fields, name)
        as_kind(accuracy, fields["accuracy"], f"{name}: accuracy")
    except (OSError, ValueError) as error:
        raise unreadable(folder, name, error) from None
    return card


def unreadable(folder: Path, name: str, error: Exception, numbers: str = ARRAYS) -> InputError:
    """InputError (`unknown-model`) about a folder whose card `name` or file of `numbers` cannot be read, with the reason."""
    reason = (error.strerror or "it cannot be read") if isinstance(error, OSError) else str(error)
    return InputError("unknown-model", f"models/{folder.name}: {name} and {numbers} cannot be used: {reason}")


def arrays_below(arrays: Mapping[str, Float64s], prefix: str) -> dict[str, Float64s]:
    """Arrays whose names begin with `prefix`, by the rest of their names."""
    return {name.removeprefix(prefix): array for name, array in arrays.items() if name.startswith(prefix)}
