r"""Resources of Android: ``strings.xml`` with strings, arrays and plurals.

Sources: Android Developers, "String resources"; its compiler aapt2, `ResourceUtils.cpp`. Escapes are ``\'`` ``\"`` ``\n`` ``\@``
``\u00e9``. Blanks of ASCII collapse outside of quotes, also in CDATA. A tag without a prefix ends quotes.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Any, ClassVar, Final

from app.documents.strings.entry import StringEntry, StringFormat
from app.documents.strings.formats.xml.spelling import Piece, in_pieces, spelled_pieces
from app.documents.strings.formats.xml.texts import XmlFile, XmlPart, XmlText, parsed_xml
from app.documents.strings.keys import KeyBudget, unique
from app.documents.xml.markup import local_name
from app.text.reading.encodings import refuse

__all__ = ["Android"]

BLANKS: Final = " \t\n\r\f\v"
# Tags in a text, as of HTML in CDATA, may have quotes of their own.
TOKEN: Final = re.compile(
    r"(?P<markup></?[A-Za-z][^<>]*+>)|(?P<escape>\\(?:u[0-9a-fA-F]{4}|.))|(?P<quote>\")|(?P<blanks>[ \t\n\r\f\v]++)"
    r"|(?P<text>[^\\\"\s<]++|.)",
    re.DOTALL,
)
ESCAPE: Final = re.compile(r"\\(?:u[0-9a-fA-F]{4}|.)", re.DOTALL)
CHARACTERS: Final = {"n": "\n", "t": "\t"}
ESCAPES: Final = {"\\": "\\\\", "'": "\\'", '"': '\\"', "\n": "\\n", "\t": "\\t"}
SPECIAL: Final = re.compile("[\1-\x1f\\\\'\"\ufffe\uffff]|(?<= ) ")
SURROGATE: Final = re.compile("[\0\ud800-\udfff]")
# References to other resources, which are no texts.
RESOURCE: Final = re.compile(r"@(?:null|empty|[+*]?(?:[\w.]++:)?[a-z]++/[\w.]++)|\?(?:[\w.]++:)?attr/[\w.]++")


class Android(StringFormat):
    """Strings, items of arrays by their place, and plurals. Strings that must not be translated are left out."""

    name: ClassVar = "android"
    title: ClassVar = "Android (strings.xml)"
    suffixes: ClassVar = ("strings.xml", "plurals.xml", "arrays.xml")

    def entries(self, text: str, name: str) -> list[StringEntry]:
        """Strings by their name, items of arrays by ``NAME.0``. Texts of products have theirs in the key: ``NAME (tablet)``."""
        file = parsed_xml(text, name)
        if file.root.get("translatable") == "false":
            return []
        budget = KeyBudget(text, name)
        entries = [entry for element in file.root for entry in _of_element(file, element, budget)]
        for entry in entries:
            if SURROGATE.search(entry.text):
                raise refuse("invalid-character", name, "this text has a NUL or a lone surrogate", text, entry.start)
        return unique([entry for entry in entries if entry.text.strip()], text, name)

    def spelled(self, new: str, text: str, entry: StringEntry) -> str:
        """Escapes of Android, then those of XML."""
        return spelled_pieces(list(_escaped(in_pieces(new, text, entry))), text, entry)


def _of_element(file: XmlFile, element: Any, budget: KeyBudget) -> Iterator[StringEntry]:
    kind, key, product = local_name(element), element.get("name"), element.get("product", "default")
    if not kind or key is None or element.get("translatable") == "false":
        return
    key = key if product == "default" else f"{key} ({product})"
    if kind == "string" or (kind == "item" and element.get("type") == "string"):
        yield from _entries(file, element, key)
    elif kind in {"string-array", "plurals"}:
        items = [item for item in element if local_name(item) == "item"]
        for place, item in enumerate(items):
            item_key = key if kind == "plurals" else ".".join(budget.path((key, str(place)), file.start(item)))
            yield from _entries(file, item, item_key, item.get("quantity", ""))


def _entries(file: XmlFile, element: Any, key: str, plural: str = "") -> Iterator[StringEntry]:
    """The text of an element; none for a reference to another resource."""
    content = file.text_of(element)
    if not RESOURCE.fullmatch(content.value.strip(BLANKS)):
        start, end = _without_blanks(file, content)
        yield replace(content.entry(key, plural), text=_displayed_text(content.parts), start=start, end=end)


def _without_blanks(file: XmlFile, content: XmlText) -> tuple[int, int]:
    """Place of a content without the blanks at its ends, which are never shown. CDATA stays whole."""
    raw = file.markup.text[content.start - file.shift : content.end - file.shift]
    start, end = content.start, content.end
    if content.parts and content.parts[0].kind == "text":
        start += len(raw) - len(raw.lstrip(BLANKS))
    if content.parts and content.parts[-1].kind == "text":
        end -= len(raw) - len(raw.rstrip(BLANKS))
    return start, max(start, end)


def _displayed_text(parts: Sequence[XmlPart]) -> str:
    """The text that Android shows, with its tags."""
    pieces: list[str] = []
    is_quoted, is_behind_blank = False, True
    for part in parts:
        if part.kind == "tag":
            pieces.append(part.value)
            is_span = not _has_prefix(part.value)
            is_quoted, is_behind_blank = is_quoted and not is_span, is_behind_blank and not is_span
            continue
        for token in TOKEN.finditer(part.value):
            is_blank = token.lastgroup == "blanks" and not is_quoted
            if token.lastgroup == "quote":
                is_quoted = not is_quoted
            elif not is_blank:
                pieces.append(token[0] if token.lastgroup == "blanks" else ESCAPE.sub(_character, token[0]))
            elif not is_behind_blank:
                pieces.append(" ")
            is_behind_blank = is_blank
    if is_behind_blank and pieces and pieces[-1] == " ":
        pieces.pop()
    # Two escapes may be one character.
    return "".join(pieces).encode("utf-16-le", "surrogatepass").decode("utf-16-le", "surrogatepass")


def _character(escape: "re.Match[str]") -> str:
    sign = escape[0][1:]
    return chr(int(sign[1:], 16)) if len(sign) > 1 else CHARACTERS.get(sign, sign)


def _has_prefix(tag: str) -> bool:
    """Return True for tags such as ``<xliff:g>``, which have no part in the text."""
    return ":" in tag[1:-1].split(maxsplit=1)[0]


def _escaped(pieces: Sequence[Piece]) -> Iterator[Piece]:
    """Pieces with escapes of all characters that Android would change."""
    is_behind_blank = True
    for place, piece in enumerate(pieces):
        if piece.is_tag:
            is_behind_blank = is_behind_blank and _has_prefix(piece.text)
            yield piece
            continue
        spelling = SPECIAL.sub(lambda match: ESCAPES.get(match[0], f"\\u{ord(match[0]):04x}"), piece.text)
        if is_behind_blank and spelling.startswith(" "):
            spelling = f"\\u0020{spelling[1:]}"
        if spelling.endswith(" ") and place == len(pieces) - 1:
            spelling = f"{spelling[:-1]}\\u0020"
        if place == 0 and spelling.startswith(("@", "?")):
            spelling = f"\\{spelling}"
        is_behind_blank = spelling.endswith(" ")
        yield Piece(spelling)
