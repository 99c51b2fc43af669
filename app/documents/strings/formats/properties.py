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

# A line with a key and a value, of one or several lines of the file. Comments and blank lines have no key.
LINE: Final = re.compile(
    r"[ \t\f]*+(?:[#!][^\r\n]*+|(?P<key>(?:[^\\:=\s]|\\.)*+)[ \t\f]*+(?:[:=][ \t\f]*+)?(?P<value>(?:[^\\\r\n]|\\(?:\r\n|.))*+))?"
    r"(?:\r\n|\n|\r|\Z|\\\Z)",
    re.DOTALL,
)
ESCAPE: Final = re.compile(r"\\(?:u([0-9a-fA-F]{4})|(?:\r\n|\r|\n)[ \t\f]*+|(.))", re.DOTALL)
BROKEN: Final = re.compile(r"\\u(?![0-9a-fA-F]{4})")
CHARACTERS: Final = {"n": "\n", "t": "\t", "r": "\r", "f": "\f"}
ESCAPES: Final = str.maketrans({"\\": "\\\\", "\n": "\\n", "\t": "\\t", "\r": "\\r", "\f": "\\f"})


class Properties(StringFormat):
    """Values by their keys."""

    name: ClassVar = "properties"
    title: ClassVar = "Java properties"
    suffixes: ClassVar = (".properties",)

    def entries(self, text: str, name: str) -> list[StringEntry]:
        """Values without their escapes."""
        entries, at = [], 0
        while at < len(text):
            match = LINE.match(text, at)
            if match is None:
                raise refuse("invalid-document", name, "this line is neither a comment nor a key with a value", text, at)
            key, value = match["key"], match["value"]
            if key and value:
                fault = BROKEN.search(text, match.start("value"), match.end("value"))
                if fault is not None:
                    raise refuse("invalid-document", name, "four hexadecimal digits follow \\u", text, fault.start())
                entries.append(StringEntry(_plain_text(key), _plain_text(value), match.start("value"), match.end("value")))
            at = max(match.end(), at + 1)
        return unique([entry for entry in entries if entry.text.strip()], text, name)

    def spelled(self, new: str, text: str, entry: StringEntry) -> str:
        """Escapes of Java; letters outside ASCII become numbers in the place of a value that has such."""
        spelling = new.translate(ESCAPES)
        spelling = f"\\{spelling}" if spelling[:1].isspace() else spelling
        if "\\u" not in text[entry.start : entry.end]:
            return spelling
        units = spelling.encode("utf-16-be")
        codes = (int.from_bytes(units[k : k + 2]) for k in range(0, len(units), 2))
        return "".join(chr(code) if code < 0x80 else f"\\u{code:04x}" for code in codes)


def _plain_text(text: str) -> str:
    """A key or value without escapes; two numbers may be one character of UTF-16."""
    plain = ESCAPE.sub(lambda match: chr(int(match[1], 16)) if match[1] else CHARACTERS.get(match[2], match[2] or ""), text)
    return plain.encode("utf-16", "surrogatepass").decode("utf-16", "replace").replace("\0", "\ufffd")
