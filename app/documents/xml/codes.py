"""Inline codes of XLIFF: elements that stand for tags of the original format."""

from collections.abc import Callable, Iterator
from typing import Any, Final

from app.documents.xml.markup import local_name

__all__ = ["codes_of"]

# Of versions 1.x, and of version 2.
CODES: Final = frozenset({"g", "x", "bx", "ex", "bpt", "ept", "ph", "it", "sc", "ec"})
# Attributes by which a target repeats a code of its source, the first one that an element has.
IDENTITIES: Final = ("startRef", "rid", "id")
# Codes of a text that are looked at.
LIMIT: Final = 1000


def codes_of(element: Any, stands: Callable[[Any], bool] = lambda child: True) -> tuple[str, ...]:
    """Codes inside a source, a target or a segment, as ``<x 2>``, in their order; elements that do not stand are passed over."""
    codes: list[str] = []
    stack = [element]
    while stack and len(codes) < LIMIT:
        child = stack.pop()
        if child is not element:
            codes += _codes(child)
        stack += reversed([inner for inner in child if stands(inner)])
    return tuple(codes)


def _codes(child: Any) -> Iterator[str]:
    name = local_name(child)
    identity = next((child.get(name) for name in IDENTITIES if child.get(name) is not None), "")
    if name in CODES:
        yield f"<{name} {identity}>".replace(" >", ">")
    elif name == "pc":
        # A pair may become two codes, between which other segments lie.
        yield from (f"<sc {identity}>", f"<ec {identity}>")
