"""Networks of the registry by the encoder that they belong to: judges of its vectors, and cross-encoders on its pieces."""

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Generic, TypeVar

from app.predictors.cross_encoder import CrossEncoder, load_cross_encoder
from app.predictors.sentences import Judge, load_judge
from app.registry.artifacts import ArtifactStore
from app.registry.collection import Collection
from app.registry.entry import RegistryEntry, cross_encoder_entry, judge_entry
from app.resources.encoders import Encoder

__all__ = ["EncoderNetworks", "encoder_networks"]

T = TypeVar("T")


class EncoderNetworks(Generic[T]):
    """The networks of one kind in several stores; safe to use from any thread."""

    def __init__(
        self, entry_of: Callable[[Path], RegistryEntry | None], load: Callable[[Path], T], stores: Sequence[ArtifactStore]
    ) -> None:
        self._networks = Collection(entry_of, load, stores)

    def of(self, encoder: Encoder | None) -> T | None:
        """The network trained with an encoder of this name and checksum, shipped ones first; None without encoder or network."""
        if encoder is None:
            return None
        identity = encoder.name, encoder.checksum
        entries = (entry for entry in self._networks.entries.values() if (entry.scope, entry.details["encoder_sha256"]) == identity)
        networks = (self._networks.get(entry.id) for entry in entries)
        return next((network for network in networks if network is not None), None)

    def checksum(self, name: str) -> str | None:
        """SHA-256 of a network's file of numbers; None for an unknown name."""
        entry = self._networks.entries.get(name)
        return None if entry is None else entry.checksum

    @property
    def broken(self) -> Mapping[str, str]:
        """Reasons by folder name of the broken networks."""
        return self._networks.broken


def encoder_networks(stores: Sequence[ArtifactStore]) -> tuple[EncoderNetworks[Judge], EncoderNetworks[CrossEncoder]]:
    """Judges of sentences and cross-encoders in several stores."""
    judges: EncoderNetworks[Judge] = EncoderNetworks(judge_entry, load_judge, stores)
    cross_encoders: EncoderNetworks[CrossEncoder] = EncoderNetworks(cross_encoder_entry, load_cross_encoder, stores)
    return judges, cross_encoders
