"""Documents in XML: parsed by lxml for their meaning, scanned once more for the places of their tags.

Only what is ours changes in a file, so edits are made in its text and never by writing a parsed tree. Nothing outside the
document is ever opened: a document type that names another file is passed over, and there is no entity and no network.
"""

import re
from array import array
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final
from xml.sax.saxutils import escape

from lxml import etree

from app.documents.xml.prolog import prolog_of
from app.errors import InputError
from app.text.reading.encodings import Decoded, decode, place_of, refuse

__all__ = [
    "TAG",
    "Edit",
    "Markup",
    "Span",
    "apply_edits",
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
DOCTYPE: Final = "a DOCTYPE that declares anything in [ ] is not accepted, nor a second one; delete the declarations"
# Elements of a document have a start and most an end; more would need far more memory than the text.
MOST_TAGS: Final = 1_000_000
MOST_NAMESPACES: Final = 100
LONGEST_INDENTATION: Final = 200
TAG: Final = re.compile(
    r"""<!--.*?-->|<!\[CDATA\[.*?\]\]>|<\?.*?\?>|<(/?)([^\s/>!?]++)((?:[^>"']++|"[^"]*+"|'[^']*+')*+)>""", re.DOTALL
)
ATTRIBUTE: Final = re.compile(r"""\s([^\s=<>/"']++)\s*+=\s*+("[^"]*+"|'[^']*+')""")


@dataclass(frozen=True, slots=True)
class Span:
    """Places of one element in the text: its start tag `[start, inside)`, its content, its end tag `[after, end)`."""

    start: int
    inside: int
    after: int
    end: int


class Spans:
    """The places of all elements; numbers in a row, since a document has many elements and few are asked for."""

    def __init__(self) -> None:
        self._rows: dict[Any, int] = {}
        self._places = array("q")

    def open(self, element: Any, start: int, inside: int) -> None:
        """An element begins; its end is that of its start tag until it is closed."""
        self._rows[element] = len(self._places)
        self._places.extend((start, inside, inside, inside))

    def close(self, element: Any, after: int, end: int) -> None:
        """Its end tag is here."""
        row = self._rows[element]
        self._places[row + 2], self._places[row + 3] = after, end

    def __getitem__(self, element: Any) -> Span:
        row = self._rows[element]
        return Span(*self._places[row : row + 4])


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
    spans: Spans
    name: str

    @property
    def text(self) -> str:
        """The document as it was written."""
        return self.decoded.text

    def encode(self, edits: Iterable[Edit]) -> bytes:
        """The document after edits; what its encoding lacks stands as a reference, as it may have done before."""
        return self.decoded.encode(apply_edits(self.text, edits), "xmlcharrefreplace")

    def refuse(self, element: Any, detail: str) -> InputError:
        """The error about an element (`invalid-document`)."""
        return refuse("invalid-document", self.name, detail, self.text, self.spans[element].start)

    def line(self, element: Any) -> int:
        """The line on which an element begins."""
        return int(element.sourceline)

    def begin(self, element: Any) -> int:
        """Where the blanks and line ends before an element begin."""
        begin = self.spans[element].start
        while begin and self.text[begin - 1] in " \t\r\n":
            begin -= 1
        return begin

    def indentation(self, element: Any) -> str:
        """The blanks and line ends before an element, for lines of our own: the last of very many, since each line repeats them."""
        start = self.spans[element].start
        return self.text[max(self.begin(element), start - LONGEST_INDENTATION) : start]

    def removal(self, element: Any) -> Edit:
        """The edit that takes an element away, and the blanks before it."""
        return Edit(self.begin(element), self.spans[element].end, "")


def local_name(element: Any) -> str:
    """An element's name without its namespace; empty for comments and instructions."""
    tag = element.tag
    return tag.rpartition("}")[2] if isinstance(tag, str) else ""


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
    opened = [(element, iter(element))]
    while opened:
        parent, children = opened[-1]
        child = next(children, None)
        if child is not None and local_name(child) and holds_text(child):
            yield child.text or ""
            opened.append((child, iter(child)))
            continue
        if child is None:
            opened.pop()
            child = parent if opened else None
        if child is not None:
            if local_name(child) and breaks(child):
                yield " "
            yield child.tail or ""


def quoted(text: str) -> str:
    """Text for an attribute in double quotes or for content."""
    return escape(text, {'"': "&quot;"})


def parse_markup(raw: bytes, name: str) -> Markup:
    """Parse a document. InputError (`unsafe-document`, `invalid-document`) with line and column."""
    decoded = decode(raw, name)
    text = decoded.text
    prolog = prolog_of(text)
    if text.startswith("<!", prolog.end):
        raise refuse("unsafe-document", name, DOCTYPE, text, prolog.end)
    if text.count("<") > MOST_TAGS:
        raise refuse("document-too-large", name, f"a document may have at most {MOST_TAGS} tags; split it")
    parser = etree.XMLParser(
        encoding="utf-8", resolve_entities=False, no_network=True, load_dtd=False, dtd_validation=False, huge_tree=False
    )
    # A document type that only names another file is never seen by the parser.
    text = prolog.without_type(text)
    try:
        root = etree.fromstring(text.encode("utf-8"), parser)
    except etree.XMLSyntaxError as error:
        line, column = error.position or (1, 1)
        raise InputError(
            "invalid-document", f"line {line}, column {column}: this is not well-formed XML", (name, line, column)
        ) from None
    # Whatever a parser takes for blanks before it.
    if root.getroottree().docinfo.internalDTD is not None:
        raise refuse("unsafe-document", name, DOCTYPE)
    return Markup(decoded, root, _spans(text, root, name), name)


def _spans(text: str, root: Any, name: str) -> Spans:
    """The places of all elements, in the order in which they begin, which is lxml's too."""
    spans = Spans()
    elements = root.iter("*")
    opened: list[Any] = []
    # What is declared where we are, for each that is open: somebody might ask every element for all of it.
    declared = [0]
    for match in TAG.finditer(text):
        closing, tag, rest = match.groups()
        if tag is None:
            continue
        if closing:
            spans.close(opened.pop(), match.start(), match.end())
            declared.pop()
            continue
        element = next(elements)
        if local_name(element) != tag.rpartition(":")[2]:
            raise refuse("invalid-document", name, "this tag cannot be read", text, match.start())
        namespaces = declared[-1] + rest.count("xmlns")
        if namespaces > MOST_NAMESPACES:
            detail = f"more than {MOST_NAMESPACES} namespaces are declared here"
            raise refuse("unsafe-document", name, detail, text, match.start())
        spans.open(element, match.start(), match.end())
        if rest.endswith("/"):
            continue
        opened.append(element)
        declared.append(namespaces)
        if len(opened) > DEEPEST:
            raise refuse("unsafe-document", name, f"elements lie more than {DEEPEST} deep", text, match.start())
    return spans


def attribute_names(tag: str) -> list[str]:
    """The names of a start tag's attributes as they are written, prefixes and declarations of namespaces included."""
    return [match[1] for match in ATTRIBUTE.finditer(tag)]


def with_attributes(tag: str, values: Mapping[str, str]) -> str:
    """A start tag with these attributes set, the others as they were."""
    for name, value in values.items():
        # One attribute after the other, since a name may also stand in a value.
        match = next((match for match in ATTRIBUTE.finditer(tag) if match[1] == name), None)
        if match:
            tag = f'{tag[: match.start(2)]}"{quoted(value)}"{tag[match.end(2) :]}'
        else:
            cut = len(tag) - (2 if tag.endswith("/>") else 1)
            kept = tag[:cut].rstrip()
            tag = f'{kept} {name}="{quoted(value)}"{tag[len(kept) :]}'
    return tag


def without_attribute(tag: str, name: str) -> str:
    """A start tag that lacks an attribute, the others as they were."""
    match = next((match for match in ATTRIBUTE.finditer(tag) if match[1] == name), None)
    return tag if match is None else tag[: match.start()] + tag[match.end() :]


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
