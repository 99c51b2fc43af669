"""Values of --model: one id, several ids, or ids of systems, as SYSTEM=ID."""

from collections.abc import Sequence

from app.errors import InputError
from app.operations.operation import Json

__all__ = ["models_of"]


def models_of(values: Sequence[str] | None) -> Json:
    """The field `model` of a request, or `models` for several ids or ids of systems; empty without values.

    InputError for ids with and without a system, or two ids of one system.
    """
    if not values:
        return {}
    cells = [value.rpartition("=") for value in values]
    systems = [system for system, separator, _ in cells if separator]
    if not systems:
        return {"model": values[0]} if len(values) == 1 else {"models": list(values)}
    if len(systems) < len(values):
        raise InputError("invalid-request", "name the system of every model, as SYSTEM=ID, or of none", ("--model",))
    if len(set(systems)) < len(systems):
        raise InputError("invalid-request", "a system has one model", ("--model",))
    return {"models": {system: model for system, _, model in cells}}
