r"""Apostrophes and quotation marks of Android that lack their backslash.

Source: aapt2, `ResourceUtils.cpp`: it refuses ``'`` outside of quotes, and ``"`` encloses a stretch whose blanks stay.
"""

import re
from typing import Final, NamedTuple

from app.documents.strings.formats.xml.texts import OPEN

__all__ = ["BareSigns", "bare_signs"]

# Escapes, notes, tags and CDATA have signs of their own.
SIGN: Final = re.compile(
    r"\\(?:&[^;\s]{1,8};|.)|<!--.*?-->|<\?.*?\?>|<!\[CDATA\[.*?\]\]>|</?[A-Za-z][^<>]*+>"
    r"|(?P<apostrophe>'|&apos;|&#39;|&#x27;)|(?P<quote>\"|&quot;|&#34;|&#x22;)",
    re.DOTALL,
)


class BareSigns(NamedTuple):
    """Places of apostrophes outside of quotes, and of a quotation mark without its partner."""

    apostrophes: tuple[tuple[int, int], ...]
    quote: tuple[int, int] | None


def bare_signs(text: str, start: int, end: int) -> BareSigns:
    """Bare signs among the characters `[start, end)` of a well-formed file. O(length)."""
    # The place of a section alone begins within it.
    if text.endswith(OPEN, 0, start):
        return BareSigns((), None)
    apostrophes: list[tuple[int, int]] = []
    quote: tuple[int, int] | None = None
    for sign in SIGN.finditer(text, start, end):
        if sign["quote"]:
            quote = sign.span() if quote is None else None
        elif sign["apostrophe"] and quote is None:
            apostrophes.append(sign.span())
    return BareSigns(tuple(apostrophes), quote)
