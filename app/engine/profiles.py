"""Profiles of an engine: `fast` answers without networks, `accurate` with the encoder of sentences and imported checkpoints."""

from collections.abc import Collection, Iterable
from typing import Literal

from app.errors import InputError
from app.registry.models import ModelRegistry
from app.resources.loading import Resources
from app.text import LanguagePair

__all__ = ["Profile", "check_accurate", "uses_networks"]

Profile = Literal["fast", "accurate"]


def uses_networks(profile: str | None, default: str, pairs: Iterable[LanguagePair], loaded_pairs: Collection[LanguagePair]) -> bool:
    """Return True if encoder and checkpoints may answer a request that names no model.

    The requested `profile` decides; without one, the `default` profile. A default of `fast` still lets networks answer for a pair
    outside the loaded ones, since nothing else can.
    """
    if profile is not None:
        return profile == "accurate"
    return default == "accurate" or any(pair not in loaded_pairs for pair in pairs)


def check_accurate(resources: Resources, registry: ModelRegistry) -> None:
    """InputError (`missing-encoder`) unless an encoder is loaded and the registry has a network that reads its vectors."""
    if (encoder := resources.encoder) is None:
        raise InputError("missing-encoder", "no encoder of sentences is loaded, which the profile accurate asks", ("profile",))
    if registry.sentence_judges.of(encoder) is None:
        broken = "; ".join(f"{name}: {reason}" for name, reason in registry.sentence_judges.broken.items())
        detail = f"no judge of the vectors of {encoder.name} can be asked, which the profile accurate needs"
        raise InputError("missing-encoder", f"{detail} ({broken})" if broken else detail, ("profile",))
