"""What stands before the root of a document of tags: blanks, comments, instructions, and a document type.

A scanner that goes forward only, since a pattern that may begin again at every instruction can take time without end.
Source: Extensible Markup Language 1.0, productions 22 (prolog) and 28 (doctypedecl).
"""

import re
from dataclasses import dataclass
from typing import Final

__all__ = ["Prolog", "prolog_of"]

NO_BLANK: Final = re.compile(r"\S")
PASSED_OVER: Final = (("<?", "?>"), ("<!--", "-->"))
# A declaration that names another file or none, and declares nothing itself: what stands in its quotes is never looked at.
EXTERNAL: Final = re.compile(
    r"""<!DOCTYPE[ \t\r\n]++[^ \t\r\n<>\[\]"'&]++"""
    r"""(?:[ \t\r\n]++(?:SYSTEM|PUBLIC[ \t\r\n]++(?:"[^"<>&]*+"|'[^'<>&]*+'))[ \t\r\n]++(?:"[^"]*+"|'[^']*+'))?+"""
    r"""[ \t\r\n]*+(?:\[[ \t\r\n]*+\][ \t\r\n]*+)?+>"""
)


@dataclass(frozen=True, slots=True)
class Prolog:
    """Where the prolog ends, which is before the root or before what cannot be passed over; and where its document type lies."""

    end: int
    begin_of_type: int = 0
    end_of_type: int = 0

    def without_type(self, text: str) -> str:
        """The text with blanks in place of the document type, its line ends kept, so that every place stays."""
        if self.begin_of_type == self.end_of_type:
            return text
        own = text[self.begin_of_type : self.end_of_type]
        blanks = "".join(c if c in "\r\n" else " " for c in own)
        return text[: self.begin_of_type] + blanks + text[self.end_of_type :]


def prolog_of(text: str) -> Prolog:
    """The prolog of a text; a document type that declares entities or elements, or a second one, is not passed over."""
    at = _passed(text, 0)
    declaration = EXTERNAL.match(text, at)
    if declaration is None:
        return Prolog(at)
    return Prolog(_passed(text, declaration.end()), at, declaration.end())


def _passed(text: str, at: int) -> int:
    """The place behind blanks, comments and instructions, or that of what is never closed."""
    at = _blanks_end(text, at)
    while opened := next((pair for pair in PASSED_OVER if text.startswith(pair[0], at)), None):
        end = text.find(opened[1], at + len(opened[0]))
        if end < 0:
            return at
        at = _blanks_end(text, end + len(opened[1]))
    return at


def _blanks_end(text: str, at: int) -> int:
    character = NO_BLANK.search(text, at)
    return character.start() if character else len(text)
