"""Allowed positions of elements: elements of units are pairs in their containers and refused elsewhere.

A unit inside a unit, or a file inside a file, would count several times.
"""

from collections.abc import Iterable
from typing import Any

from lxml import etree

from app.documents.xml.markup import XmlMarkup, local_name

__all__ = ["elements_inside"]


def elements_inside(markup: XmlMarkup, tops: Iterable[Any], kind: str, containers: frozenset[str]) -> list[tuple[Any, Any]]:
    """Pairs (top, element) of the elements named `kind` in each of `tops`, inside `containers` only.

    InputError (`invalid-document`) names an element of this kind at another position.
    """
    pairs = []
    for top in tops:
        stack = [iter(top)]
        while stack:
            child = next(stack[-1], None)
            name = "" if child is None else local_name(child)
            if child is None:
                stack.pop()
            elif name == kind:
                pairs.append((top, child))
            elif name in containers:
                stack.append(iter(child))
    elements = {element for _, element in pairs}
    namespace = etree.QName(markup.root).namespace
    for element in markup.root.iter(f"{{{namespace}}}{kind}" if namespace else kind):
        if element not in elements:
            raise markup.refuse(element, f"<{kind}> may not stand here; move it to its container")
    return pairs
