r"""Resources of Android: ``strings.xml`` with strings, arrays and plurals.

Source: Android Developers, "String resources": escapes ``\'`` ``\"`` ``\n`` ``\@`` ``\u00e9``; blanks collapse outside of quotes.
"""

import re
from collections.abc import Iterator
from typing import Any, ClassVar, Final

from app.documents.strings.entry import StringEntry, StringFormat
from app.documents.strings.keys import unique
from app.documents.strings.xml_texts import TAG, outside_of_tags, parsed_xml, spelled_xml, text_of
from app.documents.xml.markup import XmlMarkup, local_name

__all__ = ["Android"]

# A tag stays as it is.
PART: Final = re.compile(r'</?[A-Za-z][^<>]*+>|\\(?:u[0-9a-fA-F]{4}|.)|"|\s++|[^\\"\s<]++|[\\<]', re.DOTALL)
CHARACTERS: Final = {"n": "\n", "t": "\t", "r": "\r"}
ESCAPES: Final = str.maketrans({"\\": "\\\\", "'": "\\'", '"': '\\"', "\n": "\\n", "\t": "\\t"})
# Blanks that would collapse or vanish.
LOOSE_BLANKS: Final = re.compile(r"^\s|\s$|\s\s")


class Android(StringFormat):
    """Strings, items of arrays by their place, and plurals. Strings that must not be translated are left out."""

    name: ClassVar = "android"
    title: ClassVar = "Android (strings.xml)"
    suffixes: ClassVar = ("strings.xml", "plurals.xml", "arrays.xml")

    def entries(self, text: str, name: str) -> list[StringEntry]:
        """Strings by their name, items of arrays by ``NAME.0``."""
        markup = parsed_xml(text, name)
        entries = [entry for element in markup.root if local_name(element) for entry in _of_element(markup, element)]
        return unique([entry for entry in entries if entry.text.strip()], text, name)

    def spelled(self, new: str, text: str, entry: StringEntry) -> str:
        """Escapes of Android, then those of XML."""
        has_tags = TAG.search(text, entry.start, entry.end) is not None
        spelling = outside_of_tags(new, lambda part: part.translate(ESCAPES)) if has_tags else new.translate(ESCAPES)
        spelling = f"\\{spelling}" if spelling.startswith(("@", "?")) else spelling
        return spelled_xml(f'"{spelling}"' if LOOSE_BLANKS.search(new) else spelling, text, entry)


def _of_element(markup: XmlMarkup, element: Any) -> Iterator[StringEntry]:
    kind, key = local_name(element), element.get("name", "")
    if element.get("translatable") == "false":
        return
    if kind == "string":
        yield _entry(markup, element, key)
    elif kind in {"string-array", "plurals"}:
        items = [item for item in element if local_name(item) == "item"]
        for place, item in enumerate(items):
            yield _entry(markup, item, key if kind == "plurals" else f"{key}.{place}", item.get("quantity", ""))


def _entry(markup: XmlMarkup, element: Any, key: str, plural: str = "") -> StringEntry:
    value, start, end = text_of(markup, element)
    return StringEntry(key, _plain_text(value), start, end, plural)


def _plain_text(value: str) -> str:
    """The text that Android shows."""
    pieces: list[str] = []
    is_quoted = False
    for part in PART.findall(value.strip()):
        if part == '"':
            is_quoted = not is_quoted
        elif part[0] == "\\" and len(part) > 1:
            pieces.append(chr(int(part[2:], 16)) if len(part) == 6 else CHARACTERS.get(part[1], part[1]))
        else:
            pieces.append(" " if part.isspace() and not is_quoted else part)
    return "".join(pieces)
