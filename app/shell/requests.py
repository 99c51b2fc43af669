"""Requests from options."""

from typing import TypeVar

from pydantic import ValidationError

from app.errors import InputError
from app.operations.operation import Body
from app.operations.validation import explain_fault

__all__ = ["make_request"]

R = TypeVar("R", bound=Body)


def make_request(request: type[R], **fields: object) -> R:
    """A request; what is None was not given. InputError names the first field that cannot be as it is."""
    try:
        return request.model_validate({name: value for name, value in fields.items() if value is not None})
    except ValidationError as error:
        first = error.errors(include_url=False, include_input=False)[0]
        raise InputError("invalid-request", explain_fault(first), tuple(first["loc"])) from None
