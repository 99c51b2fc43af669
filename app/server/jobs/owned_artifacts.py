"""Artifacts with an owner and a recorded job from their creation on."""

from collections.abc import Callable
from pathlib import Path
from typing import Any, Final

from app.registry.artifacts import ArtifactStore
from app.server.store.audit import Actor, AuditLog
from app.server.store.model_owners import ModelOwners
from app.server.store.view import JobView

__all__ = ["OwnedArtifacts", "record_promotion"]

WORKER: Final = "worker"


class OwnedArtifacts:
    """An `ArtifactStore` that saves for the job's owner, if it has one."""

    def __init__(self, store: ArtifactStore, owners: ModelOwners, audit: AuditLog, job: JobView) -> None:
        self._store = store
        self._owners = owners
        self._audit = audit
        self._job = job

    def save(self, name: str, write: Callable[[Path], None], replace: bool = False) -> None:
        """See `ArtifactStore`."""
        self._claim(name, replace)
        self._store.save(name, write, replace)
        self._record(name)

    def save_file(self, name: str, write: Callable[[Path], None], replace: bool = False) -> None:
        """See `ArtifactStore`."""
        self._claim(name, replace)
        self._store.save_file(name, write, replace)
        self._record(name)

    def _record(self, name: str) -> None:
        # Afterwards: a worker that dies in between repeats its step, and this with it.
        self._audit.add(Actor(WORKER, self._job.owner), "trained", "model", name, job=self._job.id)

    def _claim(self, name: str, replace: bool) -> None:
        # An existing artifact keeps its owner; saving refuses it.
        if self._job.owner and (replace or not self._store.folder(name).exists()):
            self._owners.claim(name, self._job.owner)

    def folder(self, name: str) -> Path:
        """See `ArtifactStore`."""
        return self._store.folder(name)

    def names(self) -> list[str]:
        """See `ArtifactStore`."""
        return self._store.names()

    def stamp(self) -> object:
        """See `ArtifactStore`."""
        return self._store.stamp()


def record_promotion(audit: AuditLog | None, job: JobView, summary: Any) -> None:
    """Record that a job let the model it made answer, where its summary says so."""
    promotion = summary.get("promotion") if isinstance(summary, dict) else None
    if audit is not None and isinstance(promotion, dict) and promotion.get("promoted"):
        audit.add(Actor(WORKER, job.owner), "promoted", "model", str(summary.get("model", "")), job=job.id)
