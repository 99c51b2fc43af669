"""The checkpoints of a process: what lies in the folder of the setting ASSAY_CHECKPOINTS, one folder each."""

import logging
import threading
from collections.abc import Mapping
from pathlib import Path
from typing import Final

from app.errors import InputError
from app.resources.checkpoints.checkpoint import Checkpoint, unusable

__all__ = ["Checkpoints"]

log = logging.getLogger("assay")
# What a model that is loaded is asked once.
WARMING: Final = ("a", "a", "a")


class Checkpoints:
    """Checkpoints by name; what cannot be used is left out, and `broken` says why. Looked through once, when first asked."""

    def __init__(self, folder: Path | None = None) -> None:
        self._folder = folder
        self._lock = threading.RLock()
        self._checkpoints: dict[str, Checkpoint] = {}
        self._broken: dict[str, str] = {}
        self._looked = False

    @property
    def usable(self) -> Mapping[str, Checkpoint]:
        """Those that can be used, or seem so while nobody asked them."""
        self._look()
        return dict(self._checkpoints)

    @property
    def broken(self) -> Mapping[str, str]:
        """Why others cannot be used, by name."""
        self._look()
        return dict(self._broken)

    def checkpoint(self, name: str) -> Checkpoint:
        """The checkpoint of a name, loaded; InputError says why there is none, or which there are."""
        self._look()
        chosen = self._checkpoints.get(name)
        if chosen is None:
            if name in self._broken:
                raise InputError("missing-checkpoint", self._broken[name])
            names = ", ".join(self._checkpoints) or "none"
            raise InputError("unknown-metric", f"no checkpoint of that name is loaded; checkpoints here are {names}")
        chosen.load()
        return chosen

    def lacking(self, name: str) -> str | None:
        """Why a checkpoint cannot score a translation beside its source alone; None where it can, so far as its card says."""
        self._look()
        if (checkpoint := self._checkpoints.get(name)) is None:
            return (
                self._broken.get(name)
                or f"the checkpoint {name} is not loaded (ASSAY_CHECKPOINTS), or not asked in the profile fast"
            )
        if checkpoint.card.reference == "needed":
            return f"the checkpoint {name} compares {checkpoint.card.needs}, and what is estimated has no reference"
        return None

    @property
    def without_references(self) -> list[str]:
        """Names of those that score a translation beside its source alone."""
        return [name for name in self.usable if self.lacking(name) is None]

    def without_reference(self, name: str) -> Checkpoint:
        """A checkpoint that scores a translation beside its source alone, loaded; InputError says why there is none."""
        if (reason := self.lacking(name)) is not None:
            raise InputError("missing-checkpoint", reason)
        return self.checkpoint(name)

    def warm_up(self) -> None:
        """Load each, and let it score once, so that no request waits; what fails is left out."""
        for name, checkpoint in self.usable.items():
            try:
                checkpoint.load()
                list(checkpoint.scores([WARMING]))
            except Exception as error:
                self._leave_out(name, error)

    def _leave_out(self, name: str, error: Exception) -> None:
        detail = error.detail if isinstance(error, InputError) else unusable(name, type(error).__name__).detail
        log.error("%s", detail, exc_info=None if isinstance(error, InputError) else error)
        with self._lock:
            self._checkpoints.pop(name, None)
            self._broken[name] = detail

    def _look(self) -> None:
        with self._lock:
            if self._looked:
                return
            self._looked = True
            for folder in _folders(self._folder) if self._folder is not None else []:
                try:
                    self._checkpoints[folder.name] = Checkpoint(folder)
                except InputError as error:
                    self._leave_out(folder.name, error)


def _folders(folder: Path) -> list[Path]:
    try:
        return sorted(path for path in folder.iterdir() if path.is_dir() and not path.name.startswith("."))
    except OSError as error:
        log.error("ASSAY_CHECKPOINTS: the folder cannot be read: %s", error.strerror)
        return []
