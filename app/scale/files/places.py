"""Addresses of files: local paths, and remote ones such as ``s3://bucket/key`` by fsspec where its extra is installed."""

import gzip
import io
import json
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from typing import Any, BinaryIO, Final

from app.building.writing import file_aside, file_identity, remove_leftovers
from app.errors import InputError, is_disk_full
from app.running.extras import package_of
from app.scale.files.remote_bytes import remote_bytes

__all__ = [
    "Place",
    "check_address",
    "check_shared",
    "clear",
    "files_at",
    "files_in",
    "identity_of",
    "kind_of",
    "local_path",
    "open_compressed",
    "place_at",
    "place_of",
    "read_json",
    "remove",
    "whole_file",
    "write_json",
]

# Names of files end in a kind, and in a kind of compression.
COMPRESSIONS: Final = (".gz", ".zst")
# Reason of a file that cannot be written.
NO_FOLDER: Final = "its bucket or folder does not exist"
# Kinds of places that are no files, with a remedy.
NO_FILES: Final = {"directory": "a folder; name its files, as in FOLDER/*.parquet"}


@dataclass(frozen=True)
class Place:
    """A file: its file system by fsspec, path there, size in bytes, and a text that differs after any change."""

    system: Any
    path: str
    size: int
    state: str

    @property
    def name(self) -> str:
        """Name without folders."""
        return PurePosixPath(self.path).name

    @property
    def address(self) -> str:
        """Address that opens the file again."""
        address: str = self.system.unstrip_protocol(self.path)
        return address.removeprefix("file://")

    @contextmanager
    def open(self) -> Iterator[BinaryIO]:
        """The file's bytes; InputError (`invalid-request`) if it cannot be read."""
        try:
            with self.system.open(self.path, "rb") as file:
                yield file if "file" in self.system.protocol else remote_bytes(file)
        except OSError as error:
            # Of a copy that the caller writes.
            if is_disk_full(error):
                raise
            raise unreadable(self.address, error) from None

    def check_unchanged(self) -> None:
        """InputError (`invalid-table`) if the file is another one than at first."""
        if place_of(self.address).state != self.state:
            raise InputError("invalid-table", f"{self.address} changed while it was read; run again", (self.name,))


def place_of(address: str) -> Place:
    """The file at an address; InputError (`invalid-request`) if there is none."""
    place = place_at(address)
    if place is None:
        raise unreadable(address, FileNotFoundError())
    return place


def place_at(address: str) -> Place | None:
    """The file at an address, or None if there is none; InputError (`invalid-request`) if its store does not answer."""
    system, path = _system_of(address)
    with errors_of_store(system, address):
        system.invalidate_cache()
        try:
            facts = _facts(system, path)
        except FileNotFoundError:
            return None
    if facts["type"] != "file":
        raise InputError("invalid-request", f"{address} is {NO_FILES.get(facts['type'], 'no regular file')}")
    if facts["size"] is None:
        raise InputError("invalid-request", f"{address}: its server does not say its size; copy it to a disk or a bucket")
    state = next((str(facts[name]) for name in ("ETag", "etag", "mtime", "LastModified", "created") if facts.get(name)), "")
    return Place(system, path, int(facts["size"]), f"{facts['size']} {state}")


def _facts(system: Any, path: str) -> Any:
    """Facts about a file; FileNotFoundError if there is none, another OSError if its store does not answer."""
    try:
        return system.info(path)
    except FileNotFoundError as error:
        # Stores of HTTP say so of a refused connection.
        cause = error.__cause__
        if not isinstance(cause, OSError) or isinstance(cause, FileNotFoundError):
            raise
        raise OSError(str(cause) or type(cause).__name__) from None


def files_at(pattern: str) -> list[str]:
    """Addresses that match a pattern with ``*`` and ``?``, sorted; the pattern itself if it has none."""
    if not any(sign in pattern for sign in "*?["):
        return [pattern]
    system, path = _system_of(pattern)
    with errors_of_store(system, pattern):
        addresses = [system.unstrip_protocol(match).removeprefix("file://") for match in system.glob(path)]
    if not addresses:
        raise InputError("invalid-request", f"no file matches {pattern}")
    return sorted(addresses)


def files_in(folder: str) -> list[str]:
    """Addresses of the files in a folder, sorted; none if there is no such folder."""
    system, path = _system_of(folder)
    with errors_of_store(system, folder):
        system.invalidate_cache()
        try:
            entries = system.ls(path, detail=True)
        except FileNotFoundError:
            return []
    return sorted(system.unstrip_protocol(entry["name"]).removeprefix("file://") for entry in entries if entry["type"] == "file")


def check_address(address: str) -> None:
    """InputError (`invalid-request`) for an address whose store is unknown or needs a package that is not installed."""
    _system_of(address)


def check_shared(address: str) -> None:
    """InputError (`invalid-request`) for an address in the memory of a process, which no other process reads."""
    if "memory" in _system_of(address)[0].protocol:
        raise InputError("invalid-request", f"{address} is memory of one process, and ends with it; name a folder or a bucket")


def local_path(address: str) -> Path | None:
    """Path of a local address; None for one in a store of objects."""
    system, path = _system_of(address)
    return Path(path) if "file" in system.protocol else None


def identity_of(address: str) -> object:
    """A value that all addresses of one file have, through links too."""
    path = local_path(address)
    if path is not None:
        return file_identity(path)
    system, remote_path = _system_of(address)
    return system.unstrip_protocol(remote_path)


def _system_of(address: str) -> tuple[Any, str]:
    """File system of an address, and the path there."""
    fsspec = package_of("fsspec", "parquet")
    try:
        system, path = fsspec.core.url_to_fs(address)
    except (ImportError, ValueError) as error:
        raise InputError("invalid-request", f"{address} cannot be opened: {error}") from None
    return system, path


def unreadable(address: str, error: OSError, absence: str = "there is no such file") -> InputError:
    """InputError (`invalid-request`) about a file that cannot be read or written, with the reason."""
    reason = absence if isinstance(error, FileNotFoundError) else error.strerror or str(error) or "cannot be read"
    return InputError("invalid-request", f"{address}: {reason}")


@contextmanager
def errors_of_store(system: Any, address: str, absence: str = "there is no such file") -> Iterator[None]:
    """InputError (`invalid-request`) about a file, for any error of a remote store: their packages have classes of their own."""
    try:
        yield
    except OSError as error:
        raise unreadable(address, error, absence) from None
    except Exception as error:
        if "file" in system.protocol or isinstance(error, InputError):
            raise
        raise InputError("invalid-request", f"{address}: {error}") from None


def kind_of(name: str) -> tuple[str, str]:
    """Kind of a file by the end of its name, as ``.tsv``, and that of its compression, empty if it has none."""
    path = PurePosixPath(name)
    compression = path.suffix if path.suffix in COMPRESSIONS else ""
    return PurePosixPath(path.name.removesuffix(compression)).suffix, compression


def open_compressed(file: BinaryIO, compression: str) -> BinaryIO:
    """Inflated bytes of a file."""
    if compression == ".gz":
        return gzip.open(file)  # type: ignore[return-value]
    if compression == ".zst":
        pa = package_of("pyarrow", "parquet")
        return io.BufferedReader(pa.CompressedInputStream(file, "zstd"))
    return file


def remove(address: str) -> None:
    """Delete a file, if it is there; InputError (`invalid-request`) if its store refuses."""
    system, path = _system_of(address)
    with errors_of_store(system, address), suppress(FileNotFoundError):
        system.rm_file(path)


def clear(address: str, below: bool = False) -> None:
    """Delete the hidden files of killed processes from a local folder, and from folders `below`; stores of objects have none."""
    folder = local_path(address)
    if folder is not None:
        for part in (folder, *(folder.rglob("*/") if below else ())):
            remove_leftovers(part)


@contextmanager
def whole_file(address: str) -> Iterator[BinaryIO]:
    """A new file that appears when it is complete: renamed after `fsync` on a local disk, uploaded at its close elsewhere."""
    system, path = _system_of(address)
    if "file" not in system.protocol:
        with errors_of_store(system, address, NO_FOLDER):
            file = system.open(path, "wb")
        try:
            yield file
        except BaseException:
            if hasattr(file, "discard"):
                file.discard()
                # Its finaliser would upload the rest.
                file.closed = True
            raise
        with errors_of_store(system, address, NO_FOLDER):
            file.close()
        return
    target = Path(path)
    target.parent.mkdir(parents=True, exist_ok=True)
    with file_aside(target) as staging, staging.open("wb") as local:
        yield local


def write_json(address: str, value: Any) -> None:
    """Write a value to a new file; InputError (`invalid-request`) if it cannot be written."""
    try:
        with whole_file(address) as file:
            file.write(json.dumps(value, indent=1, allow_nan=False).encode())
    except OSError as error:
        if is_disk_full(error):
            raise
        raise unreadable(address, error, NO_FOLDER) from None


def read_json(address: str) -> Any:
    """The value in a file; InputError if there is no file, ValueError if it is no JSON."""
    with place_of(address).open() as file:
        return json.loads(file.read())
