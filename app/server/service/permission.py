"""Permissions that a request needs: scopes, language pairs, models."""

from typing import Any, Final

from app.engine import Engine
from app.errors import InputError
from app.operations.catalogue import OPERATIONS
from app.operations.models import find_model
from app.operations.operation import Body, Json, Operation
from app.operations.parts.fields import AsksPairs
from app.server.service.authentication import Caller
from app.server.store import NORMAL, PRIORITIES, Priority
from app.text import LanguagePair
from app.text.languages import ANY_PAIR

__all__ = ["check_job", "check_promotion", "check_request", "priority_of", "sees_job"]

BY_HAND: Final = "by-hand"


def check_request(caller: Caller, operation: Operation[Any, Any], request: Body) -> None:
    """InputError if the caller may not send a request. The caller's engine has only permitted models."""
    caller.require(operation.scope)
    if getattr(request, "promote", BY_HAND) != BY_HAND:
        caller.require("models")
    if isinstance(request, AsksPairs):
        for pair in request.pairs():
            caller.check_pair(pair.source, pair.target)


def priority_of(caller: Caller, asked_for: object) -> Priority:
    """Requested priority, `normal` by default; InputError if the caller may not have it.

    Invalid priorities are refused with the rest of the request.
    """
    priority = next((name for name in PRIORITIES if name == asked_for), NORMAL)
    if priority == PRIORITIES[0]:
        caller.require_admin(("priority",))
    return priority


def check_job(caller: Caller, operation: Operation[Any, Any], params: Json) -> None:
    """InputError if a job is not permitted: its files are still to be read, or another key of the owner created it."""
    caller.require(operation.scope)
    if params.get("promote", BY_HAND) != BY_HAND:
        caller.require("models")
    if caller.pairs is not None:
        for source, target in _pairs_of_job(operation, params):
            caller.check_pair(source, target)
    named_models = [params[name] for name in ("base", "model") if isinstance(params.get(name), str)]
    if caller.models is not None and not caller.models.issuperset(named_models):
        raise InputError("forbidden", f"this key is for the models {', '.join(sorted(caller.models))}")


def sees_job(caller: Caller, kind: str, params: Json) -> bool:
    """Return True if the caller's key allows all language pairs of a job."""
    if caller.pairs is None:
        return True
    operation = OPERATIONS.get(kind)
    return operation is not None and all(caller.allows_pair(*pair) for pair in _pairs_of_job(operation, params))


def _pairs_of_job(operation: Operation[Any, Any], params: Json) -> list[tuple[str, str]]:
    """Language pairs of a job from its parameters; empty for a job without languages."""
    if not _asks_pairs(operation, params):
        return []
    pairs = params.get("pairs")
    if isinstance(pairs, list):
        return [_languages(str(pair)) for pair in pairs]
    return [(str(params.get("source_language")), str(params.get("target_language")))]


def _asks_pairs(operation: Operation[Any, Any], params: Json) -> bool:
    """Return True if a job is about languages; a reranking is if it names any."""
    request: type[Body] = operation.request
    if not issubclass(request, AsksPairs):
        return False
    return request.model_fields["source_language"].is_required() or params.get("source_language") is not None


def check_promotion(caller: Caller, engine: Engine, model: str) -> None:
    """InputError if the caller may not promote models of this pair."""
    caller.require("models")
    caller.check_pair(*_languages(find_model(engine, model).card.pair))


def _languages(pair: str) -> tuple[str, str]:
    if pair == ANY_PAIR:
        # For no key of some pairs.
        return "any", "any"
    language_pair = LanguagePair.parse(pair)
    return language_pair.source, language_pair.target
