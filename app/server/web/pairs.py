"""The choice of languages in forms: pairs that something was built for, and any two that an encoder knows."""

from typing import Any

from app.server.service import Access

__all__ = ["language_choice"]


def language_choice(access: Access) -> dict[str, Any]:
    """What forms offer where languages are chosen: pairs, languages of any pair, and whether an encoder is asked by itself."""
    engine = access.engine
    return {
        "pairs": _pairs(access),
        "any_pair": _languages_of_any(access),
        "encodes": engine.resources.encoder is not None,
        "profile": engine.profile,
    }


def _languages_of_any(access: Access) -> list[str]:
    """The languages of which any two are answered for, where something answers for any pair."""
    encoder = access.engine.resources.encoder
    return sorted(encoder.languages) if encoder is not None and access.engine.registry.has_general_model else []


def _pairs(access: Access) -> list[dict[str, str]]:
    return [{"source": p.source, "target": p.target, "tag": str(p)} for p in access.engine.resources.pairs]
