"""A folder of resources: its manifest, and its parts, which are loaded on first use."""

import logging
from collections.abc import Callable
from pathlib import Path
from typing import Final, TypeVar

from app.errors import InputError
from app.resources.lazy import Lazy
from app.resources.manifest import read_manifest, recalled_checksum

__all__ = ["USER_PREFIX", "ResourceFolder"]

log = logging.getLogger("assay")
T = TypeVar("T")
# Prefix of the names of user-built folders among all folders.
USER_PREFIX: Final = "own/"


class ResourceFolder:
    """A folder of resources whose files are checked against its manifest before the first of them is loaded.

    `name` is the name, such as ro, ro-en or ro/tagger; `own` is True if a user built the folder, False if it ships with Assay.
    """

    def __init__(self, path: Path, name: str, user_built: bool = False) -> None:
        self.path = path
        self.name = name
        self.user_built = user_built
        self.manifest = read_manifest(path)
        self.verify = Lazy(self._verify)

    @property
    def key(self) -> str:
        """Unique name among user-built and shipped folders."""
        return f"{USER_PREFIX}{self.name}" if self.user_built else self.name

    def _verify(self) -> None:
        remedy = "build it again" if self.user_built else "run make resources"
        for file, expected in self.manifest.files.items():
            if not (self.path / file).is_file():
                raise InputError("invalid-table", f"resources/{self.key}/{file} is missing; restore it or {remedy}")
            if recalled_checksum(self.path / file) != expected:
                raise InputError("invalid-table", f"resources/{self.key}/{file} is damaged; restore it or {remedy}")

    @property
    def size(self) -> int:
        """Size in bytes of the files in the manifest."""
        paths = (self.path / file for file in self.manifest.files)
        return sum(path.stat().st_size for path in paths if path.is_file())

    def recorded(self, file: str) -> tuple[str, str] | None:
        """Name of a file among all resources, and its SHA-256 in the manifest; None if the manifest does not list the file."""
        digest = self.manifest.files.get(file)
        return None if digest is None else (f"{self.name}/{file}", digest)

    def part(self, load: Callable[[Path], T], file: str) -> Lazy[T]:
        """The lazy result of `load` on a file, after all files of the folder are verified."""

        def load_verified() -> T:
            try:
                self.verify()
                return load(self.path / file)
            except InputError:
                raise
            except Exception as error:
                # A file with the right checksum may still have been written wrongly.
                log.warning("%s cannot be loaded", self.path / file, exc_info=error)
                place = f"resources/{self.key}/{file}".rstrip("/")
                raise InputError("invalid-table", f"{place} cannot be read; build it again") from None

        return Lazy(load_verified)
