"""Work of the cross-encoder and of checkpoints that the answer to a request needs."""

from collections.abc import Iterable, Sequence
from itertools import chain
from typing import Any, Final

from app.engine import Engine
from app.engine.profiles import Profile
from app.operations.parts.costs.work import work_of_checkpoints, work_of_readings
from app.text import LanguagePair

__all__ = ["SHARED_READING", "work_of_networks", "work_of_reading"]

# Share of the work of reading that is counted where several threads read.
SHARED_READING: Final = 0.6


def work_of_reading(engine: Engine, request: Any, pairs_of_texts: Iterable[tuple[str, str]]) -> int:
    """Work of the cross-encoder on sources and translations, in pairs of compared characters; the request's profile decides."""
    pairs: Sequence[LanguagePair] = getattr(request, "pairs", tuple)()
    network = engine.resources.cross_encoder
    if network is None or not engine.uses_networks(getattr(request, "profile", None), pairs):
        return 0
    return int((SHARED_READING if network.spreading.threads > 1 else 1.0) * work_of_readings(pairs_of_texts))


def work_of_networks(engine: Engine, request: Any, pairs_of_texts: Iterable[tuple[str, str]]) -> int:
    """Work of the cross-encoder, and of the model's checkpoints, by the request's `model` and `label` too."""
    texts = list(pairs_of_texts)
    pairs: Sequence[LanguagePair] = getattr(request, "pairs", tuple)()
    profile: Profile | None = getattr(request, "profile", None)
    checkpoints = 0
    if pairs and profile != "fast" and hasattr(request, "model"):
        checkpoints = engine.checkpoints_asked(pairs[0], request.model, getattr(request, "label", None))
    return work_of_reading(engine, request, texts) + work_of_checkpoints(checkpoints, set(chain.from_iterable(texts)))
