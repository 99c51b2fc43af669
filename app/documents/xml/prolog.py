"""Where the prolog of a document of tags ends: blanks, comments and instructions, passed over one after the other."""

import re
from typing import Final

__all__ = ["prolog_end"]

NO_BLANK: Final = re.compile(r"\S")
PASSED_OVER: Final = (("<?", "?>"), ("<!--", "-->"))


def prolog_end(text: str) -> int:
    """The place behind the prolog, or that of what is never closed in it.

    A scanner, since a pattern that may begin again at every instruction can take time without end.
    """
    at = _blanks_end(text, 0)
    while opened := next((pair for pair in PASSED_OVER if text.startswith(pair[0], at)), None):
        end = text.find(opened[1], at + len(opened[0]))
        if end < 0:
            return at
        at = _blanks_end(text, end + len(opened[1]))
    return at


def _blanks_end(text: str, at: int) -> int:
    character = NO_BLANK.search(text, at)
    return character.start() if character else len(text)
