"""Cross-encoders of the registry."""

from collections.abc import Mapping

from app.predictors.cross_encoder import CrossEncoder, load_cross_encoder
from app.registry.collection import Collection, StoreWatch
from app.registry.entry import cross_encoder_entry

__all__ = ["CrossEncoders"]


class CrossEncoders:
    """The cross-encoders in several stores; safe to use from any thread."""

    def __init__(self, watch: StoreWatch) -> None:
        self._networks = Collection(cross_encoder_entry, load_cross_encoder, watch)

    def version_at(self, look: tuple[int, list[object]]) -> int:
        """A number that grows when a network comes, goes or changes, after a look of the `StoreWatch`."""
        return self._networks.version_at(look)

    def first(self) -> CrossEncoder | None:
        """The first network that can be used, shipped ones first; it loads at its first use."""
        networks = (self._networks.get(name) for name in self._networks.entries)
        return next((network for network in networks if network is not None), None)

    @property
    def fault(self) -> str | None:
        """The reason why no network can be used; None if one can, or if there is none."""
        if self.first() is not None:
            return None
        return "; ".join(f"{name}: {reason}" for name, reason in self.broken.items()) or None

    def checksum(self, name: str) -> str | None:
        """SHA-256 of a network's graph; None for an unknown name."""
        entry = self._networks.entries.get(name)
        return None if entry is None else entry.checksum

    @property
    def broken(self) -> Mapping[str, str]:
        """Reasons by folder name of the broken networks."""
        return self._networks.broken
