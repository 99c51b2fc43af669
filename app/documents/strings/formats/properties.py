r"""Properties of Java: ``messages_de.properties``.

Source: Java, `java.util.Properties.load`: separators ``=``, ``:`` and blanks, comments ``#`` and ``!``, lines that go on behind a
backslash, escapes ``\n`` and ``\u00e9``.
"""

import re
from typing import ClassVar, Final

from app.documents.strings.entry import StringEntry, StringFormat
from app.documents.strings.keys import unique
from app.text.reading.encodings import refuse

__all__ = ["Properties"]

BYTE_ORDER_MARK: Final = "\ufeff"
# A line that goes on, with the blanks of the next line; blanks are those of Java alone.
NEXT: Final = r"\\(?:\r\n|\n|\r)[ \t\f]*+"
BLANKS: Final = rf"(?:[ \t\f]++|{NEXT})*+"
KEY: Final = rf"(?:[^\\:= \t\f\r\n]++|{NEXT}|\\.)*+"
# A line with a key and a value, of one or several lines of the file. Comments and blank lines have no key.
LINE: Final = re.compile(
    rf"{BLANKS}(?:[#!][^\r\n]*+|(?P<key>{KEY}){BLANKS}(?:[:=]{BLANKS})?(?P<value>(?:[^\\\r\n]++|\\(?:\r\n|.))*+))"
    r"(?:\r\n|\n|\r|\Z|\\\Z)",
    re.DOTALL,
)
ESCAPE: Final = re.compile(r"\\(?:u([0-9a-fA-F]{4})|(?:\r\n|\r|\n)[ \t\f]*+|(.))", re.DOTALL)
CHARACTERS: Final = {"n": "\n", "t": "\t", "r": "\r", "f": "\f"}
ESCAPES: Final = str.maketrans({"\\": "\\\\", "\n": "\\n", "\t": "\\t", "\r": "\\r", "\f": "\\f"})


class Properties(StringFormat):
    """Values by their keys."""

    name: ClassVar = "properties"
    title: ClassVar = "Java properties"
    suffixes: ClassVar = (".properties",)

    def entries(self, text: str, name: str) -> list[StringEntry]:
        """Values without their escapes."""
        entries, at = [], len(BYTE_ORDER_MARK) if text.startswith(BYTE_ORDER_MARK) else 0
        while at < len(text):
            match = LINE.match(text, at)
            if match is None:
                raise refuse("invalid-document", name, "this line is neither a comment nor a key with a value", text, at)
            if match["key"] is not None:
                key, value = (_plain_text(text, name, *match.span(part)) for part in ("key", "value"))
                entries.append(StringEntry(key, value, *match.span("value")))
            at = match.end()
        return unique([entry for entry in entries if entry.key and entry.text.strip()], text, name)

    def spelled(self, new: str, text: str, entry: StringEntry) -> str:
        """Escapes of Java; letters outside ASCII become numbers in the place of a value that has such."""
        spelling = new.translate(ESCAPES)
        spelling = f"\\{spelling}" if spelling[:1].isspace() else spelling
        if not any(escape[1] for escape in ESCAPE.finditer(text, entry.start, entry.end)):
            return spelling
        units = spelling.encode("utf-16-be")
        codes = (int.from_bytes(units[k : k + 2]) for k in range(0, len(units), 2))
        return "".join(chr(code) if code < 0x80 else f"\\u{code:04x}" for code in codes)


def _plain_text(text: str, name: str, start: int, end: int) -> str:
    """A key or value without escapes; two numbers may be one character of UTF-16. InputError for a number of fewer digits."""
    parts, at = [], start
    for escape in ESCAPE.finditer(text, start, end):
        code, character = escape.groups()
        if character == "u":
            raise refuse("invalid-document", name, "four hexadecimal digits follow \\u", text, escape.start())
        parts += [text[at : escape.start()], chr(int(code, 16)) if code else CHARACTERS.get(character, character or "")]
        at = escape.end()
    plain = "".join([*parts, text[at:end]])
    return plain.encode("utf-16", "surrogatepass").decode("utf-16", "replace").replace("\0", "\ufffd")
