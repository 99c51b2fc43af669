"""Token log-probabilities: natural logs, one per token of the MT system and one for the end."""

from collections.abc import Sequence
from math import isfinite
from typing import Final

from app.errors import InputError

__all__ = ["check_log_probs"]

FIELD: Final = "token_log_probs"
# No system is as sure as this that it is wrong; squares of what is far below are no numbers any more.
LEAST: Final = -1e9


def check_log_probs(rows: Sequence[Sequence[float] | None], where: Sequence[str | int], longest: int, first: int = 0) -> None:
    """At least one number for every segment and at most `longest`, finite, not above 0; rows count from `first`."""
    for row, values in enumerate(rows, first):
        place = (*where, row, FIELD)
        if values is None:
            raise InputError("log-prob-mismatch", f"{FIELD} are given for some segments but not for this one", place)
        if not 0 < len(values) <= longest:
            raise InputError(
                "log-prob-mismatch", f"{len(values)} numbers; expected one per token and one for the end, 1 to {longest}", place
            )
        for k, value in enumerate(values):
            if not isfinite(value) or value > 0.0:
                raise InputError("log-prob-mismatch", "a log-probability is a finite number that is not above 0", (*place, k))
            if value < LEAST:
                raise InputError("log-prob-mismatch", f"a log-probability is not below {LEAST:g}", (*place, k))
