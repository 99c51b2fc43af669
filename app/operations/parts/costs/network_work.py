"""Work of the encoder and of checkpoints that the answer to a request needs."""

from collections.abc import Iterable, Sequence
from typing import Any, Final

from app.engine import Engine
from app.engine.profiles import Profile
from app.operations.parts.costs.work import work_of_encoding
from app.text import LanguagePair

__all__ = ["SHARED_ENCODING", "work_of_networks", "work_of_readings"]

# Share of the work of encoding that is counted where several threads do it.
SHARED_ENCODING: Final = 0.6
# A checkpoint of 24 layers takes this many times as long for a text as the encoder of sentences.
CHECKPOINT_BY_ENCODER: Final = 3


def work_of_readings(engine: Engine, request: Any, texts: Iterable[str]) -> int:
    """Work of the cross-encoder, which reads a request's texts in the thread of the caller, in pairs of compared characters."""
    return work_of_encoding(texts) if engine.uses_networks(request.profile, request.pairs()) else 0


def work_of_networks(engine: Engine, request: Any, texts: Iterable[str]) -> int:
    """Work of the encoder and of the model's checkpoints on a request's texts, in pairs of compared characters.

    The request's fields `profile`, `model` and `label` and its pairs decide which of them answer it.
    """
    pairs: Sequence[LanguagePair] = getattr(request, "pairs", tuple)()
    profile: Profile | None = getattr(request, "profile", None)
    checkpoints = 0
    if pairs and profile != "fast" and hasattr(request, "model"):
        checkpoints = engine.checkpoints_asked(pairs[0], request.model, getattr(request, "label", None))
    uses_encoder = engine.uses_networks(profile, pairs)
    if not (checkpoints or uses_encoder):
        return 0
    encoding = work_of_encoding(texts)
    work = CHECKPOINT_BY_ENCODER * checkpoints * encoding
    if not uses_encoder:
        return work
    return work + (encoding if engine.encoder.threads == 1 else int(SHARED_ENCODING * encoding))
