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
    """Files of a job by their role: its input, and the output of its steps for the caller."""

    def folder(self) -> AbstractContextManager[Path]:
        """An empty folder on the data folder's disk, which is removed afterwards, also where this process is killed."""

    def pieces(self, role: str) -> Iterator[bytes]:
        """The content of a file, a megabyte at a time; nothing where there is none."""

    @property
    def least_free(self) -> int:
        """Bytes of the disk that stay free."""

    def keep(self, role: str, file: BinaryIO, limit: int | None) -> None:
        """Keep a file, in place of what had its role; QuotaError where the job's owner then keeps more than `limit` bytes."""

    def drop(self, role: str) -> None:
        """Keep a file no longer."""


@dataclass(frozen=True)
class Stored:
    """A file of a job, and the command whose step made it; None for input."""

    file: BinaryIO
    command: str | None


class StoredFiles(Protocol):
    """The files of jobs, as one caller may see them."""

    @property
    def most_bytes(self) -> int | None:
        """Limit of the bytes that the caller may store; None without a limit."""

    def names(self, job: str, name: str) -> list[str]:
        """The file of this name, or all files of a job's folder that is called so; InputError where there is neither."""

    def open(self, job: str, name: str) -> Stored:
        """A file of a job; InputError where there is none for this caller."""


class MadeFile(TypedDict):
    """A file of a job: SHA-256, bytes, lines of its text (after gzip), and the step that made it, null for input."""

    name: str
    sha256: str
    bytes: int
    lines: int | None
    step: str | None


def made_file(name: str, entry: Mapping[str, Any]) -> MadeFile:
    """A file as callers see it."""
    return {"name": name, "sha256": entry["sha256"], "bytes": entry["bytes"], "lines": entry["lines"], "step": entry["step"]}
