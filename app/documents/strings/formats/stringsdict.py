"""Plural rules of Apple: ``de.lproj/Localizable.stringsdict``.

Source: Apple, "Stringsdict File Format": a property list of formats, each with variables and their plural categories.
"""

from collections.abc import Iterator
from typing import Any, ClassVar, Final

from app.documents.strings.entry import PLURALS, StringEntry, StringFormat
from app.documents.strings.keys import unique
from app.documents.strings.xml_texts import parsed_xml, spelled_xml, text_of
from app.documents.xml.markup import XmlMarkup, local_name

__all__ = ["StringsDict"]

FORMAT: Final = "NSStringLocalizedFormatKey"


class StringsDict(StringFormat):
    """Formats by their key, and forms of variables by ``KEY.VARIABLE`` and category."""

    name: ClassVar = "stringsdict"
    title: ClassVar = "Apple plural rules (stringsdict)"
    suffixes: ClassVar = (".stringsdict",)

    def entries(self, text: str, name: str) -> list[StringEntry]:
        """Formats and forms in the order of the file."""
        markup = parsed_xml(text, name)
        root = next((child for child in markup.root if local_name(child) == "dict"), markup.root)
        entries: list[StringEntry] = []
        for key, value in _members(root):
            for member, part in _members(value):
                if member == FORMAT:
                    entries.append(StringEntry(key, *text_of(markup, part)))
                elif local_name(part) == "dict":
                    entries += _forms(markup, f"{key}.{member}", part)
        return unique([entry for entry in entries if entry.text.strip()], text, name)

    def spelled(self, new: str, text: str, entry: StringEntry) -> str:
        """References of XML."""
        return spelled_xml(new, text, entry)


def _forms(markup: XmlMarkup, key: str, variable: Any) -> Iterator[StringEntry]:
    for category, element in _members(variable):
        if category in PLURALS:
            yield StringEntry(key, *text_of(markup, element), category)


def _members(dictionary: Any) -> Iterator[tuple[str, Any]]:
    """Keys and values of a dictionary of a property list."""
    key = None
    for child in dictionary:
        if local_name(child) == "key":
            key = child.text or ""
        elif key is not None and local_name(child):
            yield key, child
            key = None
