"""Phrase-based systems by direction, each opened once, when it is first asked for or at the start."""

import logging
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Final

from app.errors import InputError
from app.resources.folder import ResourceFolder
from app.resources.lazy import LazyMapping
from app.text.languages import LanguagePair

if TYPE_CHECKING:
    # A decoder is imported where somebody translates.
    from app.smt.decoder.serving import ServedSystem

__all__ = ["LoadedSystems"]

log = logging.getLogger("assay")
# Distinct lists are made of plain ones, so that this compiles both.
PROBE: Final = ("a b c .", "")


def _opened(folder: Path) -> "ServedSystem":
    from app.smt.decoder.serving import ServedSystem

    return ServedSystem.open(folder)


class LoadedSystems:
    """Those in folders of resources; `broken` says by folder why one cannot be used."""

    def __init__(self, folders: Mapping[LanguagePair, ResourceFolder]) -> None:
        self._folders = folders
        self._systems = LazyMapping({pair: folder.part(_opened, "") for pair, folder in folders.items()})
        self.broken: dict[str, str] = {}

    @property
    def pairs(self) -> tuple[LanguagePair, ...]:
        """Directions that can be translated."""
        return tuple(sorted(pair for pair, folder in self._folders.items() if folder.key not in self.broken))

    def nearest(self, pair: LanguagePair) -> LanguagePair:
        """The direction that answers for a pair; InputError (`missing-system`) names those there are."""
        there = self.pairs
        nearest = pair.nearest(there)
        if nearest is None:
            systems = f"systems that are loaded translate {', '.join(map(str, there))}" if there else "no system is loaded"
            reason = self.broken.get(self._folders[pair].key) if pair in self._folders else None
            why = f" ({reason})" if reason else ""
            detail = f"nothing translates {pair}{why}; {systems}; assay smt import adds one that assay smt train made"
            raise InputError("missing-system", detail, ("source_language",))
        return nearest

    def of(self, pair: LanguagePair) -> "ServedSystem":
        """The system that translates a pair; InputError as of `nearest`, or where its files are not what they were."""
        direction = self.nearest(pair)
        system = self._systems[direction]
        if system.pair != direction:
            detail = f"resources/{self._folders[direction].key} holds a system that translates {system.pair}"
            raise InputError("invalid-table", detail)
        return system

    def name_of(self, pair: LanguagePair) -> str:
        """The folder of resources of the system that translates a pair."""
        return self._folders[self.nearest(pair)].key

    def fingerprint(self, pair: LanguagePair) -> dict[str, str]:
        """The name of a system's folder and the SHA-256 of its files, which a job keeps to be worked on by no other."""
        folder = self._folders[self.nearest(pair)]
        return {f"{folder.key}/{name}": digest for name, digest in sorted(folder.manifest.files.items())}

    def check(self, fingerprint: Mapping[str, str], pairs: Iterable[LanguagePair]) -> None:
        """InputError where systems are not those that a job was planned with."""
        if {name: digest for pair in pairs for name, digest in self.fingerprint(pair).items()} != dict(fingerprint):
            detail = "the systems that this job was planned with are not loaded any more; put them back, or send it again"
            raise InputError("missing-system", detail)

    def load(self, pairs: Iterable[LanguagePair] | None = None) -> None:
        """Open all systems, or those of pairs in either direction, and use each once; one that fails is left out."""
        wanted = None if pairs is None else {direction for pair in pairs for direction in (pair, pair.reversed)}
        for pair, folder in self._folders.items():
            if wanted is None or pair in wanted:
                try:
                    list(self.of(pair).translate(PROBE, n_best=2, distinct=True))
                except Exception as error:
                    if not isinstance(error, InputError):
                        log.exception("%s cannot be worked with", folder.key)
                    reason = error.detail if isinstance(error, InputError) else f"it cannot be worked with ({type(error).__name__})"
                    log.error("resources/%s is left out: %s", folder.key, reason)
                    self.broken[folder.key] = reason
