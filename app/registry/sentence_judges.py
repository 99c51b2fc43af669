"""Judges of encoded sentences by the encoder whose vectors they read."""

from collections.abc import Mapping, Sequence

from app.predictors.sentences import Judge, load_judge
from app.registry.artifacts import ArtifactStore
from app.registry.collection import Collection
from app.registry.entry import judge_entry
from app.resources.encoders import Encoder

__all__ = ["SentenceJudges"]


class SentenceJudges:
    """The judges in several stores; safe to use from any thread."""

    def __init__(self, stores: Sequence[ArtifactStore]) -> None:
        self._judges = Collection(judge_entry, load_judge, stores)

    def of(self, encoder: Encoder | None) -> Judge | None:
        """The judge trained on the vectors of an encoder, shipped ones first; None without encoder or judge."""
        if encoder is None:
            return None
        entries = (entry for entry in self._judges.entries.values() if entry.scope == encoder.name)
        judges = (self._judges.get(entry.id) for entry in entries)
        return next((judge for judge in judges if judge is not None), None)

    def checksum(self, name: str) -> str | None:
        """SHA-256 of a judge's arrays; None for an unknown name."""
        entry = self._judges.entries.get(name)
        return None if entry is None else entry.checksum

    @property
    def broken(self) -> Mapping[str, str]:
        """Reasons by folder name of the broken judges."""
        return self._judges.broken

    def load(self) -> None:
        """Load all judges; broken ones are left out."""
        self._judges.values()
