"""Texts of elements in XML, shared by all formats of string files that are XML."""

import re
from collections.abc import Callable
from html import unescape
from typing import Any, Final, NamedTuple
from xml.sax.saxutils import escape

from app.documents.strings.entry import StringEntry
from app.documents.xml.markup import XmlMarkup, parse_markup

__all__ = ["TAG", "XmlText", "outside_of_tags", "parsed_xml", "spelled_xml", "text_of"]

REFERENCE: Final = re.compile(r"&(?:#[0-9]{1,7}|#x[0-9a-fA-F]{1,6}|lt|gt|amp|quot|apos);")
CDATA: Final = re.compile(r"\s*+<!\[CDATA\[(.*?)\]\]>\s*+", re.DOTALL)
COMMENT: Final = re.compile(r"<!--.*?-->", re.DOTALL)
# A tag in a text: opening, closing or empty.
TAG: Final = re.compile(r"</?[A-Za-z][^<>]*+>")


class XmlText(NamedTuple):
    """The content of an element, without references, and its characters in the file. Tags inside stay as they are."""

    value: str
    start: int
    end: int


def parsed_xml(text: str, name: str) -> XmlMarkup:
    """Parse a text; InputError with line and column for one that is not well-formed, or has declarations."""
    # The mark goes before the encoding that the file declares.
    return parse_markup(("\ufeff" + text.removeprefix("\ufeff")).encode(), name)


def text_of(markup: XmlMarkup, element: Any) -> XmlText:
    """The content of an element; of a CDATA section alone, the characters inside."""
    span = markup.spans[element]
    section = CDATA.fullmatch(markup.text, span.inside, span.after)
    if section is not None:
        return XmlText(section[1].replace("\r\n", "\n"), *section.span(1))
    raw = COMMENT.sub("", markup.text[span.inside : span.after]).replace("\r\n", "\n")
    return XmlText(REFERENCE.sub(lambda match: unescape(match[0]), raw), span.inside, span.after)


def spelled_xml(new: str, text: str, entry: StringEntry) -> str:
    """A text with references; tags stay tags in the place of a text with tags, and CDATA stays CDATA."""
    if text.startswith("]]>", entry.end):
        return new
    if TAG.search(text, entry.start, entry.end) is None:
        return escape(new)
    return outside_of_tags(new, escape)


def outside_of_tags(text: str, change: Callable[[str], str]) -> str:
    """A text with changes to its parts between tags."""
    parts, at = [], 0
    for tag in TAG.finditer(text):
        parts += [change(text[at : tag.start()]), tag[0]]
        at = tag.end()
    return "".join([*parts, change(text[at:])])
