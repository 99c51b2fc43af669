"""What a folder of resources holds, where it came from, and under which licence."""

import hashlib
import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Final

from pydantic import TypeAdapter

from app.errors import InputError
from app.stored_json import as_kind, read_object

__all__ = ["MANIFEST", "Manifest", "checksum", "read_manifest", "write_manifest"]

MANIFEST = "manifest.json"


@dataclass(frozen=True)
class Manifest:
    """`inputs` and `files` map names to SHA-256; `statistics` are counts and measures of the build."""

    name: str
    description: str
    command: str
    licence: str
    inputs: Mapping[str, str]
    files: Mapping[str, str]
    statistics: Mapping[str, int | float | Sequence[int | float]]


MANIFESTS: Final = TypeAdapter(Manifest)


def checksum(path: Path) -> str:
    """SHA-256 of a file, in hexadecimal."""
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def write_manifest(folder: Path, manifest: Manifest) -> None:
    """Write manifest.json, keys sorted."""
    text = json.dumps(asdict(manifest), indent=1, sort_keys=True, ensure_ascii=False)
    (folder / MANIFEST).write_text(text + "\n", encoding="utf-8")


def read_manifest(folder: Path) -> Manifest:
    """Read manifest.json; InputError if it is not one of ours."""
    try:
        fields = read_object(folder / MANIFEST)
        if fields.keys() != Manifest.__dataclass_fields__.keys():
            raise ValueError(f"{MANIFEST} has not the members that a manifest has")
        return as_kind(MANIFESTS, fields, MANIFEST)
    except (OSError, ValueError) as error:
        why = (error.strerror or "it cannot be read") if isinstance(error, OSError) else error
        raise InputError("invalid-table", f"{folder.name} holds no readable {MANIFEST}: {why}") from None
