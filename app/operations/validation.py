"""Validation that stops at the first wrong entry of a list, and lets other threads run between slices of a long one.

Pydantic explains every wrong entry: a body of a few megabytes of zeros becomes gigabytes of explanations. It also holds Python's
lock until all is validated, which no other request survives for a list of a million segments.
"""

from collections.abc import Callable, Iterator
from typing import Any, Final

from pydantic import ValidationError
from pydantic_core import CoreSchema, InitErrorDetails, core_schema

from app.errors import InputError

__all__ = ["check_size", "explain_fault", "stopping_early"]

SLICE: Final = 2000
# Lists whose fields declare a limit.
FIELDS_WITH_LIMITS: Final = frozenset({"glossary"})
FAULTS: Final = {
    "missing": "this field is required",
    "model_type": "this must be an object",
    "model_attributes_type": "this must be an object",
    "dict_type": "this must be an object",
    "extra_forbidden": "there is no such field",
}


def stopping_early(schema: CoreSchema, resolve: Callable[[CoreSchema], CoreSchema]) -> CoreSchema:
    """A schema whose lists stop at their first wrong entry; those of objects without a greatest length are validated in slices.

    `resolve` gives the definition behind a reference, which changes too.
    """
    if schema["type"] == "definition-ref":
        definition: Any = resolve(schema)
        if definition["type"] == "typed-dict":
            definition.update(stopping_early(definition, resolve))
    changed_schema: Any = {name: _changed(part, resolve) for name, part in schema.items()}
    if changed_schema["type"] != "list":
        return changed_schema  # type: ignore[no-any-return]
    changed_schema["fail_fast"] = True
    if changed_schema.get("max_length") is not None or changed_schema.get("items_schema", {}).get("type") not in (
        "model",
        "definition-ref",
    ):
        return changed_schema  # type: ignore[no-any-return]
    return core_schema.no_info_wrap_validator_function(_validate_slices, changed_schema)


def _changed(part: Any, resolve: Callable[[CoreSchema], CoreSchema]) -> Any:
    if isinstance(part, dict):
        is_schema = isinstance(part.get("type"), str)
        return stopping_early(part, resolve) if is_schema else {key: _changed(value, resolve) for key, value in part.items()}
    return [_changed(value, resolve) for value in part] if isinstance(part, list) else part


def _validate_slices(value: Any, validate: core_schema.ValidatorFunctionWrapHandler) -> Any:
    if not isinstance(value, list) or len(value) <= SLICE:
        return validate(value)
    valid: list[Any] = []
    for begin in range(0, len(value), SLICE):
        try:
            valid += validate(value[begin : begin + SLICE])
        except ValidationError as error:
            raise ValidationError.from_exception_data(error.title, list(_shifted(error, begin))) from None
    return valid


def _shifted(error: ValidationError, begin: int) -> Iterator[InitErrorDetails]:
    """The errors of a slice at their places in the whole list."""
    for details in error.errors(include_url=False):
        number, *rest = details["loc"]
        assert isinstance(number, int)
        yield InitErrorDetails(
            type=details["type"], loc=(begin + number, *rest), input=details["input"], ctx=details.get("ctx", {})
        )


def explain_fault(fault: Any) -> str:
    """Message about a wrong value: pydantic's, or a plainer one if that speaks of Python or repeats the place."""
    if fault["type"] in FAULTS:
        return FAULTS[fault["type"]]
    if fault["type"] == "value_error":
        error = fault["ctx"]["error"]
        return error.detail if isinstance(error, InputError) else str(error)
    return str(fault["msg"])


def check_size(content: Any, limit: int) -> None:
    """InputError if lists of a body hold more than `limit` entries, which no check accepts; the body need not be valid.

    Lists in `FIELDS_WITH_LIMITS` have limits of their own.
    """
    if not isinstance(content, dict):
        return
    for name, value in content.items():
        inner = value.values() if isinstance(value, dict) else [value]
        entries = sum(len(part) for part in inner if isinstance(part, list))
        if entries > limit and name not in FIELDS_WITH_LIMITS:
            place = (name,) if isinstance(name, str) and name.isidentifier() else ()
            raise InputError("too-many-segments", f"{entries} segments; at most {limit} are accepted here", place)
