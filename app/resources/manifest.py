"""Manifests of folders of resources: files, their origin and their licence."""

import hashlib
import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path

from app.errors import InputError
from app.text.reading.stored_json import as_kind, read_object

__all__ = ["MANIFEST", "Manifest", "checksum", "read_manifest", "write_manifest"]

MANIFEST = "manifest.json"


@dataclass(frozen=True)
class Manifest:
    """Content of a manifest: `inputs` and `files` map names to SHA-256; `statistics` are counts and measures of the build.

    `stands_for` maps a file to the SHA-256 of a file that it replaces; it is usually empty.
    """

    name: str
    description: str
    command: str
    licence: str
    inputs: Mapping[str, str]
    files: Mapping[str, str]
    statistics: Mapping[str, int | float | Sequence[int | float]]
    stands_for: Mapping[str, str] = field(default_factory=dict)


def checksum(path: Path) -> str:
    """SHA-256 of a file, in hexadecimal."""
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def write_manifest(folder: Path, manifest: Manifest, name: str = MANIFEST) -> None:
    """Write manifest.json, or a file of another name, with sorted keys."""
    members = asdict(manifest)
    if not manifest.stands_for:
        del members["stands_for"]
    text = json.dumps(members, indent=1, sort_keys=True, ensure_ascii=False)
    (folder / name).write_text(text + "\n", encoding="utf-8")


def read_manifest(folder: Path, name: str = MANIFEST) -> Manifest:
    """Read manifest.json, or a file of another name; InputError if it is no manifest."""
    try:
        fields = read_object(folder / name)
        if {"stands_for", *fields} != Manifest.__dataclass_fields__.keys():
            raise ValueError(f"{name} lacks members of a manifest, or has unknown ones")
        return as_kind(Manifest, fields, name)
    except (OSError, ValueError) as error:
        reason = (error.strerror or "it cannot be read") if isinstance(error, OSError) else error
        raise InputError("invalid-table", f"{folder.name} holds no readable {name}: {reason}") from None
