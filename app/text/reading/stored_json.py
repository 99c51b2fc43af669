"""What the program once wrote as JSON beside its arrays, read as if anybody might have: damaged, half-written, of another shape."""

import json
from pathlib import Path
from typing import Any, Final, TypeVar

from pydantic import TypeAdapter, ValidationError

__all__ = ["as_kind", "read_object"]

T = TypeVar("T")
# No card is nearly as long; what is has not been written by us.
LARGEST: Final = 16_000_000


def read_object(path: Path, largest: int = LARGEST) -> dict[str, Any]:
    """The object in a file, which holds nothing that an answer could not; ValueError says why there is none."""
    if not path.is_file():
        raise ValueError(f"{path.name} is no file" if path.is_symlink() or path.exists() else f"there is no {path.name}")
    with path.open("rb") as file:
        raw = file.read(largest + 1)
    if len(raw) > largest:
        raise ValueError(f"{path.name} is larger than {largest} bytes")
    try:
        value = json.loads(raw)
        # Numbers that are none, and halves of characters, would fail when somebody asks for them.
        json.dumps(value, ensure_ascii=False, allow_nan=False).encode()
    except (ValueError, RecursionError):
        raise ValueError(f"{path.name} is not JSON, or only the beginning of it") from None
    if not isinstance(value, dict):
        raise ValueError(f"{path.name} holds no object")
    return value


def as_kind(kind: TypeAdapter[T], value: object, name: str) -> T:
    """A value as its type; ValueError names the first member that is not as declared, `name` what it stands in."""
    try:
        return kind.validate_python(value)
    except ValidationError as error:
        first = error.errors(include_url=False, include_input=False)[0]
        place = ".".join(str(part) for part in first["loc"] if not isinstance(part, str) or part.isidentifier())
        raise ValueError(f"{name}: {f'{place}: ' if place else ''}{first['msg']}") from None
