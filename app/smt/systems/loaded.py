"""Phrase-based systems by direction; each opens once, on first use or at the start."""

import logging
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Final

from app.errors import InputError
from app.resources.folder import ResourceFolder
from app.resources.lazy import LazyMapping
from app.text.languages import LanguagePair

if TYPE_CHECKING:
    # The decoder takes a second to import: only a translation imports it.
    from app.smt.decoder.serving.served_system import ServedSystem

__all__ = ["LoadedSystems"]

log = logging.getLogger("assay")
# Texts of a first translation. Distinct lists use plain ones, so one call compiles both.
PROBE: Final = ("a b c .", "")


def _opened(folder: Path) -> "ServedSystem":
    from app.smt.decoder.serving.served_system import ServedSystem

    return ServedSystem.open(folder)


class LoadedSystems:
    """Systems in folders of resources; `broken` has the reason for each folder that fails."""

    def __init__(self, folders: Mapping[LanguagePair, ResourceFolder]) -> None:
        self._folders = folders
        self._systems = LazyMapping({pair: folder.part(_opened, "") for pair, folder in folders.items()})
        self.broken: dict[str, str] = {}

    @property
    def pairs(self) -> tuple[LanguagePair, ...]:
        """Directions with a working system, sorted."""
        return tuple(sorted(pair for pair, folder in self._folders.items() if folder.key not in self.broken))

    def nearest(self, pair: LanguagePair) -> LanguagePair:
        """Return the nearest direction with a system; InputError (`missing-system`) names the loaded ones."""
        working = self.pairs
        nearest = pair.nearest(working)
        if nearest is None:
            systems = f"loaded systems translate {', '.join(map(str, working))}" if working else "no system is loaded"
            reason = self.broken.get(self._folders[pair].key) if pair in self._folders else None
            reason_text = f" ({reason})" if reason else ""
            detail = f"nothing translates {pair}{reason_text}; {systems}; add one by assay smt import, after assay smt train"
            raise InputError("missing-system", detail, ("source_language",))
        return nearest

    def of(self, pair: LanguagePair) -> "ServedSystem":
        """Return the system for a pair; InputError as `nearest`, or if its files changed."""
        direction = self.nearest(pair)
        system = self._systems[direction]
        if system.pair != direction:
            detail = f"resources/{self._folders[direction].key} contains a system for {system.pair}; restore the folder"
            raise InputError("invalid-table", detail)
        return system

    def name_of(self, pair: LanguagePair) -> str:
        """Return the resource folder of the system for a pair."""
        return self._folders[self.nearest(pair)].key

    def fingerprint(self, pair: LanguagePair) -> dict[str, str]:
        """Return the SHA-256 of each file of a system by folder and name; jobs store it to detect changes."""
        folder = self._folders[self.nearest(pair)]
        return {f"{folder.key}/{name}": digest for name, digest in sorted(folder.manifest.files.items())}

    def check(self, fingerprint: Mapping[str, str], pairs: Iterable[LanguagePair]) -> None:
        """Raise InputError if the loaded systems differ from a job's fingerprint."""
        if {name: digest for pair in pairs for name, digest in self.fingerprint(pair).items()} != dict(fingerprint):
            detail = "the systems of this job are no longer loaded; restore them, or send the job again"
            raise InputError("missing-system", detail)

    def load(self, pairs: Iterable[LanguagePair] | None = None) -> None:
        """Open all systems, or those of `pairs` in both directions, and use each once; failing ones go to `broken`."""
        directions = None if pairs is None else {direction for pair in pairs for direction in (pair, pair.reversed)}
        for pair, folder in self._folders.items():
            if directions is None or pair in directions:
                try:
                    list(self.of(pair).translate(PROBE, n_best=2, distinct=True))
                except Exception as error:
                    if not isinstance(error, InputError):
                        log.exception("%s fails", folder.key)
                    reason = error.detail if isinstance(error, InputError) else f"first translation failed ({type(error).__name__})"
                    log.error("resources/%s is left out: %s", folder.key, reason)
                    self.broken[folder.key] = reason
