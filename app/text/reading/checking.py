"""What a segment may be: bounded, and made of characters that UTF-8 and files can hold."""

import re
from collections.abc import Iterable, Sequence
from typing import Final

from app.errors import InputError

__all__ = ["check_segments"]

REFUSED: Final = re.compile("[\0\ud800-\udfff]")


def check_segments(
    texts: Iterable[str], longest: int, where: Sequence[str | int], field: str | None = None, first: int = 0
) -> None:
    """InputError for the first segment that is too long or holds a NUL or half a surrogate pair; rows count from `first`."""
    for row, text in enumerate(texts, first):
        place = (*where, row) if field is None else (*where, row, field)
        if len(text) > longest:
            raise InputError("segment-too-long", f"this segment has {len(text)} characters; at most {longest} are accepted", place)
        match = None if text.isascii() and "\0" not in text else REFUSED.search(text)
        if match:
            kind = "a NUL" if match[0] == "\0" else "a lone surrogate"
            raise InputError("invalid-character", f"character {match.start() + 1} is {kind}, which text cannot hold", place)
