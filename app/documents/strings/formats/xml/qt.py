"""Translations of Qt: ``app_de.ts``.

Source: Qt, "TS file format". Obsolete and vanished messages are no part of the program. Plural forms follow Qt's order. A tag
`byte` stands for a character that XML cannot hold. Texts of several lengths are tried from the longest on.
"""

import re
from collections.abc import Iterator
from dataclasses import replace
from typing import Any, ClassVar, Final

from app.documents.strings.entry import StringEntry, StringFormat
from app.documents.strings.formats.xml.spelling import Piece, in_pieces, spelled_pieces
from app.documents.strings.formats.xml.texts import XmlFile, XmlPart, XmlText, parsed_xml
from app.documents.strings.keys import KeyBudget
from app.documents.xml.markup import local_name
from app.text.reading.encodings import refuse

__all__ = ["Qt"]

OBSOLETE: Final = frozenset({"obsolete", "vanished"})
# Begins of XML; TypeScript may begin with < too.
BEGIN: Final = re.compile(r"\ufeff?\s*+<(?:\?xml|!--|!DOCTYPE\s++TS\b|TS\b)")
BYTE: Final = re.compile(r"""<byte\s++value\s*+=\s*+["'](?:x([0-9a-fA-F]{1,4})|([0-9]{1,5}))["']\s*+/?>""")
WITH_BYTES: Final = re.compile("[\1-\x08\x0b\x0c\x0e-\x1f\ufffe\uffff]")
END_OF_BYTE: Final = re.compile(r"</byte\s*+>")


class Qt(StringFormat):
    """Messages with a translation, beside their sources."""

    name: ClassVar = "qt"
    title: ClassVar = "Qt Linguist (.ts)"
    suffixes: ClassVar = (".ts",)
    has_sources: ClassVar = True

    def recognises(self, head: str) -> bool:
        """Return True for XML: most files with this suffix are TypeScript."""
        return BEGIN.match(head) is not None

    def entries(self, text: str, name: str) -> list[StringEntry]:
        """Translations by identifier, else by context and source; plural forms by their number."""
        return [entry for entry in self._messages(text, name) if entry.text.strip()]

    def keys(self, text: str, name: str) -> frozenset[str]:
        """Keys of all messages that the program has."""
        return frozenset(entry.key for entry in self._messages(text, name))

    def _messages(self, text: str, name: str) -> list[StringEntry]:
        """Texts of all messages, blank ones too."""
        if not self.recognises(text):
            raise refuse("invalid-document", name, "this is no file of Qt Linguist; leave TypeScript out", text, 0)
        file = parsed_xml(text, name)
        language, budget = file.root.get("language"), KeyBudget(text, name)
        entries: list[StringEntry] = []
        for context in file.root.iter("{*}context", "context", "{*}TS", "TS"):
            titles = [_value(file.text_of(child)) for child in context if local_name(child) == "name"]
            title = titles[0] if titles else ""
            for message in context:
                if local_name(message) == "message":
                    entries += _of_message(file, message, budget, title, language)
        return entries

    def spelled(self, new: str, text: str, entry: StringEntry) -> str:
        """References of XML, and tags for characters that it cannot hold."""
        pieces: list[Piece] = []
        for piece in in_pieces(new, text, entry, characters={"byte"}):
            pieces += [piece] if piece.is_tag else _with_bytes(piece.text)
        return spelled_pieces(pieces, text, entry)


def _of_message(file: XmlFile, message: Any, budget: KeyBudget, context: str, language: str | None) -> Iterator[StringEntry]:
    children = {local_name(child): child for child in message}
    source, translation = children.get("source"), children.get("translation")
    if source is None or translation is None or translation.get("type") in OBSOLETE:
        return
    source_text = _value(file.text_of(source))
    steps = (message.get("id"),) if "id" in message.attrib else tuple(filter(None, (context, source_text)))
    key = ".".join(budget.path(steps, file.start(message)))
    if "comment" in children and "id" not in message.attrib:
        key += f" ({_value(file.text_of(children['comment']))})"
    forms = [child for child in translation if local_name(child) == "numerusform"]
    for number, form in enumerate(forms or [translation]):
        variants = [child for child in form if local_name(child) == "lengthvariant"]
        for place, element in enumerate(variants or [form]):
            content = file.text_of(element)
            variant_key = ".".join(budget.path((key, str(place)), file.start(element))) if place else key
            entry = content.entry(variant_key, str(number) if forms else "")
            yield replace(entry, text=_value(content), source=source_text, language=language)


def _value(content: XmlText) -> str:
    """A text with its characters behind tags."""
    return "".join(_with_character(part) for part in content.parts if part.kind != "note")


def _with_character(part: XmlPart) -> str:
    byte = BYTE.fullmatch(part.value) if part.kind == "tag" else None
    if byte is None:
        return "" if part.kind == "tag" and END_OF_BYTE.fullmatch(part.value) else part.value
    code = int(byte[1], 16) if byte[1] else int(byte[2])
    return chr(code) if 0 < code < 0xD800 or 0xE000 <= code <= 0xFFFF else part.value


def _with_bytes(text: str) -> Iterator[Piece]:
    at = 0
    for match in WITH_BYTES.finditer(text):
        yield Piece(text[at : match.start()])
        yield Piece(f'<byte value="x{ord(match[0]):x}"/>', is_tag=True)
        at = match.end()
    yield Piece(text[at:])
