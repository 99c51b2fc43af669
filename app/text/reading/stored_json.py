"""JSON that Assay stored beside its arrays, checked like foreign input: it may be damaged, cut off or of another shape."""

import json
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any, Final, TypeVar

from pydantic import TypeAdapter, ValidationError

__all__ = ["as_kind", "read_object"]

T = TypeVar("T")
# Stored cards are far smaller; a larger file is foreign.
LARGEST: Final = 16_000_000


def read_object(path: Path, largest: int = LARGEST) -> dict[str, Any]:
    """Object in a file, with values that JSON answers can hold; ValueError gives the reason of a failure."""
    if not path.is_file():
        raise ValueError(f"{path.name} is no regular file" if path.is_symlink() or path.exists() else f"{path.name} is missing")
    with path.open("rb") as file:
        raw = file.read(largest + 1)
    if len(raw) > largest:
        raise ValueError(f"{path.name} is larger than {largest} bytes")
    try:
        value = json.loads(raw)
        # NaN, infinity and lone surrogates would fail later, when an answer is written.
        json.dumps(value, ensure_ascii=False, allow_nan=False).encode()
    except (ValueError, RecursionError):
        raise ValueError(f"{path.name} is not JSON, or is cut off") from None
    if not isinstance(value, dict):
        raise ValueError(f"{path.name} holds no object")
    return value


def as_kind(kind: Callable[..., T], value: object, name: str) -> T:
    """Value as the dataclass `kind`; ValueError names the file `name` and the first invalid member."""
    try:
        content: T = _adapter(kind).validate_python(value)
    except ValidationError as error:
        first = error.errors(include_url=False, include_input=False)[0]
        place = ".".join(str(part) for part in first["loc"] if not isinstance(part, str) or part.isidentifier())
        raise ValueError(f"{name}: {f'{place}: ' if place else ''}{first['msg']}") from None
    return content


@cache
def _adapter(kind: Any) -> TypeAdapter[Any]:
    """The check of a type, built at its first use: a check costs milliseconds of every start."""
    return TypeAdapter(kind)
