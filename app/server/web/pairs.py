"""The choice of languages in forms: pairs with resources, and pairs of the cross-encoder's languages."""

from typing import Any

from app.server.service import Access
from app.text.reading.column_names import names_by_language

__all__ = ["language_choice"]


def language_choice(access: Access) -> dict[str, Any]:
    """Values of the forms' choice of languages: pairs, languages of free pairs, names, presence of networks, and the profile."""
    engine = access.engine
    return {
        "pairs": _pairs(access),
        "any_pair": _languages_of_any(access),
        "names": names_by_language(),
        "has_networks": engine.resources.cross_encoder is not None,
        "profile": engine.profile,
    }


def _languages_of_any(access: Access) -> list[str]:
    """Languages of the cross-encoder, any two of which form a pair; empty without one or a general model."""
    network = access.engine.resources.cross_encoder
    return sorted(network.languages) if network is not None and access.engine.registry.has_general_model else []


def _pairs(access: Access) -> list[dict[str, str]]:
    return [{"source": p.source, "target": p.target, "tag": str(p)} for p in access.engine.resources.pairs]
