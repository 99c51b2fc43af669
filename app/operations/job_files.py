"""Files that jobs hold: what steps do with their own job's, and planning with those of the caller's other jobs."""

from collections.abc import Iterator, Mapping
from contextlib import AbstractContextManager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, BinaryIO, Final, Protocol

from typing_extensions import TypedDict

__all__ = ["FILES", "JobFiles", "MadeFile", "Stored", "StoredFiles", "made_file"]

# A job publishes under this name the files that it has made: name -> role, checksum, size, step.
FILES: Final = "files"


class JobFiles(Protocol):
    """The files of a job by their role: those that it came in, and those that its steps keep for whoever asked for it."""

    def folder(self) -> AbstractContextManager[Path]:
        """An empty folder on the data folder's disk, which is removed afterwards, also where this process is killed."""

    def pieces(self, role: str) -> Iterator[bytes]:
        """The content of a file, a megabyte at a time; nothing where there is none."""

    @property
    def least_free(self) -> int:
        """Bytes of the disk that stay free."""

    def keep(self, role: str, file: BinaryIO, most: int | None) -> None:
        """Keep a file, in place of what had its role; QuotaError where the job's owner then keeps more than `most` bytes."""

    def drop(self, role: str) -> None:
        """Keep a file no longer."""


@dataclass(frozen=True)
class Stored:
    """A file that a job holds, and the command whose step made it; None where it came with the job."""

    file: BinaryIO
    command: str | None


class StoredFiles(Protocol):
    """The files of jobs, as one caller may see them."""

    @property
    def most_bytes(self) -> int | None:
        """How many bytes the caller may keep in all; None where there is no limit."""

    def names(self, job: str, name: str) -> list[str]:
        """The file of this name, or all files of a job's folder that is called so; InputError where there is neither."""

    def open(self, job: str, name: str) -> Stored:
        """A file of a job; InputError where there is none for this caller."""


class MadeFile(TypedDict):
    """A file of a job: SHA-256, bytes, lines where it is text (of gzip the text's); which step made it, null of what was given."""

    name: str
    sha256: str
    bytes: int
    lines: int | None
    step: str | None


def made_file(name: str, entry: Mapping[str, Any]) -> MadeFile:
    """A file as callers see it."""
    return {
        "name": name,
        "sha256": entry["sha256"],
        "bytes": entry["bytes"],
        "lines": entry["lines"],
        "step": entry["step"],
    }
