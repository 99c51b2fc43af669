"""What a folder of resources holds, where it came from, and under which licence."""

import hashlib
import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

from app.errors import InputError

__all__ = ["Manifest", "checksum", "read_manifest", "write_manifest"]

NAME = "manifest.json"


@dataclass(frozen=True)
class Manifest:
    """`inputs` and `files` map names to SHA-256; `statistics` are counts and measures of the build."""

    name: str
    description: str
    command: str
    licence: str
    inputs: Mapping[str, str]
    files: Mapping[str, str]
    statistics: Mapping[str, float | int | Sequence[float]]


def checksum(path: Path) -> str:
    """SHA-256 of a file, in hexadecimal."""
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def write_manifest(folder: Path, manifest: Manifest) -> None:
    """Write manifest.json, keys sorted."""
    text = json.dumps(asdict(manifest), indent=1, sort_keys=True, ensure_ascii=False)
    (folder / NAME).write_text(text + "\n", encoding="utf-8")


def read_manifest(folder: Path) -> Manifest:
    """Read manifest.json; InputError if it is not one of ours."""
    try:
        return Manifest(**json.loads((folder / NAME).read_text(encoding="utf-8")))
    except (OSError, ValueError, TypeError):
        raise InputError("invalid-table", f"{folder.name} holds no readable {NAME}") from None
