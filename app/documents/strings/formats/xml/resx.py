"""Resources of .NET: ``Resources.de.resx``.

Source: Microsoft, "Resources in .resx file format": entries with a MIME type, or a type other than a string, are no strings.
"""

from typing import Any, ClassVar, Final

from app.documents.strings.entry import StringEntry, StringFormat
from app.documents.strings.formats.xml.spelling import spelled_xml
from app.documents.strings.formats.xml.texts import parsed_xml
from app.documents.strings.keys import unique
from app.documents.xml.markup import local_name

__all__ = ["Resx"]

STRING: Final = "System.String"
DESIGNERS: Final = ">>"


class Resx(StringFormat):
    """Values of `data` that are strings; names of designers, which begin with >>, are left out."""

    name: ClassVar = "resx"
    title: ClassVar = "RESX (.NET)"
    suffixes: ClassVar = (".resx", ".resw")

    def entries(self, text: str, name: str) -> list[StringEntry]:
        """Values by their name."""
        file = parsed_xml(text, name)
        entries = []
        for element in file.root.iterchildren("{*}data"):
            key = element.get("name", DESIGNERS)
            value = next((child for child in element if local_name(child) == "value"), None)
            if _is_string(element) and value is not None and not key.startswith(DESIGNERS):
                entries.append(file.text_of(value).entry(key))
        return unique([entry for entry in entries if entry.text.strip()], text, name)

    def spelled(self, new: str, text: str, entry: StringEntry) -> str:
        """References of XML."""
        return spelled_xml(new, text, entry)


def _is_string(element: Any) -> bool:
    """Return True for data without a type, or with an assembly's name of the type of strings."""
    kind = element.get("type", STRING).split(",")[0].strip()
    return element.get("mimetype") is None and kind == STRING
