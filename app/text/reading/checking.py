"""Limits of segments and terms: lengths, and characters that UTF-8 and files can hold."""

import re
from collections.abc import Iterable, Sequence
from typing import Final

from app.errors import InputError

__all__ = ["FORBIDDEN_CHARACTER", "TERM_LENGTH", "TERM_LIMIT", "VARIANT_LIMIT", "check_segments"]

FORBIDDEN_CHARACTER: Final = re.compile("[\0\ud800-\udfff]")
# Terms of a glossary, characters of a term, and translations of a term.
TERM_LIMIT: Final = 10_000
TERM_LENGTH: Final = 200
VARIANT_LIMIT: Final = 20


def check_segments(texts: Iterable[str], longest: int, path: Sequence[str | int], field: str | None = None, first: int = 0) -> None:
    """Check texts; InputError (`segment-too-long`, `invalid-character`) names the first bad one.

    A text has at most `longest` characters, without NUL and lone surrogates. `path` leads to the rows in the request, `field` to
    the text of a row. Rows count from `first`.
    """
    for row, text in enumerate(texts, first):
        place = (*path, row) if field is None else (*path, row, field)
        if len(text) > longest:
            raise InputError("segment-too-long", f"this segment has {len(text)} characters; the limit is {longest}", place)
        match = None if text.isascii() and "\0" not in text else FORBIDDEN_CHARACTER.search(text)
        if match:
            kind = "a NUL" if match[0] == "\0" else "a lone surrogate"
            raise InputError(
                "invalid-character", f"character {match.start() + 1} is {kind}, which text may not hold; remove it", place
            )
