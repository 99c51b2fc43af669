"""Where elements may stand: those that hold units are sought in what may contain them, and refused anywhere else.

A unit inside a unit, or a file inside a file, would be counted once for each around it.
"""

from collections.abc import Iterable
from typing import Any

from lxml import etree

from app.documents.xml.markup import Markup, local_name

__all__ = ["contained"]


def contained(markup: Markup, tops: Iterable[Any], kind: str, containers: frozenset[str]) -> list[tuple[Any, Any]]:
    """Elements called `kind` in each of `tops`, in nothing but `containers`, with the one that they are in.

    InputError (`invalid-document`) names another place where the document's own format has one.
    """
    collected = []
    for top in tops:
        opened = [iter(top)]
        while opened:
            child = next(opened[-1], None)
            name = "" if child is None else local_name(child)
            if child is None:
                opened.pop()
            elif name == kind:
                collected.append((top, child))
            elif name in containers:
                opened.append(iter(child))
    placed = {element for _, element in collected}
    namespace = etree.QName(markup.root).namespace
    for element in markup.root.iter(f"{{{namespace}}}{kind}" if namespace else kind):
        if element not in placed:
            raise markup.refuse(element, f"<{kind}> may not stand here")
    return collected
