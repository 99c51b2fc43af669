"""What a step has done: its inputs and outputs with checksums, kept beside them, and whether that still holds."""

import gzip
import hashlib
import json
import zlib
from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import BinaryIO, Final, cast

from app import __version__
from app.smt.recipes.command_lines import CommandLine
from app.text.reading.stored_json import as_kind, read_object

__all__ = ["Digests", "FileRecord", "StepManifest", "key_of", "read_step_manifest", "record_of", "write_step_manifest"]

BLOCK: Final = 1 << 20
# Files of numbers have no lines.
WITHOUT_LINES: Final = (".safetensors", ".binary", ".npy", ".compact")


@dataclass(frozen=True)
class FileRecord:
    """A file, or all files of a folder: SHA-256, bytes, and lines where it is text (of gzip the text's)."""

    sha256: str
    bytes: int
    lines: int | None = None


@dataclass(frozen=True)
class StepManifest:
    """A step as it was run; `finished` is None while it runs, or was cut off. Times are in seconds."""

    step: str
    command: str
    version: str
    key: str
    inputs: Mapping[str, FileRecord]
    outputs: Mapping[str, FileRecord]
    writes: tuple[str, ...]
    finished: str | None = None
    seconds: float = 0.0
    processor_seconds: float = 0.0


@dataclass
class Digests:
    """Records of files below a folder; each file is read once as long as its size and time stay."""

    root: Path
    _known: dict[Path, tuple[tuple[int, int], FileRecord]] = field(default_factory=dict)

    def of(self, names: Iterable[str]) -> dict[str, FileRecord]:
        """Records by name; OSError where a file is not there."""
        return {name: self.record(self.root / name) for name in names}

    def record(self, path: Path) -> FileRecord:
        """That of a file, or of a folder: of its files' names and checksums, in order."""
        if path.is_dir():
            parts = [(file.relative_to(path).as_posix(), self.record(file)) for file in sorted(path.rglob("*")) if file.is_file()]
            text = "".join(f"{part.sha256}  {name}\n" for name, part in parts)
            return FileRecord(hashlib.sha256(text.encode()).hexdigest(), sum(part.bytes for _, part in parts))
        state = path.stat()
        stamp = (state.st_size, state.st_mtime_ns)
        if path not in self._known or self._known[path][0] != stamp:
            with path.open("rb") as file:
                self._known[path] = (stamp, record_of(file, path.name))
        return self._known[path][1]


def record_of(file: BinaryIO, name: str, most: int | None = None) -> FileRecord:
    """The record of an open file of this name, which is read from its beginning and left there.

    Of what gzip has packed no lines are counted where there are more than `most` bytes of text.
    """
    digest = hashlib.sha256()
    size = 0
    file.seek(0)
    while block := file.read(BLOCK):
        digest.update(block)
        size += len(block)
    lines = None if name.endswith(WITHOUT_LINES) else _lines(file, most)
    file.seek(0)
    return FileRecord(digest.hexdigest(), size, lines)


def _lines(file: BinaryIO, most: int | None) -> int | None:
    file.seek(0)
    packed = file.read(2) == b"\x1f\x8b"
    file.seek(0)
    text: BinaryIO = cast(BinaryIO, gzip.GzipFile(fileobj=file, mode="rb")) if packed else file
    lines = size = 0
    try:
        while block := text.read(BLOCK):
            lines += block.count(b"\n")
            size += len(block)
            if most is not None and size > most:
                return None
    except (EOFError, OSError, zlib.error):
        return None
    return lines


def key_of(line: CommandLine, inputs: Mapping[str, FileRecord]) -> str:
    """What a step's outputs follow from: the command with its options, the version of Assay, and the inputs' checksums."""
    told = [__version__, line.arguments, line.prints, {name: record.sha256 for name, record in inputs.items()}]
    return hashlib.sha256(json.dumps(told, sort_keys=True).encode()).hexdigest()


def write_step_manifest(path: Path, manifest: StepManifest) -> None:
    """Write it, whole or not at all."""
    aside = path.with_suffix(".new")
    aside.write_text(json.dumps(asdict(manifest), indent=1, ensure_ascii=False) + "\n", encoding="utf-8")
    aside.replace(path)


def read_step_manifest(path: Path) -> StepManifest | None:
    """The manifest at a path; None where there is none, or none that can be read."""
    try:
        return as_kind(StepManifest, read_object(path), path.name)
    except (OSError, ValueError):
        return None
