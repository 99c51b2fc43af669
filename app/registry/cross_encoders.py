"""Cross-encoders of the registry by the encoder whose pieces they read."""

from collections.abc import Mapping, Sequence

from app.predictors.cross_encoder import CrossEncoder, load_cross_encoder
from app.registry.artifacts import ArtifactStore
from app.registry.collection import Collection
from app.registry.entry import cross_encoder_entry
from app.resources.encoders import Encoder

__all__ = ["CrossEncoders"]


class CrossEncoders:
    """The cross-encoders in several stores; safe to use from any thread."""

    def __init__(self, stores: Sequence[ArtifactStore]) -> None:
        self._networks = Collection(cross_encoder_entry, load_cross_encoder, stores)

    def of(self, encoder: Encoder | None) -> CrossEncoder | None:
        """The network trained with an encoder of this name and checksum, shipped ones first; None without encoder or network."""
        if encoder is None:
            return None
        identity = encoder.name, encoder.checksum
        entries = (entry for entry in self._networks.entries.values() if (entry.scope, entry.details["encoder_sha256"]) == identity)
        networks = (self._networks.get(entry.id) for entry in entries)
        return next((network for network in networks if network is not None), None)

    def fault(self, encoder: Encoder) -> str | None:
        """The reason why no network reads the pieces of an encoder; None if one does."""
        if self.of(encoder) is not None:
            return None
        reasons = "; ".join(f"{name}: {reason}" for name, reason in self.broken.items())
        return f"no cross-encoder reads the pieces of {encoder.name}" + (f" ({reasons})" if reasons else "")

    def checksum(self, name: str) -> str | None:
        """SHA-256 of a network's graph; None for an unknown name."""
        entry = self._networks.entries.get(name)
        return None if entry is None else entry.checksum

    @property
    def broken(self) -> Mapping[str, str]:
        """Reasons by folder name of the broken networks."""
        return self._networks.broken
