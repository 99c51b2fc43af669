"""Log-probabilities of tokens: natural logs, one per token of the MT system and one for the end of sentence."""

from collections.abc import Sequence
from math import isfinite
from typing import Final

from app.errors import InputError

__all__ = ["check_log_probs"]

FIELD: Final = "token_log_probs"
# Lower values occur in no system, and squares of far lower ones overflow.
LOWEST: Final = -1e9


def check_log_probs(rows: Sequence[Sequence[float] | None], path: Sequence[str | int], longest: int, first: int = 0) -> None:
    """Check that each segment has 1 to `longest` finite numbers, none above 0; InputError (`log-prob-mismatch`) names the row.

    `path` leads to the rows in the request, and rows count from `first`.
    """
    for row, values in enumerate(rows, first):
        place = (*path, row, FIELD)
        if values is None:
            raise InputError("log-prob-mismatch", f"this segment lacks {FIELD}; give them for all segments or for none", place)
        if not 0 < len(values) <= longest:
            raise InputError(
                "log-prob-mismatch", f"{len(values)} numbers; expected one per token and one for the end, 1 to {longest}", place
            )
        for k, value in enumerate(values):
            if not isfinite(value) or value > 0.0:
                raise InputError("log-prob-mismatch", "a log-probability must be a finite number, at most 0", (*place, k))
            if value < LOWEST:
                raise InputError("log-prob-mismatch", f"a log-probability must be at least {LOWEST:g}", (*place, k))
