"""A backup as a file: a tar archive of files, and at its end a manifest with the size and SHA-256 of each."""

import hashlib
import json
import os
import tarfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import asdict, dataclass, field
from datetime import UTC, datetime
from io import BytesIO
from pathlib import Path, PurePosixPath
from typing import IO, Any, BinaryIO, Final

from app import __version__
from app.errors import InputError

__all__ = ["DATABASE", "EXCLUDED_FOLDERS", "FOLDER", "Archive", "ArchiveManifest", "extract", "writing"]

DATABASE: Final = "database.sqlite3"
FOLDER: Final = "data"
MANIFEST: Final = "manifest.json"
# Folders of a data folder that only running processes need.
EXCLUDED_FOLDERS: Final = frozenset({"workers"})
FORMAT: Final = 1
BLOCK: Final = 1 << 20
LARGEST_MANIFEST: Final = 64 << 20


@dataclass(frozen=True)
class ArchiveManifest:
    """Content of a backup: files by name with size (bytes) and SHA-256, the database and the revision of its tables."""

    created: str
    database: str
    revision: str
    files: dict[str, tuple[int, str]]
    assay: str = __version__
    format: int = FORMAT


class Archive:
    """A backup that is being written, to anything that takes bytes one after the other; memory does not grow with its files."""

    def __init__(self, file: BinaryIO, database: str, revision: str) -> None:
        self._tar = tarfile.open(fileobj=file, mode="w|", format=tarfile.PAX_FORMAT)  # noqa: SIM115  (closed by `close`)
        self._database = database
        self._revision = revision
        self._created = datetime.now(UTC).isoformat(timespec="seconds")
        self._files: dict[str, tuple[int, str]] = {}

    def add(self, name: str, path: Path) -> None:
        """Add a file as long as it is now, whatever comes behind it later."""
        with path.open("rb") as file:
            status = os.fstat(file.fileno())
            hashed_file = _HashingFile(file)
            self._tar.addfile(_entry(name, status.st_size, status.st_mtime), hashed_file)
        self._files[name] = status.st_size, hashed_file.digest.hexdigest()

    def close(self) -> ArchiveManifest:
        """Write the manifest, without which a backup is none."""
        manifest = ArchiveManifest(self._created, self._database, self._revision, self._files)
        raw = json.dumps(asdict(manifest), indent=1).encode("ascii")
        self._tar.addfile(_entry(MANIFEST, len(raw), time.time()), BytesIO(raw))
        self._tar.close()
        return manifest


def _entry(name: str, size: int, changed: float) -> tarfile.TarInfo:
    entry = tarfile.TarInfo(name)
    entry.size, entry.mtime, entry.mode = size, int(changed), 0o600
    return entry


@dataclass
class _HashingFile:
    """A file that is read once, and the hash of its content."""

    file: IO[bytes]
    digest: Any = field(default_factory=hashlib.sha256)

    def read(self, size: int = -1) -> bytes:
        block = self.file.read(size)
        self.digest.update(block)
        return block


@contextmanager
def writing(path: Path) -> Iterator[BinaryIO]:
    """A file that is there as a whole, for its owner alone to read, when the block has ended well, or not at all."""
    part_path = path.with_name(f".{path.name}.{os.getpid()}.part")
    try:
        descriptor = os.open(part_path, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600)
        with os.fdopen(descriptor, "wb") as file:
            yield file
            file.flush()
            os.fsync(file.fileno())
        part_path.replace(path)
        sync_folder(path.parent)
    finally:
        part_path.unlink(missing_ok=True)


def sync_folder(folder: Path) -> None:
    """Write the entries of a folder to the disk."""
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def extract(file: BinaryIO, folder: Path) -> ArchiveManifest:
    """Write the files of a backup into an empty folder and verify all of them; InputError where anything is not as it should be.

    Names that would lead elsewhere, links, devices and whatever else is no plain file are refused.
    """
    files: dict[str, tuple[int, str]] = {}
    raw: bytes | None = None
    try:
        with tarfile.open(fileobj=file, mode="r|") as tar:
            for entry in tar:
                if raw is not None:
                    raise _invalid("something stands behind its manifest")
                content = tar.extractfile(entry) if entry.isreg() and not entry.issparse() else None
                if content is None:
                    raise _invalid("it holds something that is no plain file")
                if entry.name == MANIFEST:
                    if entry.size > LARGEST_MANIFEST:
                        raise _invalid("its manifest is too large")
                    raw = content.read()
                else:
                    files[entry.name] = _extract_one(content, folder / _checked(entry.name, files))
    except InputError:
        raise
    except (tarfile.TarError, EOFError, ValueError, OverflowError):
        # Some of what is wrong in headers comes out of tarfile as it is.
        raise _invalid("it is damaged, or cut off") from None
    if raw is None:
        raise _invalid("it has no manifest: it was cut off, or is something else")
    manifest = _manifest(raw)
    for name in manifest.files.keys() ^ files.keys():
        raise _invalid(f"its manifest and what it holds differ: {name!a}")
    for name, (size, digest) in manifest.files.items():
        if files[name] != (size, digest):
            raise _invalid(f"{name!a} is not what was saved: its checksum differs")
    return manifest


def _checked(name: str, before: dict[str, tuple[int, str]]) -> str:
    parts = PurePosixPath(name).parts
    plain = all(part.isprintable() and not part.startswith(".") and "\\" not in part for part in parts)
    is_own = name == DATABASE or (len(parts) > 1 and parts[0] == FOLDER and parts[1] not in EXCLUDED_FOLDERS)
    if not (plain and is_own and name == "/".join(parts)) or name in before:
        raise _invalid(f"it holds a file of a name that no backup has: {name[:200]!a}")
    return name


def _extract_one(content: IO[bytes], path: Path) -> tuple[int, str]:
    path.parent.mkdir(parents=True, exist_ok=True)
    hashed_content, size = _HashingFile(content), 0
    # For its owner alone, as the backup itself is.
    with os.fdopen(os.open(path, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600), "wb") as file:
        while block := hashed_content.read(BLOCK):
            size += file.write(block)
        file.flush()
        os.fsync(file.fileno())
    return size, hashed_content.digest.hexdigest()


def _manifest(raw: bytes) -> ArchiveManifest:
    try:
        fields = json.loads(raw)
        fields["files"] = {str(name): (int(size), str(digest)) for name, (size, digest) in fields["files"].items()}
        manifest = ArchiveManifest(**fields)
        datetime.fromisoformat(manifest.created)
        if not all(isinstance(text, str) and text.isprintable() for text in (manifest.database, manifest.revision, manifest.assay)):
            raise ValueError
    except (ArithmeticError, ValueError, TypeError, KeyError, AttributeError, RecursionError):
        raise _invalid("its manifest cannot be read") from None
    if manifest.format != FORMAT:
        raise _invalid(f"it was made by Assay {manifest.assay!a}, in a form that this version does not know")
    return manifest


def _invalid(reason: str) -> InputError:
    return InputError("invalid-backup", f"the backup cannot be used: {reason}")
