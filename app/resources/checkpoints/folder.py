"""The checkpoints of a process: the folders in the folder of the setting ASSAY_CHECKPOINTS."""

import logging
import threading
from collections.abc import Mapping
from pathlib import Path
from typing import Final

from app.errors import InputError
from app.resources.checkpoints.checkpoint import Checkpoint, unusable

__all__ = ["Checkpoints"]

IMPORT: Final = "assay resources import-checkpoint adds one to the folder of ASSAY_CHECKPOINTS"
log = logging.getLogger("assay")
# Source, translation and reference of the first score of a model.
WARM_UP_ROW: Final = ("a", "a", "a")


class Checkpoints:
    """Checkpoints by name; `broken` has the errors of unusable ones. The folder is read once, at the first use."""

    def __init__(self, folder: Path | None = None) -> None:
        self._folder = folder
        self._lock = threading.RLock()
        self._checkpoints: dict[str, Checkpoint] = {}
        self._broken: dict[str, str] = {}
        self._read = False

    @property
    def usable(self) -> Mapping[str, Checkpoint]:
        """Checkpoints whose cards are sound, without those whose files turned out to be damaged."""
        self._read_folder()
        return dict(self._checkpoints)

    @property
    def broken(self) -> Mapping[str, str]:
        """Errors of the other checkpoints, by name."""
        self._read_folder()
        return dict(self._broken)

    def checkpoint(self, name: str) -> Checkpoint:
        """The checkpoint of a name, loaded; InputError has its error, or the names of all."""
        self._read_folder()
        checkpoint = self._checkpoints.get(name)
        if checkpoint is None:
            if name in self._broken:
                raise InputError("missing-checkpoint", self._broken[name])
            names = ", ".join(self._checkpoints) or "none"
            detail = f"no checkpoint of that name is loaded; checkpoints here are {names}; {IMPORT}"
            raise InputError("unknown-metric", detail)
        checkpoint.load()
        return checkpoint

    def obstacle(self, name: str) -> str | None:
        """The reason why a checkpoint cannot score a translation with its source alone; None where its card allows it."""
        self._read_folder()
        if (checkpoint := self._checkpoints.get(name)) is None:
            return (
                self._broken.get(name)
                or f"the checkpoint {name} is not loaded (ASSAY_CHECKPOINTS), or is not part of the profile fast"
            )
        if checkpoint.card.reference == "needed":
            return f"the checkpoint {name} compares {checkpoint.card.needs}, and estimation has no reference"
        return None

    @property
    def without_references(self) -> list[str]:
        """Names of checkpoints that score a translation with its source alone."""
        return [name for name in self.usable if self.obstacle(name) is None]

    def without_reference(self, name: str) -> Checkpoint:
        """A checkpoint that scores a translation with its source alone, loaded; InputError has the obstacle."""
        if (reason := self.obstacle(name)) is not None:
            raise InputError("missing-checkpoint", reason)
        return self.checkpoint(name)

    def warm_up(self) -> None:
        """Load each and score once, so that no request waits; a checkpoint that fails joins the broken ones."""
        for name, checkpoint in self.usable.items():
            try:
                checkpoint.load()
                list(checkpoint.scores([WARM_UP_ROW]))
            except Exception as error:
                self._exclude(name, error)

    def _exclude(self, name: str, error: Exception) -> None:
        detail = error.detail if isinstance(error, InputError) else unusable(name, type(error).__name__).detail
        log.error("%s", detail, exc_info=None if isinstance(error, InputError) else error)
        with self._lock:
            self._checkpoints.pop(name, None)
            self._broken[name] = detail

    def _read_folder(self) -> None:
        with self._lock:
            if self._read:
                return
            self._read = True
            for folder in _folders(self._folder) if self._folder is not None else []:
                try:
                    self._checkpoints[folder.name] = Checkpoint(folder)
                except InputError as error:
                    self._exclude(folder.name, error)


def _folders(folder: Path) -> list[Path]:
    try:
        return sorted(path for path in folder.iterdir() if path.is_dir() and not path.name.startswith("."))
    except OSError as error:
        log.error("ASSAY_CHECKPOINTS: the folder cannot be read: %s", error.strerror)
        return []
