"""Profiles of an engine: `fast` answers without networks, `accurate` with a cross-encoder and imported checkpoints.

The cross-encoder of an engine is a `ChosenNetwork`.
"""

from collections.abc import Collection, Iterable
from dataclasses import replace
from typing import Final, Literal

from app.errors import InputError
from app.predictors.cross_encoder import CrossEncoder
from app.registry.models import ModelRegistry
from app.resources.loading import Resources
from app.running.threads.spreading import Spreading
from app.text import LanguagePair

__all__ = ["NO_NETWORK", "ChosenNetwork", "NetworkChoice", "Profile", "check_accurate", "uses_networks"]

Profile = Literal["fast", "accurate"]
NetworkChoice = Literal["auto", "none"]
NO_NETWORK: Final = "none is loaded (ASSAY_ENCODER is none, or the models have none)"


def uses_networks(profile: str | None, default: str, pairs: Iterable[LanguagePair], loaded_pairs: Collection[LanguagePair]) -> bool:
    """Return True if networks may answer a request that names no model.

    The requested `profile` decides; without one, the `default` profile. A default of `fast` still lets networks answer for a pair
    outside the loaded ones, since nothing else can.
    """
    if profile is not None:
        return profile == "accurate"
    return default == "accurate" or any(pair not in loaded_pairs for pair in pairs)


def check_accurate(resources: Resources, fault: str | None) -> None:
    """InputError (`missing-encoder`) unless a cross-encoder is loaded; `fault` is the reason."""
    if resources.cross_encoder is None:
        detail = f"the profile accurate needs a cross-encoder: {fault or NO_NETWORK}"
        raise InputError("missing-encoder", detail, ("profile",))


class ChosenNetwork:
    """The cross-encoder of an engine: for `auto` the first usable one of a registry, for `none` none.

    `threads` threads read the pairs of a call, the caller's among them.
    """

    def __init__(self, choice: NetworkChoice = "none", threads: int = 1) -> None:
        self.choice: Final = choice
        self._spreading = Spreading(threads)
        self._network: tuple[CrossEncoder, CrossEncoder] | None = None

    def of(self, registry: ModelRegistry) -> CrossEncoder | None:
        """The network, which loads at its first use."""
        network = registry.cross_encoders.first() if self.choice == "auto" else None
        if network is None:
            return None
        entry = self._network
        if entry is None or entry[0] is not network:
            self._network = entry = network, replace(network, spreading=self._spreading)
        return entry[1]

    def fault(self, registry: ModelRegistry) -> str | None:
        """The reason why no network can be asked; None if one can, or none is there."""
        return registry.cross_encoders.fault if self.choice == "auto" else None

    def warm_up(self, registry: ModelRegistry) -> None:
        """Cut a text into pieces once, so that no request waits for the compiler."""
        network = self.of(registry)
        if network is not None:
            network.table.pieces_of("a", network.card.longest)
