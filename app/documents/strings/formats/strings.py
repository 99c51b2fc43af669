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
GAP: Final = r"(?:\s|//[^\n]*+|/\*(?:[^*]|\*(?!/))*+\*/)*+"
QUOTATION: Final = r'"(?:[^"\\]|\\.)*+"'
WORD: Final = r"[\w.$/:-]++"
PAIR: Final = re.compile(rf"(?P<key>{QUOTATION}|{WORD}){GAP}={GAP}(?P<value>{QUOTATION}|{WORD}){GAP};", re.DOTALL)
BLANK: Final = re.compile(GAP, re.DOTALL)
ESCAPE: Final = re.compile(r"\\(?:[uU]([0-9a-fA-F]{4})|(.))", re.DOTALL)
CHARACTERS: Final = {"n": "\n", "t": "\t", "r": "\r", "0": "\ufffd"}
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
            if match["value"][0] == '"':
                entries.append(
                    StringEntry(
                        _plain_text(match["key"]), _plain_text(match["value"]), match.start("value") + 1, match.end("value") - 1
                    )
                )
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
    inner = token[1:-1] if token[0] == '"' else token
    plain = ESCAPE.sub(lambda match: chr(int(match[1], 16)) if match[1] else CHARACTERS.get(match[2], match[2]), inner)
    return plain.encode("utf-16", "surrogatepass").decode("utf-16", "replace").replace("\0", "\ufffd")
