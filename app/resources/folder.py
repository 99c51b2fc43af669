"""One folder of resources: its manifest, and its parts, loaded when they are first asked for."""

import logging
from collections.abc import Callable
from pathlib import Path
from typing import Final, TypeVar

from app.errors import InputError
from app.resources.lazy import Lazy
from app.resources.manifest import checksum, read_manifest

__all__ = ["OWN", "ResourceFolder"]

log = logging.getLogger("assay")
T = TypeVar("T")
# Before the name of a folder that is a user's own, where those that ship are named too.
OWN: Final = "own/"


class ResourceFolder:
    """A folder of resources whose files are held to its manifest once, before the first of them is loaded.

    `name` is what it is called, as ro, ro-en or ro/tagger; `own` says that a user built it and that it did not ship.
    """

    def __init__(self, path: Path, name: str, own: bool = False) -> None:
        self.path = path
        self.name = name
        self.own = own
        self.manifest = read_manifest(path)
        self.verify = Lazy(self._verify)

    @property
    def key(self) -> str:
        """Its name among all folders, own ones and those that ship."""
        return f"{OWN}{self.name}" if self.own else self.name

    def _verify(self) -> None:
        again = "build it again" if self.own else "run make resources"
        for file, expected in self.manifest.files.items():
            if not (self.path / file).is_file():
                raise InputError("invalid-table", f"resources/{self.key}/{file} is missing; restore it or {again}")
            if checksum(self.path / file) != expected:
                raise InputError("invalid-table", f"resources/{self.key}/{file} is damaged; restore it or {again}")

    @property
    def size(self) -> int:
        """Bytes of the files that the manifest names."""
        paths = (self.path / file for file in self.manifest.files)
        return sum(path.stat().st_size for path in paths if path.is_file())

    def recorded(self, file: str) -> tuple[str, str] | None:
        """The name of a file among all resources and its SHA-256 as the manifest has it; None where it has none."""
        digest = self.manifest.files.get(file)
        return None if digest is None else (f"{self.name}/{file}", digest)

    def part(self, load: Callable[[Path], T], file: str) -> Lazy[T]:
        """What `load` makes of a file, once it is asked for and all is verified."""

        def load_verified() -> T:
            try:
                self.verify()
                return load(self.path / file)
            except InputError:
                raise
            except Exception as error:
                # A checksum says that a file is what was written, not that it was right.
                log.warning("%s cannot be loaded", self.path / file, exc_info=error)
                place = f"resources/{self.key}/{file}".rstrip("/")
                raise InputError("invalid-table", f"{place} cannot be read as what it is called; build it again") from None

        return Lazy(load_verified)
