"""Texts of elements in XML with their places, shared by all formats of string files that are XML."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, Final, Literal, NamedTuple

from app.documents.strings.entry import StringEntry
from app.documents.xml.markup import TAG, XmlMarkup, parse_markup
from app.text.reading.encodings import refuse

__all__ = ["CLOSE", "OPEN", "XmlFile", "XmlPart", "XmlText", "parsed_xml"]

MARK: Final = "\ufeff"
OPEN: Final = "<![CDATA["
CLOSE: Final = "]]>"
BLANKS: Final = " \t\r\n"
LONE_SURROGATE: Final = re.compile("[\ud800-\udfff]")
REFERENCE: Final = re.compile(r"&(?:#([0-9]++)|#x([0-9a-fA-F]++)|(lt|gt|amp|quot|apos));")
NAMES: Final = {"lt": "<", "gt": ">", "amp": "&", "quot": '"', "apos": "'"}


class XmlPart(NamedTuple):
    """A part of a content: text without references, a CDATA section, a tag as it stands, or a comment or instruction."""

    kind: Literal["text", "section", "tag", "note"]
    value: str
    start: int
    end: int


@dataclass(frozen=True)
class XmlText:
    """The content of an element in its parts, and its characters `[start, end)` of the file.

    Notes at its ends are no part of it. Of CDATA sections alone, neither are their marks and the blanks around them.
    """

    parts: tuple[XmlPart, ...]
    start: int
    end: int

    @property
    def value(self) -> str:
        """The text; tags stay as they are, comments and instructions vanish."""
        return "".join(part.value for part in self.parts if part.kind != "note")

    def entry(self, key: str, plural: str = "") -> StringEntry:
        """The text under a key."""
        return StringEntry(key, self.value, self.start, self.end, plural)


@dataclass(frozen=True)
class XmlFile:
    """A parsed file; `shift` is the length of its byte-order mark, behind which the parser counts."""

    markup: XmlMarkup
    shift: int

    @property
    def root(self) -> Any:
        """The root element."""
        return self.markup.root

    def start(self, element: Any) -> int:
        """The first character of an element in the file."""
        return self.markup.spans[element].start + self.shift

    def text_of(self, element: Any) -> XmlText:
        """The content of an element. O(length)."""
        span = self.markup.spans[element]
        parts = list(_parts(self.markup.text, span.inside, span.after))
        texts = [place for place, part in enumerate(parts) if part.kind != "note"]
        parts = parts[texts[0] : texts[-1] + 1] if texts else []
        start, end = (parts[0].start, parts[-1].end) if parts else (span.after, span.after)
        sections = [place for place, part in enumerate(parts) if part.kind == "section"]
        if sections and self._is_layout(parts[: sections[0]]) and self._is_layout(parts[sections[-1] + 1 :]):
            inner_parts = parts[sections[0] : sections[-1] + 1]
            if all(part.kind != "tag" for part in inner_parts):
                parts, start, end = inner_parts, inner_parts[0].start + len(OPEN), inner_parts[-1].end - len(CLOSE)
        return XmlText(tuple(parts), start + self.shift, end + self.shift)

    def _is_layout(self, parts: list[XmlPart]) -> bool:
        """Return True for blanks and notes alone; a reference to a blank is a text."""
        blanks = (self.markup.text[part.start : part.end].strip(BLANKS) for part in parts if part.kind != "note")
        return not any(blanks)


def parsed_xml(text: str, name: str) -> XmlFile:
    """Parse a text; InputError with line and column for one that is not well-formed, or has declarations."""
    surrogate = LONE_SURROGATE.search(text)
    if surrogate is not None:
        raise refuse("invalid-character", name, "this is a lone surrogate; remove it", text, surrogate.start())
    body = text.removeprefix(MARK)
    # The mark goes before the encoding that the file declares.
    return XmlFile(parse_markup((MARK + body).encode(), name), len(text) - len(body))


def _parts(text: str, start: int, end: int) -> Iterator[XmlPart]:
    at = start
    for match in TAG.finditer(text, start, end):
        if at < match.start():
            yield XmlPart("text", _resolved(text[at : match.start()]), at, match.start())
        at = match.end()
        if match[2] is not None:
            yield XmlPart("tag", _with_plain_lines(match[0]), *match.span())
        elif match[0].startswith(OPEN):
            yield XmlPart("section", _with_plain_lines(match[0][len(OPEN) : -len(CLOSE)]), *match.span())
        else:
            yield XmlPart("note", "", *match.span())
    if at < end:
        yield XmlPart("text", _resolved(text[at:end]), at, end)


def _resolved(raw: str) -> str:
    """Characters of a text without references. XML has one line end, and those behind references stay."""
    return REFERENCE.sub(_character, _with_plain_lines(raw))


def _character(reference: "re.Match[str]") -> str:
    decimal, hexadecimal, name = reference.groups()
    if name is not None:
        return NAMES[name]
    # Python refuses numbers of thousands of digits, which may all be zeros.
    return chr(int(decimal.lstrip("0")) if decimal is not None else int(hexadecimal.lstrip("0"), 16))


def _with_plain_lines(raw: str) -> str:
    return raw.replace("\r\n", "\n").replace("\r", "\n")
