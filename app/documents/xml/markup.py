"""Documents in XML: parsed by lxml for their meaning, scanned once more for the places of their tags.

Only what is ours changes in a file, so edits are made in its text and never by writing a parsed tree. Nothing outside the
document is ever opened: there is no document type, no entity, no network.
"""

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final
from xml.sax.saxutils import escape

from lxml import etree

from app.documents.decoding import Decoded, decode, place_of, refuse
from app.errors import InputError

__all__ = [
    "Edit",
    "Markup",
    "Span",
    "apply_edits",
    "local_name",
    "parse_markup",
    "plain_text",
    "prefix_of",
    "quoted",
    "with_attributes",
]

DEEPEST: Final = 100
PROLOG: Final = re.compile(r"\s*(?:(?:<\?.*?\?>|<!--.*?-->)\s*)*", re.DOTALL)
TAG: Final = re.compile(
    r"""<!--.*?-->|<!\[CDATA\[.*?\]\]>|<\?.*?\?>|<(/?)([^\s/>!?]+)([^>"']*(?:"[^"]*"[^>"']*|'[^']*'[^>"']*)*)>""", re.DOTALL
)


@dataclass(frozen=True)
class Span:
    """Places of one element in the text: its start tag `[start, inside)`, its content, its end tag `[after, end)`."""

    start: int
    inside: int
    after: int
    end: int


@dataclass(frozen=True)
class Edit:
    """The characters from `start` to `end` become `text`; an insertion where both are one."""

    start: int
    end: int
    text: str


@dataclass(frozen=True)
class Markup:
    """A parsed document with the places of its elements."""

    decoded: Decoded
    root: Any
    spans: Mapping[Any, Span]

    @property
    def text(self) -> str:
        """The document as it was written."""
        return self.decoded.text

    def line(self, element: Any) -> int:
        """The line on which an element begins."""
        return int(element.sourceline)

    def indentation(self, element: Any) -> str:
        """The blanks and line ends before an element."""
        end = begin = self.spans[element].start
        while begin and self.text[begin - 1] in " \t\r\n":
            begin -= 1
        return self.text[begin:end]

    def removal(self, element: Any) -> Edit:
        """The edit that takes an element away, and the blanks before it."""
        span = self.spans[element]
        return Edit(span.start - len(self.indentation(element)), span.end, "")


def local_name(element: Any) -> str:
    """An element's name without its namespace; empty for comments and instructions."""
    return etree.QName(element).localname if isinstance(element.tag, str) else ""


def prefix_of(element: Any) -> str:
    """The prefix that an element's name is written with, its colon included."""
    return f"{element.prefix}:" if element.prefix else ""


def plain_text(
    element: Any, holds_text: Callable[[Any], bool] = lambda child: True, breaks: Callable[[Any], bool] = lambda child: False
) -> str:
    """The text of an element without its tags, blanks joined.

    Children that hold code in place of text are left out by `holds_text`; those that break a line, by `breaks`, are a blank.
    """
    return " ".join("".join(_pieces(element, holds_text, breaks)).split())


def _pieces(element: Any, holds_text: Callable[[Any], bool], breaks: Callable[[Any], bool]) -> Iterator[str]:
    yield element.text or ""
    for child in element:
        if local_name(child):
            if holds_text(child):
                yield from _pieces(child, holds_text, breaks)
            if breaks(child):
                yield " "
        yield child.tail or ""


def quoted(text: str) -> str:
    """Text for an attribute in double quotes or for content."""
    return escape(text, {'"': "&quot;"})


def parse_markup(raw: bytes, name: str) -> Markup:
    """Parse a document. InputError (`unsafe-document`, `invalid-document`) with line and column."""
    decoded = decode(raw, name)
    text = decoded.text
    start = PROLOG.match(text)
    begin = start.end() if start else 0
    if text.startswith("<!", begin):
        raise refuse("unsafe-document", name, "documents with a DOCTYPE are not accepted; delete that line", text, begin)
    parser = etree.XMLParser(
        encoding="utf-8", resolve_entities=False, no_network=True, load_dtd=False, dtd_validation=False, huge_tree=False
    )
    try:
        root = etree.fromstring(text.encode("utf-8"), parser)
    except etree.XMLSyntaxError as error:
        line, column = error.position or (1, 1)
        raise InputError(
            "invalid-document", f"line {line}, column {column}: this is not well-formed XML", (name, line, column)
        ) from None
    return Markup(decoded, root, _spans(text, root, name))


def _spans(text: str, root: Any, name: str) -> dict[Any, Span]:
    """The places of all elements, in the order in which they begin, which is lxml's too."""
    spans: dict[Any, Span] = {}
    elements = root.iter("*")
    opened: list[tuple[Any, int, int]] = []
    for match in TAG.finditer(text):
        closing, tag, rest = match.groups()
        if tag is None:
            continue
        if closing:
            element, start, inside = opened.pop()
            spans[element] = Span(start, inside, match.start(), match.end())
            continue
        element = next(elements)
        if local_name(element) != tag.rpartition(":")[2]:
            raise refuse("invalid-document", name, "this tag cannot be read", text, match.start())
        if rest.endswith("/"):
            spans[element] = Span(match.start(), match.end(), match.end(), match.end())
            continue
        opened.append((element, match.start(), match.end()))
        if len(opened) > DEEPEST:
            raise refuse("unsafe-document", name, f"elements lie more than {DEEPEST} deep", text, match.start())
    return spans


def with_attributes(tag: str, values: Mapping[str, str]) -> str:
    """A start tag with these attributes set, the others as they were."""
    for name, value in values.items():
        match = re.search(rf"""\s{re.escape(name)}\s*=\s*("[^"]*"|'[^']*')""", tag)
        if match:
            tag = f'{tag[: match.start(1)]}"{quoted(value)}"{tag[match.end(1) :]}'
        else:
            cut = len(tag) - (2 if tag.endswith("/>") else 1)
            kept = tag[:cut].rstrip()
            tag = f'{kept} {name}="{quoted(value)}"{tag[len(kept) :]}'
    return tag


def apply_edits(text: str, edits: Iterable[Edit]) -> str:
    """The text after all edits, which do not overlap; insertions at one place keep their order."""
    pieces: list[str] = []
    at = 0
    ordered: Sequence[Edit] = sorted(edits, key=lambda edit: (edit.start, edit.end))
    for edit in ordered:
        if edit.start < at:
            line, column = place_of(text, edit.start)
            raise AssertionError(f"edits overlap at line {line}, column {column}")
        pieces += [text[at : edit.start], edit.text]
        at = edit.end
    return "".join([*pieces, text[at:]])
