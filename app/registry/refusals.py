"""Labels of predictors, for refusals."""

from collections.abc import Iterable

from app.features import CheckpointNeed, Evidence, PairResources, missing, needs_of
from app.features.needs import Resource
from app.registry.entry import RegistryEntry

__all__ = ["labels_at_hand"]


def labels_at_hand(entries: Iterable[RegistryEntry], resources: PairResources, evidence: Evidence) -> str:
    """Labels of predictors, for a refusal; labels that need a network of the profile `accurate` stand apart."""
    usual, accurate = set[str](), set[str]()
    for entry in entries:
        need = missing(needs_of(entry.details["features"]), resources, evidence)
        (accurate if need is Resource.CROSS_ENCODER or isinstance(need, CheckpointNeed) else usual).add(str(entry.label))
    labels, further_labels = ", ".join(sorted(usual)) or "none", ", ".join(sorted(accurate - usual))
    return f"{labels}; the networks of the profile accurate add {further_labels}" if further_labels else labels
