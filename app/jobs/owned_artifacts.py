"""Artifacts that belong to somebody from the moment they are there."""

from collections.abc import Callable
from pathlib import Path

from app.registry.artifacts import ArtifactStore
from app.store.model_owners import ModelOwners

__all__ = ["OwnedArtifacts"]


class OwnedArtifacts:
    """An `ArtifactStore` in which all that is saved is one owner's."""

    def __init__(self, store: ArtifactStore, owners: ModelOwners, owner: str) -> None:
        self._store = store
        self._owners = owners
        self._owner = owner

    def save(self, name: str, write: Callable[[Path], None], replace: bool = False) -> None:
        """See `ArtifactStore`."""
        self._claim(name, replace)
        self._store.save(name, write, replace)

    def save_file(self, name: str, write: Callable[[Path], None], replace: bool = False) -> None:
        """See `ArtifactStore`."""
        self._claim(name, replace)
        self._store.save_file(name, write, replace)

    def _claim(self, name: str, replace: bool) -> None:
        # What is there already stays whose it is; saving refuses it.
        if replace or not self._store.folder(name).exists():
            self._owners.claim(name, self._owner)

    def folder(self, name: str) -> Path:
        """See `ArtifactStore`."""
        return self._store.folder(name)

    def names(self) -> list[str]:
        """See `ArtifactStore`."""
        return self._store.names()

    def stamp(self) -> object:
        """See `ArtifactStore`."""
        return self._store.stamp()
