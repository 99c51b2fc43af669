"""Files that jobs hold: what steps do with their own job's, and planning with those of the caller's other jobs."""

from collections.abc import Iterator
from contextlib import AbstractContextManager
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO, Protocol

__all__ = ["JobFiles", "Stored", "StoredFiles"]


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
