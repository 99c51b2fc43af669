"""What a segment may be: bounded, and made of characters that UTF-8 and files can hold."""

import re
from collections.abc import Iterable, Sequence
from math import isfinite
from typing import Final

from app.errors import InputError

__all__ = ["check_log_probs", "check_segments"]

REFUSED: Final = re.compile("[\0\ud800-\udfff]")


def check_segments(
    texts: Iterable[str], longest: int, where: Sequence[str | int], field: str | None = None, first: int = 0
) -> None:
    """InputError for the first segment that is too long or holds a NUL or half a surrogate pair; rows count from `first`."""
    for row, text in enumerate(texts, first):
        place = (*where, row) if field is None else (*where, row, field)
        if len(text) > longest:
            raise InputError("segment-too-long", f"this segment has {len(text)} characters; at most {longest} are accepted", place)
        found = None if text.isascii() and "\0" not in text else REFUSED.search(text)
        if found:
            kind = "a NUL" if found[0] == "\0" else "a lone surrogate"
            raise InputError("invalid-character", f"character {found.start() + 1} is {kind}, which text cannot hold", place)


def check_log_probs(rows: Sequence[Sequence[float] | None], where: Sequence[str | int], longest: int, first: int = 0) -> None:
    """Natural logs of probabilities for every segment: at least one each, finite, not above 0; rows count from `first`."""
    for row, values in enumerate(rows, first):
        place = (*where, row, "token_log_probs")
        if values is None:
            raise InputError("log-prob-mismatch", "token_log_probs are given for some segments but not for this one", place)
        if not 0 < len(values) <= longest:
            raise InputError(
                "log-prob-mismatch", f"{len(values)} numbers; expected one per token and one for the end, 1 to {longest}", place
            )
        for k, value in enumerate(values):
            if not isfinite(value) or value > 0.0:
                raise InputError("log-prob-mismatch", "a log-probability is a finite number that is not above 0", (*place, k))
