"""Manifests of folders of resources: files, their origin and their licence."""

import hashlib
import json
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import asdict, dataclass, field
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from app import __version__
from app.errors import InputError
from app.running.kernel_caches import cache_folder
from app.text.reading.stored_json import as_kind, read_object

__all__ = [
    "MANIFEST",
    "Manifest",
    "checksum",
    "forget_checksums",
    "read_manifest",
    "recalled_check",
    "recalled_checksum",
    "write_manifest",
]

MANIFEST = "manifest.json"
CHECKSUMS = "assay-checksums.json"


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


def recalled_checksum(path: Path) -> str:
    """SHA-256 of a file, from a record beside the caches of kernels if size and times of the file are those of the record.

    A process that may not write the record computes each checksum. `assay server doctor` reads every file.
    """
    return str(_recalled(str(path.absolute()), _state(path), lambda: checksum(path)))


def recalled_check(files: Sequence[Path], check: Callable[[], None]) -> None:
    """Run a check that raises for wrong files, unless the record says that this version found these files right."""

    def passed() -> bool:
        check()
        return True

    _recalled(f"check {files[0].absolute()}", [__version__, *(number for file in files for number in _state(file))], passed)


def _state(path: Path) -> list[int]:
    status = path.stat()
    return [status.st_size, status.st_mtime_ns, status.st_ctime_ns, status.st_ino]


def _recalled(name: str, state: Sequence[object], compute: Callable[[], object]) -> object:
    """The recorded result of a name in a state, or the result of `compute`, which is recorded."""
    record = _recorded_checksums()
    if record.get(name, [])[:-1] != state:
        record[name] = [*state, compute()]
        with suppress(OSError), TemporaryDirectory(dir=cache_folder()) as scratch:
            (Path(scratch) / CHECKSUMS).write_text(json.dumps(record), "utf-8")
            (Path(scratch) / CHECKSUMS).replace(cache_folder() / CHECKSUMS)
    return record[name][-1]


def forget_checksums() -> None:
    """Forget recorded checksums and checks, so that this process reads each file."""
    _recorded_checksums().clear()


@cache
def _recorded_checksums() -> dict[str, list[Any]]:
    """Size, times, inode and checksum of files by path; versions, states and results of checks by name."""
    try:
        return as_kind(dict[str, list[Any]], json.loads((cache_folder() / CHECKSUMS).read_bytes()), CHECKSUMS)
    except (OSError, ValueError):
        return {}


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
