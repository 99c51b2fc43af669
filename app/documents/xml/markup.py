"""Documents in XML: parsed by lxml, and scanned for the positions of their tags.

Files are changed by edits of their text and never by writing a parsed tree, so that all other bytes stay. Nothing outside the
document is opened: a document type that names another file is skipped, and entities and the network are off.
"""

import re
from array import array
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from html import escape
from typing import Any, Final

from lxml import etree

from app.documents.retexting import Edit, apply_edits
from app.documents.xml.prolog import prolog_of
from app.errors import InputError
from app.text.reading.encodings import DecodedText, decode, refuse

__all__ = [
    "TAG",
    "Span",
    "XmlMarkup",
    "attribute_names",
    "local_name",
    "parse_markup",
    "plain_text",
    "prefix_of",
    "quoted",
    "with_attributes",
    "without_attribute",
]

DEEPEST: Final = 100
DOCTYPE: Final = "this DOCTYPE has declarations in [ ] or is a second one; delete it"
# More tags would need far more memory than the text.
MOST_TAGS: Final = 1_000_000
MOST_NAMESPACES: Final = 100
LONGEST_INDENTATION: Final = 200
TAG: Final = re.compile(
    r"""<!--.*?-->|<!\[CDATA\[.*?\]\]>|<\?.*?\?>|<(/?)([^\s/>!?]++)((?:[^>"']++|"[^"]*+"|'[^']*+')*+)>""", re.DOTALL
)
ATTRIBUTE: Final = re.compile(r"""\s([^\s=<>/"']++)\s*+=\s*+("[^"]*+"|'[^']*+')""")


@dataclass(frozen=True, slots=True)
class Span:
    """Positions of an element in the text: its start tag `[start, inside)`, its content, its end tag `[after, end)`."""

    start: int
    inside: int
    after: int
    end: int


class Spans:
    """Positions of all elements in one array, since a document has many elements and few are looked up."""

    def __init__(self) -> None:
        self._rows: dict[Any, int] = {}
        self._positions = array("q")

    def open(self, element: Any, start: int, inside: int) -> None:
        """Add an element; its end is the end of its start tag until `close`."""
        self._rows[element] = len(self._positions)
        self._positions.extend((start, inside, inside, inside))

    def close(self, element: Any, after: int, end: int) -> None:
        """Set the position of the end tag of an element."""
        row = self._rows[element]
        self._positions[row + 2], self._positions[row + 3] = after, end

    def __getitem__(self, element: Any) -> Span:
        row = self._rows[element]
        return Span(*self._positions[row : row + 4])


@dataclass(frozen=True)
class XmlMarkup:
    """A parsed document with the positions of its elements."""

    file: DecodedText
    root: Any
    spans: Spans
    name: str

    @property
    def text(self) -> str:
        """Text of the file."""
        return self.file.text

    def encode(self, edits: Iterable[Edit]) -> bytes:
        """Encode the document after edits; characters outside its encoding become references."""
        return self.file.encode(apply_edits(self.text, edits), "xmlcharrefreplace")

    def refuse(self, element: Any, detail: str) -> InputError:
        """InputError (`invalid-document`) about an element."""
        return refuse("invalid-document", self.name, detail, self.text, self.spans[element].start)

    def line(self, element: Any) -> int:
        """First line of an element, from 1."""
        return int(element.sourceline)

    def begin(self, element: Any) -> int:
        """Position of the blanks and line ends before an element."""
        begin = self.spans[element].start
        while begin and self.text[begin - 1] in " \t\r\n":
            begin -= 1
        return begin

    def indentation(self, element: Any) -> str:
        """Blanks and line ends before an element, for new lines beside it; at most `LONGEST_INDENTATION` characters."""
        start = self.spans[element].start
        return self.text[max(self.begin(element), start - LONGEST_INDENTATION) : start]

    def start_tag(self, element: Any) -> str:
        """Start tag of an element."""
        span = self.spans[element]
        return self.text[span.start : span.inside]

    def tag_edit(self, element: Any, tag: str) -> Edit:
        """Edit that replaces the start tag of an element."""
        span = self.spans[element]
        return Edit(span.start, span.inside, tag)

    def removal(self, element: Any) -> Edit:
        """Edit that removes an element and the blanks before it."""
        return Edit(self.begin(element), self.spans[element].end, "")


def local_name(element: Any) -> str:
    """Name of an element without its namespace; empty for comments and instructions."""
    tag = element.tag
    return tag.rpartition("}")[2] if isinstance(tag, str) else ""


def prefix_of(element: Any) -> str:
    """Prefix of an element's name with its colon, or an empty string."""
    return f"{element.prefix}:" if element.prefix else ""


def plain_text(
    element: Any, holds_text: Callable[[Any], bool] = lambda child: True, breaks: Callable[[Any], bool] = lambda child: False
) -> str:
    """Text of an element without tags, with one blank for each run of blanks.

    Children for which `holds_text` is False are skipped. Children for which `breaks` is True become a blank.
    """
    return " ".join("".join(_pieces(element, holds_text, breaks)).split())


def _pieces(element: Any, holds_text: Callable[[Any], bool], breaks: Callable[[Any], bool]) -> Iterator[str]:
    yield element.text or ""
    stack = [(element, iter(element))]
    while stack:
        parent, children = stack[-1]
        child = next(children, None)
        if child is not None and local_name(child) and holds_text(child):
            yield child.text or ""
            stack.append((child, iter(child)))
            continue
        if child is None:
            stack.pop()
            child = parent if stack else None
        if child is not None:
            if local_name(child) and breaks(child):
                yield " "
            yield child.tail or ""


def quoted(text: str) -> str:
    """Escape text for an attribute in double quotes or for content."""
    return escape(text, quote=False).replace('"', "&quot;")


def parse_markup(raw: bytes, name: str) -> XmlMarkup:
    """Parse a document; InputError (`unsafe-document`, `invalid-document`, `document-too-large`) has line and column."""
    file = decode(raw, name)
    text = file.text
    prolog = prolog_of(text)
    if text.startswith("<!", prolog.end):
        raise refuse("unsafe-document", name, DOCTYPE, text, prolog.end)
    if text.count("<") > MOST_TAGS:
        raise refuse("document-too-large", name, f"this document has more than {MOST_TAGS} tags; split it")
    parser = etree.XMLParser(
        encoding="utf-8", resolve_entities=False, no_network=True, load_dtd=False, dtd_validation=False, huge_tree=False
    )
    # The parser never sees a document type that only names another file.
    text = prolog.without_type(text)
    try:
        root = etree.fromstring(text.encode("utf-8"), parser)
    except etree.XMLSyntaxError as error:
        line, column = error.position or (1, 1)
        raise InputError(
            "invalid-document", f"line {line}, column {column}: this is not well-formed XML", (name, line, column)
        ) from None
    # The parser may accept blanks before a document type that the scanner does not.
    if root.getroottree().docinfo.internalDTD is not None:
        raise refuse("unsafe-document", name, DOCTYPE)
    return XmlMarkup(file, root, _spans(text, root, name), name)


def _spans(text: str, root: Any, name: str) -> Spans:
    """Positions of all elements, in the order of their start tags, as lxml iterates them."""
    spans = Spans()
    elements = root.iter("*")
    open_elements: list[Any] = []
    # Number of namespaces in scope for each open element; lxml copies them all for each element that asks.
    namespace_counts = [0]
    for match in TAG.finditer(text):
        closing, tag, rest = match.groups()
        if tag is None:
            continue
        if closing:
            spans.close(open_elements.pop(), match.start(), match.end())
            namespace_counts.pop()
            continue
        element = next(elements)
        if local_name(element) != tag.rpartition(":")[2]:
            raise refuse(
                "invalid-document", name, "this tag does not match the parsed document; check its quotes", text, match.start()
            )
        namespaces = namespace_counts[-1] + rest.count("xmlns")
        if namespaces > MOST_NAMESPACES:
            detail = f"more than {MOST_NAMESPACES} namespaces are in scope here; remove unused ones"
            raise refuse("unsafe-document", name, detail, text, match.start())
        spans.open(element, match.start(), match.end())
        if rest.endswith("/"):
            continue
        open_elements.append(element)
        namespace_counts.append(namespaces)
        if len(open_elements) > DEEPEST:
            raise refuse(
                "unsafe-document", name, f"elements are nested more than {DEEPEST} deep; flatten them", text, match.start()
            )
    return spans


def attribute_names(tag: str) -> list[str]:
    """Names of attributes in a start tag, with prefixes and namespace declarations."""
    return [match[1] for match in ATTRIBUTE.finditer(tag)]


def with_attributes(tag: str, values: Mapping[str, str]) -> str:
    """Start tag with these attributes set; the rest is unchanged."""
    for name, value in values.items():
        # Attributes are matched one by one, since a name may also occur in a value.
        match = next((match for match in ATTRIBUTE.finditer(tag) if match[1] == name), None)
        if match:
            tag = f'{tag[: match.start(2)]}"{quoted(value)}"{tag[match.end(2) :]}'
        else:
            cut = len(tag) - (2 if tag.endswith("/>") else 1)
            start = tag[:cut].rstrip()
            tag = f'{start} {name}="{quoted(value)}"{tag[len(start) :]}'
    return tag


def without_attribute(tag: str, name: str) -> str:
    """Start tag without an attribute; the rest is unchanged."""
    match = next((match for match in ATTRIBUTE.finditer(tag) if match[1] == name), None)
    return tag if match is None else tag[: match.start()] + tag[match.end() :]
