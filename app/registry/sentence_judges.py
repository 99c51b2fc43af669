"""Which judge of encoded sentences reads the vectors of an encoder."""

from collections.abc import Mapping, Sequence

from app.predictors.sentences import Judge, load_judge
from app.registry.artifacts import ArtifactStore
from app.registry.collection import Collection
from app.registry.entry import judge_entry
from app.resources.encoders import Encoder

__all__ = ["SentenceJudges"]


class SentenceJudges:
    """The judges in some stores; safe to use from any thread."""

    def __init__(self, stores: Sequence[ArtifactStore]) -> None:
        self._judges = Collection(judge_entry, load_judge, stores)

    def of(self, encoder: Encoder | None) -> Judge | None:
        """The judge that was trained on the vectors of an encoder, of which there may be none; what ships comes first."""
        if encoder is None:
            return None
        entries = (entry for entry in self._judges.entries.values() if entry.scope == encoder.name)
        judges = (self._judges.get(entry.id) for entry in entries)
        return next((judge for judge in judges if judge is not None), None)

    def checksum(self, name: str) -> str | None:
        """SHA-256 of what a judge learned; None where there is none of that name."""
        entry = self._judges.entries.get(name)
        return None if entry is None else entry.checksum

    @property
    def broken(self) -> Mapping[str, str]:
        """Folders of judges that cannot be used, and why."""
        return self._judges.broken

    def load(self) -> None:
        """Load all of them now; what is broken is left out."""
        self._judges.values()
