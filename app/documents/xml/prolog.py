"""Prolog of an XML document: blanks, comments, instructions and a document type before the root.

The scanner only goes forward, since a backtracking pattern could take exponential time on instructions.
Source: Extensible Markup Language 1.0, productions 22 (prolog) and 28 (doctypedecl).
"""

import re
from dataclasses import dataclass
from typing import Final

__all__ = ["Prolog", "prolog_of"]

NO_BLANK: Final = re.compile(r"\S")
DELIMITERS: Final = (("<?", "?>"), ("<!--", "-->"))
# A document type without declarations; it may name another file, which is never opened. Its two groups are not possessive, since
# Python before 3.11.5 matches such groups wrongly.
EXTERNAL: Final = re.compile(
    r"""<!DOCTYPE[ \t\r\n]++[^ \t\r\n<>\[\]"'&]++"""
    r"""(?:[ \t\r\n]++(?:SYSTEM|PUBLIC[ \t\r\n]++(?:"[^"<>&]*+"|'[^'<>&]*+'))[ \t\r\n]++(?:"[^"]*+"|'[^']*+'))?"""
    r"""[ \t\r\n]*+(?:\[[ \t\r\n]*+\][ \t\r\n]*+)?>"""
)


@dataclass(frozen=True, slots=True)
class Prolog:
    """End of the prolog, before the root or an unsupported document type; and begin and end of its document type."""

    end: int
    begin_of_type: int = 0
    end_of_type: int = 0

    def without_type(self, text: str) -> str:
        """Text with blanks in place of the document type; line ends stay, so that all positions stay."""
        if self.begin_of_type == self.end_of_type:
            return text
        declaration = text[self.begin_of_type : self.end_of_type]
        blanks = "".join(c if c in "\r\n" else " " for c in declaration)
        return text[: self.begin_of_type] + blanks + text[self.end_of_type :]


def prolog_of(text: str) -> Prolog:
    """Prolog of a text; it ends before a document type with declarations, and before a second document type."""
    at = _skip(text, 0)
    declaration = EXTERNAL.match(text, at)
    if declaration is None:
        return Prolog(at)
    return Prolog(_skip(text, declaration.end()), at, declaration.end())


def _skip(text: str, at: int) -> int:
    """Position after blanks, comments and instructions, or of one that is never closed."""
    at = _blanks_end(text, at)
    while pair := next((pair for pair in DELIMITERS if text.startswith(pair[0], at)), None):
        start, close = pair
        end = text.find(close, at + len(start))
        if end < 0:
            return at
        at = _blanks_end(text, end + len(close))
    return at


def _blanks_end(text: str, at: int) -> int:
    character = NO_BLANK.search(text, at)
    return character.start() if character else len(text)
