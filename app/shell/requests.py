"""Requests from options."""

from typing import TypeVar

from pydantic import ValidationError

from app.errors import InputError
from app.operations.operation import Body
from app.operations.validation import explain_fault

__all__ = ["make_request"]

R = TypeVar("R", bound=Body)


def make_request(request: type[R], options: object = None, /, **fields: object) -> R:
    """A request of `fields`, and of the values of `options` with the names of further fields; a value of None is left out.

    InputError names the first malformed field.
    """
    shared = {name: getattr(options, name) for name in request.model_fields if hasattr(options, name)}
    try:
        return request.model_validate({name: value for name, value in {**shared, **fields}.items() if value is not None})
    except ValidationError as error:
        first = error.errors(include_url=False, include_input=False)[0]
        cause = first.get("ctx", {}).get("error")
        if isinstance(cause, InputError) and cause.where and not first["loc"]:
            raise cause from None
        raise InputError("invalid-request", explain_fault(first), tuple(first["loc"])) from None
