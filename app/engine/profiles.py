"""Profiles of an engine: `fast` answers without networks, `accurate` with a cross-encoder and imported checkpoints."""

from collections.abc import Collection, Iterable
from typing import Literal

from app.errors import InputError
from app.registry.models import ModelRegistry
from app.resources.loading import Resources
from app.text import LanguagePair

__all__ = ["Profile", "check_accurate", "uses_networks"]

Profile = Literal["fast", "accurate"]


def uses_networks(profile: str | None, default: str, pairs: Iterable[LanguagePair], loaded_pairs: Collection[LanguagePair]) -> bool:
    """Return True if networks may answer a request that names no model.

    The requested `profile` decides; without one, the `default` profile. A default of `fast` still lets networks answer for a pair
    outside the loaded ones, since nothing else can.
    """
    if profile is not None:
        return profile == "accurate"
    return default == "accurate" or any(pair not in loaded_pairs for pair in pairs)


def check_accurate(resources: Resources, registry: ModelRegistry, fault: str | None) -> None:
    """InputError (`missing-encoder`) unless an encoder is loaded and a cross-encoder reads its pieces; `fault` is the reason."""
    if resources.encoder is not None:
        fault = registry.cross_encoders.fault(resources.encoder)
    if resources.encoder is None or fault is not None:
        detail = f"the profile accurate needs a network: {fault or 'no encoder is loaded (ASSAY_ENCODER)'}"
        raise InputError("missing-encoder", detail, ("profile",))
