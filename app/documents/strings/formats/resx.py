"""Resources of .NET: ``Resources.de.resx``.

Source: Microsoft, "Resources in .resx file format": entries with a type or a MIME type are no strings.
"""

from typing import ClassVar

from app.documents.strings.entry import StringEntry, StringFormat
from app.documents.strings.keys import unique
from app.documents.strings.xml_texts import parsed_xml, spelled_xml, text_of
from app.documents.xml.markup import local_name

__all__ = ["Resx"]


class Resx(StringFormat):
    """Values of `data` that are strings; names of designers, which begin with >>, are left out."""

    name: ClassVar = "resx"
    title: ClassVar = "RESX (.NET)"
    suffixes: ClassVar = (".resx", ".resw")

    def entries(self, text: str, name: str) -> list[StringEntry]:
        """Values by their name."""
        markup = parsed_xml(text, name)
        entries = []
        for element in markup.root:
            key = element.get("name", "")
            is_string = local_name(element) == "data" and element.get("type") is None and element.get("mimetype") is None
            value = next((child for child in element if local_name(child) == "value"), None)
            if is_string and value is not None and not key.startswith(">>"):
                entries.append(StringEntry(key, *text_of(markup, value)))
        return unique([entry for entry in entries if entry.text.strip()], text, name)

    def spelled(self, new: str, text: str, entry: StringEntry) -> str:
        """References of XML."""
        return spelled_xml(new, text, entry)
