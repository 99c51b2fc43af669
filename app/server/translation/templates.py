"""Templates of requests, whose places are filled without evaluation, and JSON pointers into answers (RFC 6901)."""

import re
from collections.abc import Mapping
from typing import Any, Final

__all__ = ["check_pointer", "fill", "has_place", "value_at"]

PLACE: Final = re.compile(r"\{(text|source|target|key)\}")
INDEX: Final = re.compile(r"0|[1-9][0-9]{0,8}")


def fill(template: Any, values: Mapping[str, str]) -> Any:
    """A template with values in the places of its texts: ``{text}``, ``{source}``, ``{target}`` and ``{key}``.

    A value is never read as a template, and keys of objects have no places.
    """
    if isinstance(template, str):
        return PLACE.sub(lambda match: values[match[1]], template)
    if isinstance(template, Mapping):
        return {name: fill(part, values) for name, part in template.items()}
    return [fill(part, values) for part in template] if isinstance(template, list) else template


def has_place(template: Any, name: str) -> bool:
    """Return True if a text of the template has the place of `name`."""
    if isinstance(template, str):
        return f"{{{name}}}" in template
    parts = template.values() if isinstance(template, Mapping) else template if isinstance(template, list) else ()
    return any(has_place(part, name) for part in parts)


def check_pointer(pointer: str) -> str:
    """A pointer as it came; ValueError unless it begins with a slash and is well-formed."""
    if not pointer.startswith("/") or re.search(r"~(?![01])", pointer):
        raise ValueError("a JSON pointer begins with /, as /translations/0/text; ~ is written ~0, and / in a name ~1")
    return pointer


def value_at(pointer: str, answer: Any) -> Any:
    """The value that a pointer names in an answer; ValueError if the answer has none."""
    value = answer
    for part in pointer.split("/")[1:]:
        name = part.replace("~1", "/").replace("~0", "~")
        if isinstance(value, dict) and name in value:
            value = value[name]
        elif isinstance(value, list) and INDEX.fullmatch(name) and int(name) < len(value):
            value = value[int(name)]
        else:
            raise ValueError(f"it has nothing at {pointer}")
    return value
