"""Translations of Qt: ``app_de.ts``.

Source: Qt, "TS file format": obsolete and vanished messages are no part of the program; plural forms follow Qt's order.
"""

from collections.abc import Iterator
from typing import Any, ClassVar, Final

from app.documents.strings.entry import StringEntry, StringFormat
from app.documents.strings.xml_texts import parsed_xml, spelled_xml, text_of
from app.documents.xml.markup import XmlMarkup, local_name
from app.text.reading.encodings import refuse

__all__ = ["Qt"]

OBSOLETE: Final = frozenset({"obsolete", "vanished"})


class Qt(StringFormat):
    """Messages with a translation, beside their sources."""

    name: ClassVar = "qt"
    title: ClassVar = "Qt Linguist (.ts)"
    suffixes: ClassVar = (".ts",)
    has_sources: ClassVar = True

    def recognises(self, head: str) -> bool:
        """Return True for markup: most files with this suffix are TypeScript."""
        return head.lstrip("\ufeff \t\r\n").startswith("<")

    def entries(self, text: str, name: str) -> list[StringEntry]:
        """Translations by context and source; plural forms by their number."""
        if not self.recognises(text):
            raise refuse("invalid-document", name, "this is no file of Qt Linguist; leave TypeScript out", text, 0)
        markup = parsed_xml(text, name)
        language = markup.root.get("language")
        entries: list[StringEntry] = []
        for context in markup.root.iter("{*}context", "context"):
            title = next((child.text or "" for child in context if local_name(child) == "name"), "")
            for message in context:
                if local_name(message) == "message":
                    entries += _of_message(markup, message, title, language)
        return entries

    def spelled(self, new: str, text: str, entry: StringEntry) -> str:
        """References of XML."""
        return spelled_xml(new, text, entry)


def _of_message(markup: XmlMarkup, message: Any, context: str, language: str | None) -> Iterator[StringEntry]:
    children = {local_name(child): child for child in message}
    source, translation = children.get("source"), children.get("translation")
    if source is None or translation is None or translation.get("type") in OBSOLETE:
        return
    comment = children["comment"].text or "" if "comment" in children else ""
    source_text = text_of(markup, source).value
    key = f"{context}.{source_text}" + (f" ({comment})" if comment else "")
    forms = [child for child in translation if local_name(child) == "numerusform"]
    for number, element in enumerate(forms or [translation]):
        value, start, end = text_of(markup, element)
        if value.strip():
            yield StringEntry(key, value, start, end, str(number) if forms else "", source_text, language)
