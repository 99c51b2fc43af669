r"""Strings of Apple: ``de.lproj/Localizable.strings``.

Source: Apple, "String Resources" (Resource Programming Guide): ``"key" = "value";``, comments of C,
escapes ``\"`` ``\n`` ``\U00e9``.
"""

import re
from typing import ClassVar, Final

from app.documents.strings.entry import StringEntry, StringFormat
from app.documents.strings.keys import unique
from app.text.reading.encodings import refuse

__all__ = ["AppleStrings"]

# Blanks and comments between the parts of a pair.
GAP: Final = r"(?:[\s\ufeff]|//[^\r\n]*+|/\*(?:[^*]|\*(?!/))*+\*/)*+"
QUOTATION: Final = r'"(?:[^"\\]++|\\.)*+"'
WORD: Final = r"[\w.$/:-]++"
PAIR: Final = re.compile(rf"(?P<key>{QUOTATION}|{WORD}){GAP}(?:={GAP}(?P<value>{QUOTATION}|{WORD}){GAP})?+;", re.DOTALL)
BLANK: Final = re.compile(GAP, re.DOTALL)
ESCAPE: Final = re.compile(r"\\(?:U([0-9a-fA-F]{1,4})|u([0-9a-fA-F]{4})|([0-7]{1,3})|(.))", re.DOTALL)
CHARACTERS: Final = {"a": "\a", "b": "\b", "f": "\f", "n": "\n", "r": "\r", "t": "\t", "v": "\v"}
ASCII_END: Final = 0x80
ESCAPES: Final = str.maketrans({"\\": "\\\\", '"': '\\"', "\n": "\\n", "\t": "\\t", "\r": "\\r"})


class AppleStrings(StringFormat):
    """Values by their keys."""

    name: ClassVar = "strings"
    title: ClassVar = "Apple strings"
    suffixes: ClassVar = (".strings",)

    def entries(self, text: str, name: str) -> list[StringEntry]:
        """Values in quotes, without their escapes."""
        entries = []
        at = _behind_blanks(text, 0)
        while at < len(text):
            match = PAIR.match(text, at)
            if match is None:
                raise refuse("invalid-document", name, 'write each pair as "key" = "value";', text, at)
            value = match["value"]
            # A key alone is its own value, and shows no translation.
            if value is not None and value[0] == '"':
                start, end = match.span("value")
                entries.append(StringEntry(_plain_text(match["key"]), _plain_text(value), start + 1, end - 1))
            at = _behind_blanks(text, match.end())
        return unique([entry for entry in entries if entry.text.strip()], text, name)

    def spelled(self, new: str, text: str, entry: StringEntry) -> str:
        """Escapes of Apple."""
        return new.translate(ESCAPES)


def _behind_blanks(text: str, at: int) -> int:
    match = BLANK.match(text, at)
    assert match is not None
    return match.end()


def _plain_text(token: str) -> str:
    """A key or value without quotes and escapes; two numbers may be one character of UTF-16."""
    plain = ESCAPE.sub(_character, token[1:-1]) if token[0] == '"' else token
    return plain.encode("utf-16", "surrogatepass").decode("utf-16", "replace").replace("\0", "\ufffd")


def _character(escape: re.Match[str]) -> str:
    """The character of an escape. Octal numbers beyond ASCII are of the encoding of NeXTSTEP, which nobody writes any more."""
    code, small_code, octal, character = escape.groups()
    if octal is not None:
        return chr(int(octal, 8)) if int(octal, 8) < ASCII_END else "\ufffd"
    number = code or small_code
    return chr(int(number, 16)) if number is not None else CHARACTERS.get(character, character)
