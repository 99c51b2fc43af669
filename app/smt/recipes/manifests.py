"""Manifests of finished steps: inputs and outputs with checksums, which show later changes."""

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

__all__ = ["Digests", "FileRecord", "StepManifest", "key_of", "measured", "read_step_manifest", "record_of", "write_step_manifest"]

BLOCK: Final = 1 << 20
GZIP: Final = b"\x1f\x8b"
# Files of numbers have no lines.
WITHOUT_LINES: Final = (".safetensors", ".binary", ".npy", ".compact")


@dataclass(frozen=True)
class FileRecord:
    """SHA-256 and bytes of a file, or of all files in a folder; lines of a text, unpacked if gzip, otherwise None."""

    sha256: str
    bytes: int
    lines: int | None = None


@dataclass(frozen=True)
class StepManifest:
    """Record of a step's run; `finished` is None for a running or interrupted step. Times are in seconds."""

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
    """Records of files below a folder; a file is read again only after a change of its size or time."""

    root: Path
    _records: dict[Path, tuple[tuple[int, int], FileRecord]] = field(default_factory=dict)

    def of(self, names: Iterable[str]) -> dict[str, FileRecord]:
        """Records by name; OSError for a missing file."""
        return {name: self.record(self.root / name) for name in names}

    def record(self, path: Path) -> FileRecord:
        """Record of a file, or of a folder: the checksum of its sorted file names and their checksums."""
        if path.is_dir():
            parts = [(file.relative_to(path).as_posix(), self.record(file)) for file in sorted(path.rglob("*")) if file.is_file()]
            text = "".join(f"{part.sha256}  {name}\n" for name, part in parts)
            return FileRecord(hashlib.sha256(text.encode()).hexdigest(), sum(part.bytes for _, part in parts))
        state = path.stat()
        stamp = (state.st_size, state.st_mtime_ns)
        if path not in self._records or self._records[path][0] != stamp:
            with path.open("rb") as file:
                self._records[path] = (stamp, record_of(file, path.name))
        return self._records[path][1]


def record_of(file: BinaryIO, name: str, limit: int | None = None) -> FileRecord:
    """Record of an open file called `name`; `lines` is None for gzip with more than `limit` bytes of text."""
    return measured(file, name, limit)[0]


def measured(file: BinaryIO, name: str, limit: int | None = None) -> tuple[FileRecord, int]:
    """Record of an open file, and its bytes, unpacked if gzip. The file is read from its beginning and rewound at the end.

    Unpacking ends soon after `limit` bytes, or at a damaged place.
    """
    digest = hashlib.sha256()
    size = 0
    file.seek(0)
    while block := file.read(BLOCK):
        digest.update(block)
        size += len(block)
    file.seek(0)
    is_packed = file.read(2) == GZIP
    file.seek(0)
    has_lines = not name.endswith(WITHOUT_LINES)
    lines, text_bytes = _lines(file, is_packed, limit) if is_packed or has_lines else (None, size)
    file.seek(0)
    return FileRecord(digest.hexdigest(), size, lines if has_lines else None), text_bytes


def _lines(file: BinaryIO, is_packed: bool, limit: int | None) -> tuple[int | None, int]:
    """Number of lines, and number of bytes that were read to count them."""
    text: BinaryIO = cast(BinaryIO, gzip.GzipFile(fileobj=file, mode="rb")) if is_packed else file
    lines = size = 0
    try:
        while block := text.read(BLOCK):
            lines += block.count(b"\n")
            size += len(block)
            if limit is not None and size > limit:
                return None, size
    except (EOFError, OSError, zlib.error):
        return None, size
    return lines, size


def key_of(line: CommandLine, inputs: Mapping[str, FileRecord]) -> str:
    """Hash of everything that determines a step's outputs: command line, version of Assay, and checksums of the inputs."""
    facts = [__version__, line.arguments, line.prints, {name: record.sha256 for name, record in inputs.items()}]
    return hashlib.sha256(json.dumps(facts, sort_keys=True).encode()).hexdigest()


def write_step_manifest(path: Path, manifest: StepManifest) -> None:
    """Write a manifest atomically."""
    temporary = path.with_suffix(".new")
    temporary.write_text(json.dumps(asdict(manifest), indent=1, ensure_ascii=False) + "\n", encoding="utf-8")
    temporary.replace(path)


def read_step_manifest(path: Path) -> StepManifest | None:
    """Read the manifest at a path; None if it is missing or malformed."""
    try:
        return as_kind(StepManifest, read_object(path), path.name)
    except (OSError, ValueError):
        return None
