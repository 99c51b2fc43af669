"""Where finished models are kept."""

from collections.abc import Callable
from pathlib import Path
from typing import Protocol

__all__ = ["ArtifactStore"]


class ArtifactStore(Protocol):
    """Folders by name, each of which appears at once."""

    def save(self, name: str, write: Callable[[Path], None], replace: bool = False) -> None:
        """Keep what `write` puts into a folder."""

    def folder(self, name: str) -> Path:
        """Where it lies."""

    def names(self) -> list[str]:
        """What there is."""
